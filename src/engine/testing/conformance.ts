import { afterEach, beforeEach, expect } from 'vitest'
import type { Clock } from '../../clock/index.js'
import { type EventStore, retryConflicts } from '../../store/index.js'
import { createRun, getRun } from '../control.js'
import type { RunEngine } from '../run-engine.js'
import { type OpenEngine, RunHost } from '../run-host.js'
import { describeDeaths } from './conformance-deaths.js'
import { describeRuns } from './conformance-runs.js'
import { describeTurns } from './conformance-turns.js'
import { KillableStore } from './killable-store.js'
import { type ListItem, listRun, listWorkflow } from './list-workflow.js'
import { TestPerformer } from './test-performer.js'

/** One server of a site: how it names itself, and how it opens its engine. */
export interface EngineServer {
  owner: string
  isGone(owner: string): boolean
  open: OpenEngine
  close(): Promise<void>
}

/** A store with servers that use the engine under test. Every test gets a new, empty one. */
export interface EngineSite {
  store: EventStore
  clock: Clock
  /** How long timers of the tests take: not long where the time cannot be moved. */
  timerMs: number
  /** A further server; `store` is its own connection. */
  join(store: EventStore, name: string): Promise<EngineServer>
  /** Moves the time on, unless it passes by itself. */
  passTime(ms: number): void
  close(): Promise<void>
}

/** A server of a test: its store can be killed with it. */
interface TestServer extends EngineServer {
  killable: KillableStore
}

/** A server that drives runs. */
interface TestHost {
  host: RunHost
  server: TestServer
  stop(): Promise<void>
}

/** What the tests work with; everything belongs to the running test. */
export class EngineFixture {
  readonly performer = new TestPerformer()
  readonly site: EngineSite
  readonly #servers: TestServer[] = []
  readonly #closing: (() => Promise<void>)[] = []

  constructor(site: EngineSite) {
    this.site = site
  }

  get store(): EventStore {
    return this.site.store
  }

  now(): number {
    return this.site.clock.now()
  }

  /** A run that any server may take. */
  create(items: ListItem[] = [{ do: 'step', name: 'a' }], more: object = {}): Promise<string> {
    return createRun(this.store, { ...listRun(items), placement: {}, ...more }, this.now())
  }

  status = async (run: string) => (await getRun(this.store, run)).status

  /** Waits for this value while time passes. */
  async until<T>(read: () => T | Promise<T>, expected: T): Promise<void> {
    await expect
      .poll(
        async () => {
          this.site.passTime(250)
          return read()
        },
        { interval: 10 },
      )
      .toEqual(expected)
  }

  ended = (run: string, status = 'completed') => this.until(() => this.status(run), status)

  async join(name = `home_${this.#servers.length}`): Promise<TestServer> {
    const killable = new KillableStore(this.store)
    const server = await this.site.join(killable.store, name)
    const joined = { ...server, killable }
    this.#servers.push(joined)
    return joined
  }

  /** The engine of a further server, whose turns the test takes. */
  async engine(): Promise<RunEngine> {
    const { owner, isGone, open, killable } = await this.join()
    const { clock } = this.site
    const port = { store: killable.store, clock, owner, isGone, onError: () => undefined }
    const engine = open({ ...port, hasRoom: () => true, isWanted: () => true })
    this.#closing.push(() => engine.close())
    return engine
  }

  /** A further server that drives runs. */
  async host(performer: TestPerformer = this.performer, name?: string): Promise<TestHost> {
    const server = await this.join(name)
    const host = new RunHost({
      store: server.killable.store,
      clock: this.site.clock,
      owner: server.owner,
      isGone: owner => server.isGone(owner),
      workflows: [listWorkflow] as never,
      performers: { work: performer },
      maxRuns: 100,
      engine: server.open,
      onError: () => undefined,
    })
    const stop = async () => {
      // One that was killed cannot write that it ends.
      await host.close().catch(() => undefined)
      await server.close().catch(() => undefined)
    }
    this.#closing.push(stop)
    await host.start()
    return { host, server, stop }
  }

  /** Answers the gate of a run as soon as it is open. */
  async answer(run: string, gate: string): Promise<void> {
    await this.until(async () => gate in (await getRun(this.store, run)).gates, true)
    await retryConflicts(async () => {
      const approval = (await getRun(this.store, run)).gates[gate]!
      const data = { gate, approval, option: 'yes', by: 'ada' }
      await this.store.append(`run/${run}`, 'any', [{ type: 'gate.answered', data }])
    })
  }

  /** Stops the servers. */
  async stop(): Promise<void> {
    for (const close of this.#closing) await close()
    for (const { close } of this.#servers) await close().catch(() => undefined)
  }

  async close(): Promise<void> {
    await this.stop()
    await this.site.close()
  }
}

/**
 * The contract of every engine, as a test suite: it calls, and may call twice or late; it never
 * forgets. Every run reaches its end, and no step is done twice.
 */
export function describeRunEngine(open: () => Promise<EngineSite>): void {
  let current: EngineFixture
  beforeEach(async () => {
    current = new EngineFixture(await open())
  })
  afterEach(() => current.close())
  const fixture = () => current
  describeTurns(fixture)
  describeRuns(fixture)
  describeDeaths(fixture)
}
