import { describe, expect, test } from 'vitest'
import { everyPair } from '../machine/index.js'
import type { StoredEvent } from '../store/index.js'
import { type OneshotEvent, type OneshotState, oneshotTable } from './oneshot-table.js'
import { canResume, currentStep, type OneshotWork, oneshotWorkflow } from './oneshot-workflow.js'

/*
 * Every row of the oneshot table as the workflow takes it: the engine's events bring a run into the
 * state of the row, with guards that hold, and then cause the event of the row. The rows come from
 * the table, so that a row without a way to it fails here.
 */

interface Options {
  maxIterations: number
  auditorAsks: number
}

class Run {
  work: OneshotWork
  #at = 0

  constructor({ maxIterations = 5, auditorAsks = 1 }: Partial<Options> = {}) {
    const role = { agent: 'demo', permissions: 'edits' }
    const limits = { inactivityMs: 1, toolInactivityMs: 1, exitGraceMs: 1, killGraceMs: 1, timeoutMs: 0 }
    const input = { task: 'x', worker: role, auditor: role, checks: [], isLive: false, base: null, branch: null }
    this.work = oneshotWorkflow.begin(
      { kind: 'oneshot', cwd: '/', input: { ...input, ...limits, maxIterations, auditorAsks } } as never,
      { id: 'run_1', at: 0 },
    )
  }

