import type { Client } from 'pg'
import { SignalboxError } from '../../errors/index.js'
import type { AppendResult, StoreLoad } from '../event-store.js'
import type { AppendPlanner, AppendUnit, FreshKnowledge, PlannedUnit } from './append-plan.js'
import type { Connections } from './connections.js'
import type { PostgresProjector } from './postgres-projector.js'

const BATCH_MAX = 64
/** A batch is one statement: larger ones would hold the lock too long. */
const BATCH_BYTES_MAX = 4 * 1024 * 1024
const QUEUE_MAX = 10_000
/**
 * Attempts with fresh knowledge before the lock is taken first. Each lost attempt costs a round
 * trip, a lock that is held over round trips stops all other writers.
 */
const ATTEMPTS_MAX = 5

type UnitAnswer =
  | { ok: { version: number; position: number }[] }
  | { error: 'version'; stream: string; expected: number; actual: number }
  | { error: 'fenced'; epoch: number; owner: string }
  | { error: 'late'; now: number }
  | ({ retry: true } & FreshKnowledge)

interface Answered {
  results: UnitAnswer[]
  chained: string[]
}

type Answer = { retry: 'folded' } | Answered

interface Waiting {
  unit: AppendUnit
  bytes: number
  attempts: number
  /** The batch that it was in failed: sent alone, only the unit that is wrong is rejected. */
  isAlone: boolean
  resolve(results: AppendResult[]): void
  reject(error: unknown): void
}

interface Planned {
  waiting: Waiting
  plan: PlannedUnit
}

export interface AppendQueueOptions {
  connections: Connections
  planner: AppendPlanner
  projector: PostgresProjector
  monotonic(): number
  /** Replaces the database's clock. */
  now: (() => number) | undefined
  onWritten(position: number, append: string): void
}

/**
 * Writes appends in call order. Those that wait while a batch is under way are the next batch, each
 * with its own result.
 */
export class AppendQueue {
  readonly #options: AppendQueueOptions
  readonly #counts = { appends: 0, batches: 0, retries: 0, seconds: 0 }
  #waiting: Waiting[] = []
  #running: Promise<void> | null = null

  constructor(options: AppendQueueOptions) {
    this.#options = options
  }

