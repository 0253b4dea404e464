import { describe, expect, test } from 'vitest'
import { transition } from '../machine/index.js'
import { type OneshotEvent, type OneshotGuards, type OneshotState, oneshotTable } from './oneshot-table.js'

const GUARDS: OneshotGuards = { iteration: 1, maxIterations: 5, asksLeft: 1, isOurDoing: false, resumeTo: null }

/** Every pair that moves or acts, under the guards of a first iteration; all others change nothing. */
const MOVES: Record<string, string> = {
  'CREATED start': 'WORKER_EXECUTING',
  'WORKER_EXECUTING worker.ok': 'AUDIT_PENDING',
  'WORKER_EXECUTING worker.silent': 'RECOVERY_PENDING',
  'WORKER_EXECUTING worker.crash': 'RECOVERY_PENDING',
  'WORKER_EXECUTING host.lost': 'RECOVERY_PENDING',
  'RECOVERY_PENDING recovered.success': 'AUDIT_PENDING',
  'RECOVERY_PENDING recovered.partial': 'REITERATION_PENDING',
  'RECOVERY_PENDING recovered.nothing': 'FAILED',
  'AUDIT_PENDING next': 'AUDITOR_EXECUTING',
  'AUDITOR_EXECUTING verdict.done': 'COMPLETED',
  'AUDITOR_EXECUTING verdict.retry': 'REITERATION_PENDING',
  'AUDITOR_EXECUTING verdict.impossible': 'REJECTED',
  'AUDITOR_EXECUTING auditor.crash': 'FAILED',
  'AUDITOR_EXECUTING auditor.silent': 'FAILED',
  'AUDITOR_EXECUTING verdict.none': 'AUDIT_PENDING',
  'AUDITOR_EXECUTING host.lost': 'AUDIT_PENDING',
  'REITERATION_PENDING next': 'WORKER_EXECUTING',
}
for (const state of [
  'CREATED',
  'WORKER_EXECUTING',
  'RECOVERY_PENDING',
  'AUDIT_PENDING',
  'AUDITOR_EXECUTING',
  'REITERATION_PENDING',
])
  for (const event of ['interrupt', 'budget.exceeded']) MOVES[`${state} ${event}`] = 'INTERRUPTED'

const pairs = oneshotTable.states.flatMap(state => oneshotTable.events.map(event => [state, event] as const))

describe('the table of a oneshot', () => {
  test('has 10 states and 18 events', () => {
    expect([oneshotTable.states.length, oneshotTable.events.length]).toEqual([10, 18])
  })

  test.each(pairs)('%s · %s', (state: OneshotState, event: OneshotEvent) => {
    const [next] = transition(oneshotTable, state, event, { context: GUARDS })
    expect(next).toBe(MOVES[`${state} ${event}`] ?? state)
  })

  test('what was ended by us and left nothing starts the same iteration again', () => {
    const context = { ...GUARDS, isOurDoing: true }
    expect(transition(oneshotTable, 'RECOVERY_PENDING', 'recovered.nothing', { context })).toEqual([
      'REITERATION_PENDING',
      ['same-iteration'],
    ])
  })

  test.each([
    [1, 5, 'WORKER_EXECUTING'],
    [4, 5, 'WORKER_EXECUTING'],
    [5, 5, 'FAILED'],
    [1, 1, 'FAILED'],
    [6, 5, 'FAILED'],
  ])('after iteration %i of %i: %s', (iteration, maxIterations, next) => {
    const context = { ...GUARDS, iteration, maxIterations }
    expect(transition(oneshotTable, 'REITERATION_PENDING', 'next', { context })[0]).toBe(next)
  })

  test('an auditor without a verdict is asked again as often as was said, then it failed', () => {
    const none = (asksLeft: number) =>
      transition(oneshotTable, 'AUDITOR_EXECUTING', 'verdict.none', { context: { ...GUARDS, asksLeft } })[0]
    expect([none(2), none(1), none(0)]).toEqual(['AUDIT_PENDING', 'AUDIT_PENDING', 'FAILED'])
  })

  test.each(['CREATED', 'RECOVERY_PENDING', 'AUDIT_PENDING', 'REITERATION_PENDING'] as const)(
    'resumed to %s, from an interruption and from a failure',
    resumeTo => {
      for (const state of ['INTERRUPTED', 'FAILED'] as const)
        expect(transition(oneshotTable, state, 'resume', { context: { ...GUARDS, resumeTo } })[0]).toBe(resumeTo)
      for (const state of ['COMPLETED', 'REJECTED'] as const)
        expect(transition(oneshotTable, state, 'resume', { context: { ...GUARDS, resumeTo } })).toEqual([
          state,
          ['refuse'],
        ])
    },
  )
})
