import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Ledger } from '../approvals/index.js'
import { SimulatedClock } from '../clock/index.js'
import { runsProjection } from '../engine/index.js'
import type { KeptSession } from '../keeper/index.js'
import { type SessionPort, sessionsProjection } from '../sessions/index.js'
import type { EventStore } from '../store/index.js'
import { openTestStore } from '../store/testing/open-test-store.js'
import { LiveBus } from './live-bus.js'
import type { PreparedSession, StartRequest } from './prepare-session.js'
import { SessionBudgets } from './session-budgets.js'
import { SessionRecords } from './session-records.js'
import type { AgentStatsView } from './session-stats.js'
import type { BudgetSettings } from './settings.js'

const TODAY = '2026-03-02'
let directory: string
let store: EventStore
let records: SessionRecords
let budgets: SessionBudgets
let limits: BudgetSettings
let clock: SimulatedClock
const bus = new LiveBus(error => {
  throw error
})
/** What each session has used so far, in USD. */
const spent = new Map<string, number | null>()
const interrupted: string[] = []
const released: string[] = []
/** What the agent of a session does. */
let session: Partial<SessionPort> = {}

beforeEach(async () => {
  clock = new SimulatedClock(Date.parse(`${TODAY}T12:00:00Z`))
  directory = mkdtempSync(join(tmpdir(), 'signalbox-budgets-'))
  const projections = [sessionsProjection, runsProjection] as never
  store = await openTestStore({ path: join(directory, 'store.db'), clock, projections })
  records = new SessionRecords(store, new Ledger(store, { clock }), { owner: 'daemon', worker: 'home_a' })
  limits = { session: { usd: null, tokens: null }, dayUsd: null }
  session = { isIdle: false, approval: null }
  for (const list of [interrupted, released]) list.length = 0
  spent.clear()
  budgets = await open()
})
afterEach(async () => {
  budgets.close()
  await store.close()
  rmSync(directory, { recursive: true, force: true })
})

async function open(): Promise<SessionBudgets> {
  const opened = new SessionBudgets({
    store,
    records,
    bus,
    clock,
    limits: () => limits,
    statsOf: id => (spent.has(id) ? statsOf(id) : null),
    live: id =>
      ({
        ...session,
        interrupt: async () => interrupted.push(id) && { result: 'interrupted' },
      }) as unknown as SessionPort,
    release: id => released.push(id),
    onError: error => {
      throw error
    },
  })
  await opened.start()
  return opened
}

function statsOf(id: string): AgentStatsView {
  const used = { input: 900, output: 100, costUsd: spent.get(id) ?? null }
  return { model: 'm', context: null, contextLeftPercent: null, spent: used, days: { [TODAY]: used }, subAgents: [] }
}

async function start(id: string): Promise<void> {
  const kept = { id, pid: 1, cols: 80, rows: 24, recording: `${id}.cast`, startedAt: 1 } as KeptSession
  const spawn = { cwd: '/p', env: {} }
  const prepared = { agentName: 'demo', agentArgs: [], agentSessionId: null, spawn } as unknown as PreparedSession
  await records.start({ person: 'ada' } as StartRequest, prepared, kept)
}

/** The agent reports that it has used this much. */
async function uses(id: string, usd: number | null): Promise<void> {
  spent.set(id, usd)
  bus.emit({ type: 'session.stats', session: id, stats: statsOf(id) })
  await budgets.check(id)
}

const eventsOf = async (id: string) => (await store.readStream(`session/${id}`)).map(({ type }) => type)

test('a session at its budget is paused and interrupted once, until the budget is raised', async () => {
  await start('ses_a')
  await budgets.set('ses_a', { usd: 2, tokens: null }, 'ada')
  await uses('ses_a', 1.5)
  expect(budgets.pauseOf('ses_a')).toBeNull()
  await uses('ses_a', 2.25)
  await uses('ses_a', 2.5)
  expect(budgets.pauseOf('ses_a')).toContain('The session has used its budget of $2.00 ($2.25 so far).')
  expect(interrupted).toEqual(['ses_a'])
  expect((await records.get('ses_a')).paused).toMatchObject({ limit: 'session-usd', of: 2, used: 2.25 })
  expect((await eventsOf('ses_a')).filter(type => type === 'session.noticed')).toHaveLength(1)
  await budgets.set('ses_a', { usd: 4, tokens: null }, 'ada')
  expect(budgets.pauseOf('ses_a')).toBeNull()
  expect((await records.get('ses_a')).paused).toBeUndefined()
  expect(released).toEqual(['ses_a'])
})

test('an agent that asks is not interrupted, because it uses nothing', async () => {
  session = { isIdle: false, approval: {} as NonNullable<SessionPort['approval']> }
  await start('ses_a')
  await budgets.set('ses_a', { usd: null, tokens: 1_000 }, 'ada')
  await uses('ses_a', 0)
  expect(budgets.pauseOf('ses_a')).toContain('1,000 tokens')
  expect(interrupted).toEqual([])
})

test('the budget of a day counts all sessions, and a changed setting applies at once', async () => {
  limits = { session: { usd: null, tokens: null }, dayUsd: 3 }
  budgets.reload()
  await start('ses_a')
  await start('ses_b')
  await uses('ses_a', 2)
  await uses('ses_b', 1)
  expect(budgets.pauseOf('ses_b')).toContain('Today’s budget of $3.00 is used up')
  expect(await budgets.today()).toEqual({
    costUsd: 3,
    tokens: 2_000,
    runs: 0,
    sessions: 2,
    unpriced: { sessions: 0, runs: 0 },
  })
  limits = { ...limits, dayUsd: 10 }
  budgets.reload()
  await budgets.check('ses_b')
  expect(budgets.pauseOf('ses_b')).toBeNull()
})

test('a session without a known price is counted beside the cost of the day, which is the least then', async () => {
  limits = { session: { usd: null, tokens: null }, dayUsd: 3 }
  budgets.reload()
  await start('ses_a')
  await start('ses_b')
  await uses('ses_a', null)
  await uses('ses_b', 3)
  expect(await budgets.today()).toMatchObject({ costUsd: 3, unpriced: { sessions: 1, runs: 0 } })
  expect(budgets.pauseOf('ses_b')).toContain('is used up (at least $3.00 so far)')
})

test('the next host finds the paused sessions, and the log has their usage', async () => {
  limits = { session: { usd: 1, tokens: null }, dayUsd: null }
  budgets.reload()
  await start('ses_a')
  await uses('ses_a', 1)
  budgets.close()
  budgets = await open()
  spent.clear()
  expect(budgets.pauseOf('ses_a')).not.toBeNull()
  expect((await budgets.today()).costUsd).toBe(1)
})