  append(unit: AppendUnit): Promise<AppendResult[]> {
    if (this.#waiting.length >= QUEUE_MAX)
      return Promise.reject(
        new SignalboxError('E_STORE_BUSY', `${QUEUE_MAX} appends wait for ${this.#options.connections.shown}.`, {
          next: 'try again later; check the database',
        }),
      )
    const bytes = unit.appends.reduce((sum, { events }) => sum + events.reduce((all, e) => all + e.data.length, 0), 0)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ unit, bytes, attempts: 0, isAlone: false, resolve, reject })
      this.#running ??= this.#run()
    })
  }

  get load(): StoreLoad {
    return { waiting: this.#waiting.length, ...this.#counts }
  }

  /** Runs `work` when no append is under way: both use the connection that writes. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    while (this.#running) await this.#running
    let end = (): void => undefined
    this.#running = new Promise<void>(resolve => {
      end = resolve
    })
    try {
      return await work()
    } finally {
      this.#running = null
      end()
      if (this.#waiting.length > 0) this.#running ??= this.#run()
    }
  }

  async settled(): Promise<void> {
    while (this.#running) await this.#running
  }

  async #run(): Promise<void> {
    // The calls of one round of the event loop go together.
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      await this.#write(this.#takeBatch())
    }
    this.#running = null
  }

  #takeBatch(): Waiting[] {
    if (this.#waiting[0]!.isAlone) return this.#waiting.splice(0, 1)
    let [size, bytes] = [0, 0]
    while (size < this.#waiting.length && size < BATCH_MAX && bytes < BATCH_BYTES_MAX)
      bytes += this.#waiting[size++]!.bytes
    return this.#waiting.splice(0, size)
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    const { connections, projector } = this.#options
    const planned = this.#plan(batch)
    if (planned.length === 0) return
    const isLocking = planned[0]!.waiting.attempts >= ATTEMPTS_MAX
    const began = this.#options.monotonic()
    this.#counts.batches++
    try {
      const answer = await connections.write(async (client, isAgain) => {
        if (isAgain) for (const { plan } of planned) plan.request.again = true
        return isLocking ? this.#callLocked(client, planned) : this.#call(client, planned)
      })
      if ('retry' in answer) {
        for (const { plan } of planned) plan.forget()
        await connections.write(client => projector.locked(client, () => projector.catchUp(client)))
        this.#requeue(planned)
      } else this.#settle(planned, answer)
    } catch (error) {
      this.#giveUp(planned, error)
    } finally {
      this.#counts.seconds += (this.#options.monotonic() - began) / 1000
    }
  }

  #plan(batch: readonly Waiting[]): Planned[] {
    return batch.flatMap(waiting => {
      try {
        return [{ waiting, plan: this.#options.planner.plan(waiting.unit) }]
      } catch (error) {
        waiting.reject(error)
        return []
      }
    })
  }

  async #call(client: Client, planned: readonly Planned[]): Promise<Answer> {
    const { planner, now } = this.#options
    const request = {
      folded: planner.folded,
      ...(now && { now: Math.floor(now()) }),
      units: planned.map(({ plan }) => plan.request),
    }
    const { rows } = await client.query<{ answer: Answer }>({
      name: 'append',
      text: 'SELECT sb_append($1) AS answer',
      values: [JSON.stringify(request)],
    })
    return rows[0]!.answer
  }

  /** With the lock, knowledge that was returned stays current: each attempt gets further. */
  async #callLocked(client: Client, planned: readonly Planned[]): Promise<Answer> {
    const { projector } = this.#options
    return projector.locked(client, async () => {
      await projector.catchUp(client)
      const results: UnitAnswer[] = []
      let rest = planned
      for (let attempts = 0; attempts <= 2 * planned.length; attempts++) {
        const answer = await this.#call(client, rest)
        if (!('results' in answer)) return answer
        const written = answer.results.filter(result => !('retry' in result))
        results.push(...written)
        rest = rest.slice(written.length)
        if (rest.length === 0) return { results, chained: answer.chained }
        this.#planAgain(rest, answer)
      }
      throw new SignalboxError('E_INTERNAL', 'a projection is not deterministic: two folds gave different documents')
    })
  }

  #planAgain(rest: readonly Planned[], { results, chained }: Answered): void {
    const { planner } = this.#options
    for (const { plan } of rest) plan.forget()
    this.#rememberResults(results, chained)
    for (const each of rest) {
      const { again } = each.plan.request
      each.plan = planner.plan(each.waiting.unit)
      each.plan.request.again = again
    }
  }

  #rememberResults(results: readonly UnitAnswer[], chained: readonly string[]): void {
    this.#options.planner.chained = chained
    for (const result of results) if ('retry' in result) this.#options.planner.learn(result)
  }

  #settle(planned: readonly Planned[], { results, chained }: Answered): void {
    const repeated: Planned[] = []
    planned.forEach((each, at) => {
      const { waiting, plan } = each
      const result = results[at]
      if (result && 'ok' in result) return this.#resolve(waiting, result.ok)
      plan.forget()
      if (result && 'error' in result) waiting.reject(errorOf(result, waiting.unit))
      else repeated.push(each)
    })
    this.#rememberResults(results, chained)
    this.#requeue(repeated)
  }

  #resolve({ unit, resolve }: Waiting, ends: readonly { version: number; position: number }[]): void {
    const results = unit.appends.map(({ stream }, at) => ({ stream, ...ends[at]! }))
    for (const { stream, version } of results) this.#options.planner.learnVersion(stream, version)
    const last = Math.max(0, ...results.filter((_, at) => unit.appends[at]!.events.length > 0).map(r => r.position))
    if (last > 0) this.#options.onWritten(last, unit.id)
    this.#counts.appends++
    resolve(results)
  }

  #requeue(planned: readonly Planned[]): void {
    if (planned.length > 0) this.#counts.retries++
    for (const { waiting } of planned) waiting.attempts += 1
    this.#waiting.unshift(...planned.map(({ waiting }) => waiting))
  }

  /** One unit that the database rejects must not reject the others of its batch. */
  #giveUp(planned: readonly Planned[], error: unknown): void {
    for (const { plan } of planned) plan.forget()
    const isOfOne = error instanceof SignalboxError && error.code === 'E_STORE'
    if (planned.length === 1 || !isOfOne) for (const { waiting } of planned) waiting.reject(error)
    else {
      for (const { waiting } of planned) waiting.isAlone = true
      this.#waiting.unshift(...planned.map(({ waiting }) => waiting))
    }
  }
}

function errorOf(answer: Extract<UnitAnswer, { error: unknown }>, { options }: AppendUnit): SignalboxError {
  switch (answer.error) {
    case 'version': {
      const { stream, expected, actual } = answer
      return new SignalboxError('E_VERSION', `the stream ${stream} is at version ${actual}, not ${expected}`, {
        details: { stream, expected, actual },
      })
    }
    case 'fenced': {
      const { key, epoch } = options.fence!
      return new SignalboxError('E_FENCED', `another process drives ${key} now; nothing was written`, {
        details: { key, epoch, current: answer.epoch, owner: answer.owner },
      })
    }
    case 'late':
      return new SignalboxError('E_PRECONDITION', 'the deadline of the append has passed; nothing was written', {
        details: { notAfter: options.notAfter, now: answer.now },
      })
  }
}
