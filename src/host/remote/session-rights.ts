import { z } from 'zod'
import {
  type ApprovalRecord,
  type ApprovalRequest,
  LEDGER_OPERATIONS,
  type Ledger,
  type LedgerOperation,
} from '../../approvals/index.js'
import type { Clock } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { EventType } from '../../events/index.js'
import { type SessionRecord, sessionsProjection } from '../../sessions/index.js'
import type { BlobStore } from '../../store/blobs/index.js'
import { type AppendResult, type EventStore, type NewEvent, retryConflicts } from '../../store/index.js'
import type { WorkerCall } from '../../workers/index.js'
import type { SessionRecords, StartedSession } from '../session-records.js'

/** Events of a session that only a server writes. */
const SERVER_EVENTS: ReadonlySet<string> = new Set<EventType>([
  'session.started',
  'session.numbered',
  'session.chosen',
  'session.renamed',
  'session.budget-set',
  'session.resumed',
  'session.forgotten',
])
const SESSION_EVENTS = /^(session|turn|message|prompt|recording)\./
/** Notes of a worker about itself. */
const HOST_EVENTS = /^(pack|hook|supervision|drift|config)\./

const newEvents = z
  .array(z.object({ type: z.string(), data: z.record(z.string(), z.unknown()), at: z.number().optional() }))
  .min(1)
  .max(1_000)

const appended = z.object({
  stream: z.string(),
  expected: z.union([z.int().nonnegative(), z.literal('any')]),
  events: newEvents,
  /** The version of the stream that the worker knew. */
  after: z.int().nonnegative().default(0),
})
const read = z.object({
  stream: z.string(),
  fromVersion: z.int().positive().default(1),
  limit: z.int().nonnegative().optional(),
})
const started = z.object({ session: z.string(), started: z.record(z.string(), z.unknown()), at: z.number() })

/** How long the owner of a session and the store's time are not asked for again. */
const CACHE_MS = 30_000
const OWNERS_MAX = 20_000

export interface SessionRightsOptions {
  store: EventStore
  clock: Clock
  ledger: Ledger
  records: SessionRecords
  blobs(): BlobStore
  /** Whether the server asked this worker to start the session. */
  isStarting(worker: string, session: string): boolean | Promise<boolean>
}

/**
 * Answers what a worker asks about its sessions, and refuses everything else. An agent has the
 * rights of its worker: it may report anything about its own sessions, but must not reach those of
 * others.
 */
export class SessionRights {
  readonly #options: SessionRightsOptions
  /** Workers write many events of few sessions, and a session keeps its worker. */
  readonly #owners = new Map<string, { worker: string; until: number }>()
  #time: { asked: number; now: number } | null = null

  constructor(options: SessionRightsOptions) {
    this.#options = options
  }

  /**
   * @param aheadMs how far the times of the worker are ahead of the store's.
   * @throws SignalboxError `E_ROLE`
   */
  async answer(worker: string, call: WorkerCall, aheadMs = 0): Promise<unknown> {
    const { store } = this.#options
    const { method, params } = call
    switch (method) {
      case 'store.append':
        return this.#append(worker, params, { isAgain: call.isAgain, aheadMs })
      case 'store.readStream': {
        const { stream, ...options } = checked(read, params)
        await this.#mustOwn(worker, sessionOf(stream))
        const { fromVersion, limit } = options
        return store.readStream(stream, { fromVersion, ...(limit !== undefined && { limit }) })
      }
      case 'store.streamVersion': {
        const { stream } = checked(read, params)
        await this.#mustOwn(worker, sessionOf(stream))
        return store.streamVersion(stream)
      }
      case 'store.document': {
        const { projection, key } = params
        if (projection !== sessionsProjection.name) throw refused(`read ${String(projection)}`)
        await this.#mustOwn(worker, String(key))
        return store.document(sessionsProjection.name, String(key))
      }
      case 'store.documents': {
        if (params.projection !== sessionsProjection.name) throw refused(`read ${String(params.projection)}`)
        return store.documents<SessionRecord>(sessionsProjection.name, { where: { worker } })
      }
      case 'store.now':
        return store.now()
      case 'blob.put':
        return this.#options.blobs().put(Buffer.from(String(params.data), 'base64'))
      case 'session.record':
        return this.#record(worker, params, aheadMs)
      default:
        return this.#ledger(worker, call)
    }
  }

