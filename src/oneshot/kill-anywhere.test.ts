import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { approvalsProjection } from '../approvals/index.js'
import { SimulatedClock } from '../clock/index.js'
import {
  createRun,
  Driver,
  getRun,
  type Performer,
  readRun,
  recordPause,
  recordResume,
  runStream,
  runsProjection,
} from '../engine/index.js'
import { validateEvent } from '../events/index.js'
import type { EventStore } from '../store/index.js'
import { openTestStore } from '../store/testing/open-test-store.js'
import type { AgentStepResult, OneshotInput } from './oneshot-run.js'
import { canResume, oneshotWorkflow } from './oneshot-workflow.js'

let directory: string
let store: EventStore

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-oneshot-'))
  store = await openTestStore({
    path: join(directory, 'store.db'),
    clock: new SimulatedClock(1_000_000),
    projections: [runsProjection, approvalsProjection] as never,
    validate: validateEvent,
    onError: error => {
      throw error
    },
  })
})

afterEach(async () => {
  await store.close()
  rmSync(directory, { recursive: true })
})

const ROLE = { agent: 'demo', permissions: 'edits' as const }
const INPUT: OneshotInput = {
  task: 'count to three',
  worker: ROLE,
  auditor: { ...ROLE, permissions: 'read' },
  maxIterations: 5,
  auditorAsks: 1,
  inactivityMs: 0,
  toolInactivityMs: 0,
  exitGraceMs: 0,
  killGraceMs: 0,
  timeoutMs: 0,
  checks: [],
  isLive: false,
  base: null,
  branch: null,
}

/** A host died: nothing it does afterwards is written. */
class HostDied extends Error {}

/**
 * What agents did, independent of their hosts: a started step continues, and its end can be found.
 */
class Agents implements Performer {
  readonly started: string[] = []
  readonly finished = new Set<string>()
  /** Whether a step whose host died has left its answer behind. */
  leaves: 'success' | 'nothing' = 'nothing'

  async run({ step, input }: { step: string; input: unknown }) {
    this.started.push(step)
    await Promise.resolve()
    this.finished.add(step)
    return { status: 'ok' as const, result: answer(input) }
  }

  async recover({ step }: { step: string }) {
    if (this.leaves === 'success' && this.started.includes(step))
      return { verdict: 'success' as const, evidence: [{ source: 'test', says: 'it was done' }], text: 'found' }
    return { verdict: 'nothing' as const, evidence: [] }
  }
}

/** RETRY twice, then DONE. */
function answer(input: unknown): AgentStepResult {
  const { role, iteration } = input as { role: string; iteration: number }
  if (role === 'worker') return { text: `attempt ${iteration}`, sessionId: null }
  const verdict = iteration < 3 ? ('RETRY' as const) : ('DONE' as const)
  return { text: '', sessionId: null, verdict: { verdict, feedback: `feedback ${iteration}`, findings: [] } }
}

async function create(): Promise<string> {
  const input = { kind: 'oneshot', title: 't', project: '/', cwd: '/', person: 'local', input: INPUT }
  return createRun(store, input, 1_000_000)
}

