import type { Clock } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import { listOpenRuns } from '../control.js'
import type { EngineStatus, RunEngine, TurnResult } from '../run-engine.js'
import { CONCURRENT_REQUESTS_MAX, StoreEngine, type StoreEngineOptions } from '../store-engine.js'
import { askRestate, type RestateAddress } from './restate-client.js'
import { HANDLER, OBJECT } from './turn-endpoint.js'

/** An engine that did not answer is not asked again before this time: turns are taken here. */
const AWAY_MS = 2_000

export interface RestateEngineOptions extends Omit<StoreEngineOptions, 'ask'> {
  ingress: RestateAddress
  admin: RestateAddress
  /**
   * Where the engine reaches a server: the same on every machine, so that each node calls its own.
   */
  endpoint: string
  /** The name of the object that the engine calls, if it is not the only one of its kind there. */
  object?: string
  /** Resolves when the engine answers; false if it never will. */
  ready(): Promise<boolean>
  /** Starts to answer the engine's calls. */
  listen(beginTurn: (run: string) => Promise<number | null>): Promise<void>
  stop(): Promise<void>
}

/**
 * Runs are woken by Restate: a wake-up is a durable message to the object of the run, and a time is
 * a delayed one. The fallback asks Restate for turns that are due, and takes them itself while
 * Restate does not answer, so Restate may be unreachable, may lose its data, and may run twice.
 */
export class RestateEngine implements RunEngine {
  readonly #options: RestateEngineOptions
  readonly #clock: Clock
  readonly #fallback: StoreEngine
  #isReady = false
  #awayUntil = 0

  constructor(options: RestateEngineOptions) {
    this.#options = options
    this.#clock = options.clock
    this.#fallback = new StoreEngine({ ...options, ask: (run, at) => this.#ask(run, at) })
  }

  async start(turn: (run: string) => Promise<TurnResult>): Promise<void> {
    await this.#fallback.start(turn)
    await this.#options.listen(run => this.#beginTurn(run))
    // Until it answers, the fallback does everything.
    void this.#register().catch(this.#options.onError)
  }

  wake(run: string, at?: number): Promise<void> {
    return this.#fallback.wake(run, at)
  }

  /** Has the engine call for every open run again: it may have lost what it knew. */
  async rebuild(run?: string): Promise<number> {
    const runs = run === undefined ? (await listOpenRuns(this.#options.store)).map(({ id }) => id) : [run]
    const waiting = [...runs]
    const askNext = async () => {
      for (let id = waiting.pop(); id !== undefined; id = waiting.pop())
        if (!(await this.#ask(id)))
          throw new SignalboxError('E_ENGINE_AWAY', 'the engine does not answer; the servers take turns by themselves')
    }
    await Promise.all(Array.from({ length: Math.min(CONCURRENT_REQUESTS_MAX, runs.length) }, askNext))
    return runs.length
  }

  async status(): Promise<EngineStatus> {
    return { ...(await this.#fallback.status()), kind: 'restate', isAnswering: this.#isAnswering }
  }

  async close(): Promise<void> {
    try {
      await this.#fallback.close()
    } finally {
      await this.#options.stop()
    }
  }

  get #object(): string {
    return this.#options.object ?? OBJECT
  }

  get #isAnswering(): boolean {
    return this.#isReady && this.#clock.monotonic() >= this.#awayUntil
  }

  /** A run that is gone needs no turn; everything else that fails is tried again by the engine. */
  async #beginTurn(run: string): Promise<number | null> {
    try {
      const at = await this.#fallback.beginTurn(run)
      return at === null ? null : Math.max(0, at - this.#clock.now())
    } catch (error) {
      if (error instanceof SignalboxError && error.code === 'E_UNKNOWN') return null
      throw error
    }
  }

  async #ask(run: string, at?: number): Promise<boolean> {
    if (!this.#isAnswering) return false
    const delay = at === undefined ? '' : `?delay=${Math.max(0, at - this.#clock.now())}ms`
    try {
      const path = `/${this.#object}/${encodeURIComponent(run)}/${HANDLER}/send${delay}`
      const { status } = await askRestate(this.#options.ingress, { method: 'POST', path, body: {} })
      if (status >= 200 && status < 300) return true
      // It came back without its data: what it calls must be registered again.
      if (status === 404) this.#isReady = false
      if (status === 404) void this.#register().catch(this.#options.onError)
    } catch {
      // It is away.
    }
    this.#awayUntil = this.#clock.monotonic() + AWAY_MS
    return false
  }

  async #register(): Promise<void> {
    const { ready, admin, endpoint } = this.#options
    if (!(await ready())) return
    for (let attempt = 0; attempt < 60 && !this.#isReady; attempt++) {
      const body = { uri: endpoint, force: true }
      this.#isReady =
        (await this.#isRegistered()) ||
        (await askRestate(admin, { method: 'POST', path: '/deployments', body, timeoutMs: 10_000 })
          .then(({ status }) => status >= 200 && status < 300)
          .catch(() => false))
      if (!this.#isReady) await new Promise<void>(resolve => this.#clock.setTimer(1_000, resolve))
    }
  }

  /** An engine that outlives its servers may know an address that is no longer in use. */
  async #isRegistered(): Promise<boolean> {
    const { admin, endpoint } = this.#options
    const read = async (path: string) => {
      const answer = await askRestate(admin, { method: 'GET', path }).catch(() => null)
      return answer?.status === 200 ? (JSON.parse(answer.text) as Record<string, unknown>) : null
    }
    const service = await read(`/services/${this.#object}`)
    const deployment = service && (await read(`/deployments/${service.deployment_id}`))
    return typeof deployment?.uri === 'string' && new URL(deployment.uri).href === new URL(endpoint).href
  }
}