  tell(type: string, data: object): this {
    this.work = oneshotWorkflow.evolve(this.work, { type, data, at: ++this.#at } as unknown as StoredEvent)
    return this
  }

  /** Does what the workflow asks for: starts its step, or ends the run. */
  proceed(): this {
    const [command] = oneshotWorkflow.decide(this.work, {} as never)
    if (command?.do === 'step') return this.tell('step.started', command)
    if (command?.do === 'end') return this.tell(`run.${command.status}`, command)
    throw new Error(`the workflow wants ${JSON.stringify(command)}`)
  }

  end(status: string, result: object = {}): this {
    return this.tell('step.ended', { step: currentStep(this.work), status, result, reason: 'exit' })
  }

  judge(verdict: string): this {
    return this.end('ok', { verdict: { verdict, feedback: 'why', findings: [] } })
  }

  recover(verdict: string): this {
    return this.tell('step.recovered', { step: currentStep(this.work), verdict, evidence: [] })
  }

  lose(): this {
    return this.tell('step.lost', { step: currentStep(this.work) })
  }

  pause(reason: string): this {
    return this.tell('run.paused', { reason })
  }

  resume(changes: object = {}): this {
    return this.tell('run.resumed', { by: 'ada', changes })
  }
}

const DO: Record<OneshotEvent, (run: Run) => Run> = {
  start: run => run.proceed(),
  next: run => run.proceed(),
  'worker.ok': run => run.end('ok', { text: 'done' }),
  'worker.silent': run => run.end('silent'),
  'worker.crash': run => run.end('failed'),
  'host.lost': run => run.lose(),
  'not-spawned': run => run.end('failed', { class: 'spawn' }),
  'recovered.success': run => run.recover('success'),
  'recovered.partial': run => run.recover('partial'),
  'recovered.nothing': run => run.recover('nothing'),
  'verdict.done': run => run.judge('DONE'),
  'verdict.retry': run => run.judge('RETRY'),
  'verdict.impossible': run => run.judge('IMPOSSIBLE'),
  'verdict.none': run => run.end('ok'),
  'auditor.crash': run => run.end('failed'),
  'auditor.silent': run => run.end('silent'),
  interrupt: run => run.pause('sigint'),
  'budget.exceeded': run => run.pause('budget'),
  resume: run => run.resume(),
}

type Guards = ReadonlySet<string>
const worker = (guards: Guards) => {
  const run = new Run({
    maxIterations: guards.has('is-last') ? 1 : 5,
    auditorAsks: guards.has('no-ask-left') ? 0 : 1,
  }).proceed()
  return guards.has('is-later') ? run.end('ok').proceed().judge('RETRY').proceed() : run
}
const auditor = (guards: Guards) => worker(guards).end('ok').proceed()

/** A run in this state in which these guards hold. */
const BRING: Record<OneshotState, (guards: Guards) => Run> = {
  CREATED: () => new Run(),
  WORKER_EXECUTING: worker,
  RECOVERY_PENDING: guards => (guards.has('our-doing') ? worker(guards).lose() : worker(guards).end('failed')),
  AUDIT_PENDING: guards => worker(guards).end('ok'),
  AUDITOR_EXECUTING: auditor,
  REITERATION_PENDING: guards => auditor(guards).judge('RETRY'),
  INTERRUPTED: guards => {
    if (guards.has('from-recovery')) return worker(guards).pause('sigint')
    if (guards.has('from-audit')) return auditor(guards).pause('sigint')
    if (guards.has('from-reiteration')) return auditor(guards).judge('RETRY').pause('sigint')
    return new Run().pause('sigint')
  },
  FAILED: guards =>
    guards.has('from-audit') ? auditor(guards).end('failed') : worker(guards).end('failed').recover('nothing'),
  COMPLETED: guards => auditor(guards).judge('DONE'),
  REJECTED: guards => auditor(guards).judge('IMPOSSIBLE'),
}

const crash = (run: Run) => run.proceed().end('failed')
const lost = (run: Run) => run.proceed().lose()
const audit = (run: Run) => run.proceed().end('ok').proceed()

const rows = [...everyPair(oneshotTable)].flatMap(pair => pair.rows)

describe('a oneshot follows its table', () => {
  test.each(rows)('for $state, $event $guards: $next', ({ state, event, guards, next, actions }) => {
    const run = BRING[state](new Set(guards))
    expect(run.work.state).toBe(state)
    const { iteration, asksLeft } = run.work
    DO[event](run)
    expect(run.work.state).toBe(next)
    const counted = actions.includes('count-iteration') ? 1 : actions.includes('uncount-iteration') ? -1 : 0
    expect(run.work.iteration).toBe(iteration + counted)
    if (actions.includes('use-ask')) expect(run.work.asksLeft).toBe(asksLeft - 1)
    if (actions.includes('blame-limit')) expect(run.work.cause).toBe('max_iterations')
  })

  // A run that has ended does not start a step.
  const late = oneshotTable.events.filter(event => event !== 'start' && event !== 'next')
  test.each(late)('a run that was accepted or rejected keeps its state: %s', event => {
    for (const state of ['COMPLETED', 'REJECTED'] as const) {
      const run = BRING[state](new Set())
      const before = structuredClone(run.work)
      DO[event](run)
      expect(run.work.state).toBe(state)
      expect(run.work.history).toEqual(before.history)
      expect(canResume(run.work)).toBe(false)
    }
  })
})

/* What people were promised, in words of their own: the table may not change it unnoticed. */
test.each<[string, string, OneshotState, (run: Run) => Run]>([
  ['a worker that says nothing', 'is examined', 'RECOVERY_PENDING', run => run.proceed().end('silent')],
  ['a first worker that does not start', 'is started again', 'CREATED', run => DO['not-spawned'](run.proceed())],
  ['a crash after part of the work', 'is continued', 'REITERATION_PENDING', run => crash(run).recover('partial')],
  ['a crash before any work', 'ends the run', 'FAILED', run => crash(run).recover('nothing')],
  ['a lost worker with part of the work', 'is continued', 'REITERATION_PENDING', run => lost(run).recover('partial')],
  ['a lost worker without work', 'is continued', 'REITERATION_PENDING', run => lost(run).recover('nothing')],
  ['an auditor that crashes', 'ends the run', 'FAILED', run => audit(run).end('failed')],
  ['an auditor that says nothing', 'ends the run', 'FAILED', run => audit(run).end('silent')],
  ['an auditor without a verdict', 'is asked again', 'AUDIT_PENDING', run => audit(run).end('ok')],
  ['an auditor without a verdict, twice', 'ends the run', 'FAILED', run => audit(run).end('ok').proceed().end('ok')],
  ['an auditor that does not start', 'is started again', 'AUDIT_PENDING', run => DO['not-spawned'](audit(run))],
  ['a run that was stopped before its first worker', 'starts', 'CREATED', run => run.pause('sigint').resume()],
  ['a worker over the budget', 'is interrupted', 'INTERRUPTED', run => run.proceed().pause('budget')],
  ['a stop while a crash is examined', 'interrupts the run', 'INTERRUPTED', run => crash(run).pause('sigint')],
  [
    'the resumption of a stopped examination',
    'examines the crash again',
    'RECOVERY_PENDING',
    run => crash(run).pause('sigint').resume(),
  ],
  ['a stop before an audit', 'interrupts the run', 'INTERRUPTED', run => run.proceed().end('ok').pause('sigint')],
  [
    'the resumption before an audit',
    'audits',
    'AUDIT_PENDING',
    run => run.proceed().end('ok').pause('sigint').resume(),
  ],
  ['an auditor that crashed', 'is resumed', 'AUDIT_PENDING', run => audit(run).end('failed').resume()],
])('%s %s', (_what, _then, state, bring) => {
  expect(bring(new Run()).work.state).toBe(state)
})

test('a run without iterations left fails once, and resumes only with a higher limit', () => {
  const run = BRING.REITERATION_PENDING(new Set(['is-last']))
  expect(oneshotWorkflow.decide(run.work, {} as never)).toEqual([
    expect.objectContaining({ do: 'end', status: 'failed', reason: 'max_iterations' }),
  ])
  run.proceed()
  expect([run.work.state, canResume(run.work)]).toEqual(['FAILED', false])
  run.resume()
  expect(run.work.state).toBe('FAILED')
  run.resume({ maxIterations: 2 })
  expect(run.work.state).toBe('REITERATION_PENDING')
  expect(run.proceed().work).toMatchObject({ state: 'WORKER_EXECUTING', iteration: 2 })
})

test('a run whose agent is missing pauses, and resumes with the same iteration', () => {
  const run = DO['not-spawned'](BRING.WORKER_EXECUTING(new Set(['is-later'])))
  expect(oneshotWorkflow.decide(run.work, {} as never)).toMatchObject([
    { do: 'emit', events: [{ type: 'run.paused', data: { reason: 'agent_missing: exit' } }] },
  ])
  run.pause('agent_missing: exit').resume().proceed()
  expect(run.work).toMatchObject({ state: 'WORKER_EXECUTING', iteration: 2, missing: null })
})

test('the result of a step for which the run no longer waits changes nothing', () => {
  const run = BRING.AUDITOR_EXECUTING(new Set())
  run.tell('step.ended', { step: 'worker@1#1', status: 'failed', result: {} })
  expect(run.work.state).toBe('AUDITOR_EXECUTING')
})