/** Drives with a store that fails after this many appends of this host. */
async function drive(id: string, agents: Agents, appends = Number.POSITIVE_INFINITY): Promise<'died' | string> {
  let left = appends
  const killable = new Proxy(store, {
    get(target, name) {
      if (name === 'appendAll')
        return async (...args: Parameters<EventStore['appendAll']>) => {
          if (left-- <= 0) throw new HostDied()
          return target.appendAll(...args)
        }
      const value = Reflect.get(target, name) as unknown
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  const lease = await store.acquireLease(runStream(id), `host ${Math.random()}`, { ttlMs: 1_000, isGone: () => true })
  if (!lease.isAcquired) throw new Error('held')
  const driver = new Driver({
    store: killable,
    run: id,
    workflow: oneshotWorkflow,
    performers: { 'oneshot.agent': agents as never },
    lease,
    clock: new SimulatedClock(1_000_000),
    random: () => 0.5,
    park: false,
    onError: () => undefined,
  })
  try {
    const end = await driver.drive()
    return end.state === 'ended' ? end.status : end.state
  } catch (error) {
    if (error instanceof HostDied) return 'died'
    throw error
  }
}

/**
 * Checks the journal of the run: complete, ended once, every step started and ended at most once.
 */
async function check(id: string, agents: Agents): Promise<void> {
  const events = await store.readStream(runStream(id))
  expect(events.map(({ version }) => version)).toEqual(events.map((_, index) => index + 1))
  const of = (type: string) => events.flatMap(event => (event.type === type ? [String(event.data.step)] : []))
  for (const type of ['step.started', 'step.ended', 'step.lost']) expect(new Set(of(type)).size).toBe(of(type).length)
  for (const step of of('step.ended')) expect(of('step.lost')).not.toContain(step)
  expect(new Set(agents.started).size).toBe(agents.started.length)
  expect(events.filter(({ type }) => type === 'run.completed').length).toBe(1)
  const { work } = (await readRun(store, id, oneshotWorkflow)).run
  expect([work.state, work.iteration]).toEqual(['COMPLETED', 3])
  expect(work.feedback.filter(({ from }) => from === 'auditor').map(({ text }) => text)).toEqual([
    'feedback 1',
    'feedback 2',
    'feedback 3',
  ])
}

describe('a oneshot whose host is killed', () => {
  test.each(Array.from({ length: 12 }, (_, appends) => appends))(
    'reaches the same end on another host after %i transactions',
    async appends => {
      for (const leaves of ['nothing', 'success'] as const) {
        const agents = new Agents()
        agents.leaves = leaves
        const id = await create()
        const first = await drive(id, agents, appends)
        if (first === 'died') expect(await drive(id, agents)).toBe('completed')
        else expect(first).toBe('completed')
        await check(id, agents)
      }
    },
  )

  test('reaches the same end if it is killed again and again after a few transactions', async () => {
    for (const leaves of ['nothing', 'success'] as const) {
      const agents = new Agents()
      agents.leaves = leaves
      const id = await create()
      let end = 'died'
      for (let hosts = 0; end === 'died' && hosts < 60; hosts++) end = await drive(id, agents, 4)
      expect(end).toBe('completed')
      await check(id, agents)
    }
  })

  test('a oneshot that is paused at any moment resumes by the rules of its state', async () => {
    for (let appends = 1; appends < 9; appends++) {
      const agents = new Agents()
      const id = await create()
      if ((await drive(id, agents, appends)) !== 'died') continue
      await recordPause(store, id, { by: 'test', reason: 'sigint' })
      const { work } = (await readRun(store, id, oneshotWorkflow)).run
      expect(canResume(work)).toBe(true)
      await recordResume(store, id, { by: 'test' })
      const { state } = (await readRun(store, id, oneshotWorkflow)).run.work
      expect(
        { WORKER_EXECUTING: 'RECOVERY_PENDING', AUDITOR_EXECUTING: 'AUDIT_PENDING' }[work.before as string] ??
          work.before,
      ).toBe(state)
      expect(await drive(id, agents)).toBe('completed')
      expect((await getRun(store, id)).status).toBe('completed')
      await check(id, agents)
    }
  })

  test('the loser of two drivers is fenced and repeats nothing', async () => {
    const agents = new Agents()
    const id = await create()
    const first = drive(id, agents)
    const second = drive(id, agents)
    expect((await Promise.all([first, second])).sort()).toEqual(['completed', 'fenced'])
    const events = await store.readStream(runStream(id))
    const ended = events.flatMap(event => (event.type === 'step.ended' ? [String(event.data.step)] : []))
    expect(new Set(ended).size).toBe(ended.length)
    expect(agents.started.length - ended.length).toBeLessThanOrEqual(1)
  })
})
