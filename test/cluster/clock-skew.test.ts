import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LEDGER_STREAMS, type Ledger, ledgerProjections } from '../../src/approvals/index.js'
import { decisionOf, reportedOf } from '../../src/approvals/testing/fixtures.js'
import { type Clock, systemClock } from '../../src/clock/index.js'
import { plainInput } from '../../src/engine/graph/graph-run.js'
import { createRun, type RunHost, runsProjection } from '../../src/engine/index.js'
import { newEvent, validateEvent } from '../../src/events/index.js'
import { openLedger } from '../../src/host/index.js'
import { createRunHost } from '../../src/runs/index.js'
import { type EventStore, openStore } from '../../src/store/index.js'
import { newTestDatabase, type TestDatabase } from '../../src/store/testing/postgres-server.js'
import { waitFor } from '../e2e/harness.js'
import { describeNeeding } from '../support/requirements.js'

const MINUTE = 60_000

interface Server {
  store: EventStore
  ledger: Ledger
  runs: RunHost
}

describeNeeding('postgres', 'servers whose clocks differ by four minutes', () => {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-skew-'))
  const errors: unknown[] = []
  let database: TestDatabase
  let fast: Server
  let slow: Server

  beforeAll(async () => {
    database = await newTestDatabase()
    fast = await open('fast', 2 * MINUTE)
    slow = await open('slow', -2 * MINUTE)
  })
  afterAll(async () => {
    for (const { runs, store } of [fast, slow]) {
      await runs.close()
      await store.close()
    }
    await database.drop()
    rmSync(directory, { recursive: true, force: true })
    expect(errors).toEqual([])
  })

  async function open(name: string, aheadMs: number): Promise<Server> {
    const clock: Clock = { ...systemClock, now: () => systemClock.now() + aheadMs }
    const store = await openStore({
      url: database.url,
      password: database.password,
      clock,
      projections: [...ledgerProjections, runsProjection] as never,
      chained: LEDGER_STREAMS,
      validate: validateEvent,
    })
    const ledger = openLedger({ store, settings: {} })
    const options = { store, ledger, clock, dataDirectory: join(directory, name), envPass: [], env: process.env }
    const onError = (error: unknown) => errors.push(error)
    return { store, ledger, runs: createRunHost({ ...options, isInteractive: true, maxRuns: 2, onError }) }
  }

  test('write events with the time of the store', async () => {
    const before = await fast.store.now()
    for (const { store } of [fast, slow, fast, slow])
      await store.append('host', 'any', [newEvent('host.started', { pid: 1, version: '0' })])
    const times = (await slow.store.readStream('host')).map(({ at }) => at)
    // A reading of the store's clock is as exact as its round trip was short.
    expect(Math.min(...times)).toBeGreaterThan(before - MINUTE / 4)
    expect(Math.max(...times)).toBeLessThan((await slow.store.now()) + MINUTE / 4)
  })

  test('agree on when a grant ends', async () => {
    const granted = async ({ ledger }: Server, key: string, forMs: number) => {
      const record = await ledger.request(reportedOf({ requestKey: key, tool: 'Bash', input: { command: key } }))
      const grant = { scope: 'session' as const, forMs }
      return ledger.decide(record.id, decisionOf(record, { option: 'allow', idempotencyKey: key, grant }))
    }
    await granted(slow, 'one', MINUTE)
    await fast.ledger.grants.endOutdated()
    expect(await fast.ledger.grants.list()).toHaveLength(1)
    await granted(fast, 'two', 50)
    await waitFor('the end of the second grant', async () => (await slow.ledger.grants.list()).length === 1)
  })

  test('apply the default of a gate when its timeout has passed, and not earlier', async () => {
    const dot = `digraph g { start [shape=Mdiamond]; exit [shape=Msquare]
      ask [shape=hexagon, label="Go on?", "human.timeout"="3s", "human.default_choice"="exit"]
      start -> ask; ask -> exit [label="[Y] Yes"] }`
    const about = { kind: 'graph', title: 'a gate', project: directory, cwd: directory, person: 'ada' }
    const created = { ...about, input: plainInput(dot, directory) }
    const id = await createRun(slow.store, created, slow.store.clock.now())
    const events = async () => (await fast.store.readStream(`run/${id}`)).map(({ type, at }) => ({ type, at }))
    const find = async (type: string) => (await events()).find(event => event.type === type)
    await slow.runs.start()
    const opened = await waitFor('the gate', () => find('gate.opened'))
    await slow.runs.close()
    await fast.runs.start()
    const ended = await waitFor('the end of the run', () => find('run.completed'))
    expect(ended.at - opened.at).toBeGreaterThanOrEqual(2_900)
    expect(ended.at - opened.at).toBeLessThan(MINUTE)
  })
})
