import { SignalboxError } from '../../errors/index.js'
import type { Fence, HeldLease, KeyedLeaseHolder, Lease, LeaseHolder } from '../event-store.js'
import type { Connection } from './connection.js'

interface LeaseRow {
  owner: string
  epoch: number
  expires: number
}

const READ = 'SELECT owner, epoch, expires FROM leases WHERE key = ?'
const TAKE =
  'INSERT INTO leases (key, owner, epoch, expires) VALUES (?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, epoch = excluded.epoch, expires = excluded.expires'

/** Inside a transaction. The epoch only grows: this commit fences the previous holder. */
export function takeLease(
  connection: Connection,
  request: {
    key: string
    owner: string
    now: number
    ttlMs: number
    isGone?: ((owner: string) => boolean) | undefined
  },
): Lease | HeldLease {
  const { key, owner, now, ttlMs } = request
  const held = connection.get<LeaseRow>(READ, key)
  const isFree = !held || held.owner === '' || held.expires <= now || (request.isGone?.(held.owner) ?? false)
  if (!isFree) return { isAcquired: false, by: held.owner, epoch: held.epoch, until: held.expires }
  const epoch = (held?.epoch ?? 0) + 1
  connection.run(TAKE, key, owner, epoch, now + ttlMs)
  return { isAcquired: true, key, owner, epoch }
}

/** Inside a transaction. False: another owner holds it now. */
export function renewLease(connection: Connection, { key, epoch }: Fence, expires: number): boolean {
  const held = connection.get<LeaseRow>(READ, key)
  if (held?.epoch !== epoch || held.owner === '') return false
  connection.run('UPDATE leases SET expires = ? WHERE key = ?', expires, key)
  return true
}

/** Inside a transaction. The row keeps its epoch: later holders need a new one. */
export function releaseLease(connection: Connection, { key, epoch }: Fence): void {
  connection.run("UPDATE leases SET owner = '', expires = 0 WHERE key = ? AND epoch = ?", key, epoch)
}

export function readHolder(connection: Connection, key: string): LeaseHolder | null {
  const held = connection.get<LeaseRow>(READ, key)
  return held && held.owner !== '' ? { by: held.owner, epoch: held.epoch, until: held.expires } : null
}

export function readHolders(connection: Connection, prefix: string): KeyedLeaseHolder[] {
  const sql = "SELECT key, owner, epoch, expires FROM leases WHERE substr(key, 1, length(?)) = ? AND owner <> ''"
  const rows = connection.all<LeaseRow & { key: string }>(sql, prefix, prefix)
  return rows.map(({ key, owner, epoch, expires }) => ({ key, by: owner, epoch, until: expires }))
}

/** Inside the transaction of an append. @throws SignalboxError `E_PRECONDITION` */
export function checkDeadline(notAfter: number, now: number): void {
  if (now <= notAfter) return
  throw new SignalboxError('E_PRECONDITION', 'the deadline of the append has passed; nothing was written', {
    details: { notAfter, now },
  })
}

/** Inside the transaction of an append. @throws SignalboxError `E_FENCED` */
export function checkFence({ key, epoch }: Fence, held: Pick<LeaseRow, 'owner' | 'epoch'> | null): void {
  if (held?.epoch === epoch && held.owner !== '') return
  throw new SignalboxError('E_FENCED', `another process drives ${key} now; nothing was written`, {
    details: { key, epoch, current: held?.epoch ?? 0, owner: held?.owner ?? '' },
  })
}