  async #append(
    worker: string,
    params: Record<string, unknown>,
    { isAgain, aheadMs }: { isAgain: boolean; aheadMs: number },
  ): Promise<AppendResult> {
    const { store } = this.#options
    const { stream: named, expected, events, after } = checked(appended, params)
    const stream = named === 'host' ? `host/${worker}` : named
    if (named === 'host') {
      const foreign = events.find(({ type }) => !HOST_EVENTS.test(type))
      if (foreign) throw refused(`write ${foreign.type}`)
    } else {
      const session = sessionOf(stream)
      await this.#mustOwn(worker, session)
      const foreign = events.find(({ type }) => !SESSION_EVENTS.test(type) || SERVER_EVENTS.has(type))
      if (foreign) throw refused(`write ${foreign.type}`)
      // Surfaces show an event at the session that it names.
      const named = events.find(({ data }) => data.session !== undefined && data.session !== session)
      if (named) throw refused(`write ${named.type} about another session`)
    }
    const now = await this.#storeTime()
    // No event is in the store's future.
    const timely = events.map(({ at = now + aheadMs, ...event }) => ({ ...event, at: Math.min(at - aheadMs, now) }))
    const written = timely as NewEvent[]
    if (expected === 'any' && after > 0) return this.#appendAfter(stream, after, written, isAgain)
    const before = isAgain ? await this.#written(stream, after, written) : null
    return before ?? store.append(stream, expected, written)
  }

  /**
   * Appends at an exact version, although the worker does not ask for one: another server may still
   * carry out the same call, whose connection broke, and must then find that it was written.
   */
  #appendAfter(stream: string, after: number, events: NewEvent[], isAgain: boolean): Promise<AppendResult> {
    const { store } = this.#options
    let isFirst = !isAgain
    return retryConflicts(async () => {
      const version = isFirst ? after : await store.streamVersion(stream)
      const before = isFirst ? null : await this.#written(stream, after, events)
      isFirst = false
      return before ?? store.append(stream, version, events)
    })
  }

  /** The connection broke before the answer: perhaps the events are in the log. */
  async #written(stream: string, after: number, events: readonly NewEvent[]): Promise<AppendResult | null> {
    const since = await this.#options.store.readStream(stream, { fromVersion: after + 1 })
    const wanted = events.map(({ type, data }) => JSON.stringify([type, data]))
    for (let first = 0; first + wanted.length <= since.length; first++) {
      const found = since.slice(first, first + wanted.length)
      const isSame = found.every(
        (event, index) =>
          JSON.stringify([event.type, event.data]) === wanted[index] && (after > 0 || event.at <= events[index]!.at!),
      )
      const last = found.at(-1)!
      if (isSame) return { stream, version: last.version, position: last.position }
    }
    return null
  }

  async #record(worker: string, params: Record<string, unknown>, aheadMs: number): Promise<null> {
    const { records, store, isStarting } = this.#options
    const { session, started: data, at } = checked(started, params)
    const known = (await store.document<SessionRecord>(sessionsProjection.name, session))?.state
    // The answer to an earlier attempt was lost.
    if (known?.worker === worker) return null
    if (known || !(await isStarting(worker, session))) throw refused(`start session ${session}`)
    const { number: _, ...rest } = data
    const own = { ...rest, worker, owner: 'daemon' } as unknown as StartedSession
    await records.recordStart(session, own, Math.min(at - aheadMs, await store.now()))
    return null
  }

  async #ledger(worker: string, { method, params, isAgain }: WorkerCall): Promise<unknown> {
    const { ledger } = this.#options
    const operation = method.startsWith('ledger.') ? (method.slice('ledger.'.length) as LedgerOperation) : null
    if (operation === null || !LEDGER_OPERATIONS.includes(operation)) throw refused(`call ${method.slice(0, 80)}`)
    // JSON has no undefined.
    const [first, ...rest] = (Array.isArray(params.args) ? params.args : []).map(value => value ?? undefined)
    switch (operation) {
      case 'list':
        return this.#ownRequests(worker, await ledger.list({ isOpenOnly: true }))
      case 'recent':
        await this.#mustOwn(worker, String(first))
        return ledger.recent(String(first))
      case 'request': {
        const request = await this.#ownRequest(worker, first)
        const same = isAgain ? await this.#raised(request) : null
        return same ?? ledger.request(request)
      }
      case 'get': {
        const record = await ledger.get(String(first))
        if (record) await this.#mustOwn(worker, record.subject.session)
        return record
      }
      case 'replace': {
        const old = await this.#ownRecord(worker, first)
        const request = await this.#ownRequest(worker, rest[0])
        const follower = isAgain && old.outcome?.followedBy
        return follower ? ledger.get(follower) : ledger.replace(old, request)
      }
      default: {
        // Changes of the record itself are not accepted from the worker.
        const record = await this.#ownRecord(worker, first)
        const move = ledger[operation] as (record: ApprovalRecord, ...rest: unknown[]) => Promise<unknown>
        return (await move.call(ledger, record, ...rest)) ?? null
      }
    }
  }

  async #raised({ subject, instance, fingerprint }: ApprovalRequest): Promise<ApprovalRecord | null> {
    const recent = await this.#options.ledger.recent(subject.session!)
    return recent.find(record => record.instance === instance && record.fingerprint === fingerprint) ?? null
  }

  async #ownRequest(worker: string, value: unknown): Promise<ApprovalRequest> {
    const request = value as ApprovalRequest
    await this.#mustOwn(worker, request?.subject?.session)
    // A request of a run is raised by its server.
    if (request.subject.run !== undefined) throw refused('raise a request of a run')
    return request
  }

  async #ownRecord(worker: string, value: unknown): Promise<ApprovalRecord> {
    const record = await this.#options.ledger.get(String((value as { id?: unknown } | undefined)?.id))
    if (!record) throw refused('see this request')
    await this.#mustOwn(worker, record.subject.session)
    return record
  }

  async #ownRequests(worker: string, all: readonly ApprovalRecord[]): Promise<ApprovalRecord[]> {
    const where = { worker }
    const sessions = await this.#options.store.documents<SessionRecord>(sessionsProjection.name, { where })
    const own = new Set(sessions.map(({ key }) => key))
    return all.filter(({ subject }) => subject.session !== undefined && own.has(subject.session))
  }

  /** Not exact to the millisecond: it only keeps events out of the future. */
  async #storeTime(): Promise<number> {
    const { store, clock } = this.#options
    const before = clock.monotonic()
    if (this.#time && before < this.#time.asked + CACHE_MS) return this.#time.now + before - this.#time.asked
    const now = await store.now()
    this.#time = { asked: before, now }
    return now
  }

  async #mustOwn(worker: string, session: string | null | undefined): Promise<void> {
    const { clock } = this.#options
    const known = session && this.#owners.get(session)
    if (known && known.worker === worker && clock.monotonic() < known.until) return
    const record =
      session && (await this.#options.store.document<SessionRecord>(sessionsProjection.name, session))?.state
    // The message does not reveal whether it exists.
    if (!record || record.worker !== worker) throw refused('use a session that is not its own')
    this.#owners.delete(session)
    this.#owners.set(session, { worker, until: clock.monotonic() + CACHE_MS })
    if (this.#owners.size > OWNERS_MAX) this.#owners.delete(this.#owners.keys().next().value!)
  }
}

function sessionOf(stream: string): string | null {
  return stream.startsWith('session/') ? stream.slice('session/'.length) : null
}

function checked<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw new SignalboxError('E_INPUT', `invalid call from a worker: ${result.error.message}`, {
    cause: result.error,
  })
}

function refused(what: string): SignalboxError {
  return new SignalboxError('E_ROLE', `a worker cannot ${what}`)
}
