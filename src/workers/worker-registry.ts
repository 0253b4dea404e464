import { createHash, randomBytes } from 'node:crypto'
import { type Clock, matchingIds, newId } from '../clock/index.js'
import { SignalboxError } from '../errors/index.js'
import { type EventData, isEvent, newEvent } from '../events/index.js'
import { type EventStore, isVersionConflict } from '../store/index.js'
import { type WorkerRecord, workerStream, workersProjection } from './worker-record.js'

const DAY_MS = 86_400_000

export interface InviteOptions {
  pool: string
  labels: Record<string, string>
  validMs: number
  by: string
}

/** Which machines are workers: invites them, admits them once, removes them. */
export class WorkerRegistry {
  readonly #store: EventStore
  readonly #clock: Clock

  constructor({ store, clock }: { store: EventStore; clock: Clock }) {
    this.#store = store
    this.#clock = clock
  }

  /** All that were not removed, by name. */
  async list(): Promise<WorkerRecord[]> {
    const documents = await this.#store.documents<WorkerRecord>(workersProjection.name)
    const records = documents.map(({ state }) => state).filter(({ state }) => state !== 'removed')
    return records.sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  async get(id: string): Promise<WorkerRecord | null> {
    return (await this.#store.document<WorkerRecord>(workersProjection.name, id))?.state ?? null
  }

  /**
   * By name, by id, or by a unique prefix of the id.
   * @throws SignalboxError `E_UNKNOWN`, `E_ID_AMBIGUOUS`
   */
  async find(word: string): Promise<WorkerRecord> {
    const workers = await this.list()
    const named = workers.find(({ name }) => name === word)
    const found = named ? [named] : matchingIds('wrk', workers, word)
    if (found.length === 1) return found[0]!
    if (found.length === 0)
      throw new SignalboxError('E_UNKNOWN', `unknown worker "${word}"`, { next: 'signalbox workers lists them' })
    throw new SignalboxError(
      'E_ID_AMBIGUOUS',
      `"${word}" matches several workers: ${found.map(({ id }) => id).join(', ')}`,
    )
  }

  /** A token with which one machine can join. Only its hash is stored. */
  async invite({ pool, labels, validMs, by }: InviteOptions): Promise<string> {
    if (!(validMs > 0 && validMs <= DAY_MS))
      throw new SignalboxError('E_INPUT', 'an invitation is valid for at most 24 hours', { next: '--valid 15m' })
    const token = randomBytes(32).toString('base64url')
    const until = (await this.#store.now()) + validMs
    await this.#store.append(inviteStream(token), 0, [newEvent('worker.invited', { pool, labels, until, by })])
    return token
  }

  /**
   * @throws SignalboxError `E_JOIN`: the same words whether the token is unknown, used or expired.
   */
  async join(token: string, { name, key }: { name: string; key: string }): Promise<WorkerRecord> {
    const refused = new SignalboxError('E_JOIN', 'invalid or expired invitation', {
      next: 'ask the owner for a new one: signalbox workers invite',
    })
    const events = await this.#store.readStream(inviteStream(token))
    const [invited] = events
    if (!invited || !isEvent(invited, 'worker.invited') || events.length > 1) throw refused
    const { pool, labels, until } = invited.data
    if ((await this.#store.now()) > until) throw refused
    const id = newId('wrk')
    const joined: EventData<'worker.joined'> = { name: await this.#freeName(name), pool, labels, key }
    const at = this.#clock.now()
    try {
      await this.#store.appendAll([
        { stream: inviteStream(token), expected: 1, events: [newEvent('worker.invite-used', { worker: id }, at)] },
        { stream: workerStream(id), expected: 0, events: [newEvent('worker.joined', joined, at)] },
      ])
    } catch (error) {
      if (isVersionConflict(error)) throw refused
      throw error
    }
    return (await this.get(id))!
  }

  async drain(worker: WorkerRecord, isDraining: boolean, by: string): Promise<void> {
    await this.#store.append(workerStream(worker.id), 'any', [newEvent('worker.drained', { isDraining, by })])
  }

  async remove(worker: WorkerRecord, by: string): Promise<void> {
    await this.#store.append(workerStream(worker.id), 'any', [newEvent('worker.removed', { by })])
  }

  async #freeName(wanted: string): Promise<string> {
    const taken = new Set((await this.list()).map(({ name }) => name))
    for (let n = 1; ; n++) {
      const name = n === 1 ? wanted : `${wanted}-${n}`
      if (!taken.has(name)) return name
    }
  }
}

function inviteStream(token: string): string {
  return `invite/${createHash('sha256').update(token).digest('hex')}`
}
