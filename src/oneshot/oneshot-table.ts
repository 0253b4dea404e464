import { type ActionOf, defineMachine, type EventOf, type StateOf } from '../machine/index.js'

export interface OneshotGuards {
  iteration: number
  maxIterations: number
  /** How often an auditor that gave no verdict may be asked again. */
  asksLeft: number
  /** Signalbox ended the step: an interrupt, a budget, a host that stopped. */
  isEndedBySignalbox: boolean
  /** Where a resumed run continues. */
  resumeTo: OneshotResume | null
}

export type OneshotResume = 'CREATED' | 'RECOVERY_PENDING' | 'AUDIT_PENDING' | 'REITERATION_PENDING'

/** `iteration` counts the starts of the worker. */
export const oneshotTable = defineMachine({
  name: 'oneshot',
  about:
    'The loop of worker and auditor in `signalbox oneshot`. A process runs in `WORKER_EXECUTING` and `AUDITOR_EXECUTING`; from `RECOVERY_PENDING`, `AUDIT_PENDING` and `REITERATION_PENDING` the run can always continue, even on another host. An event without a row changes nothing, so that `COMPLETED` and `REJECTED` are final.',
  states: [
    'CREATED',
    'WORKER_EXECUTING',
    'RECOVERY_PENDING',
    'AUDIT_PENDING',
    'AUDITOR_EXECUTING',
    'REITERATION_PENDING',
    'INTERRUPTED',
    'COMPLETED',
    'FAILED',
    'REJECTED',
  ],
  events: [
    'start',
    'next',
    'worker.ok',
    'worker.silent',
    'worker.crash',
    'host.lost',
    'not-spawned',
    'recovered.success',
    'recovered.partial',
    'recovered.nothing',
    'verdict.done',
    'verdict.retry',
    'verdict.impossible',
    'verdict.none',
    'auditor.crash',
    'auditor.silent',
    'interrupt',
    'budget.exceeded',
    'resume',
  ],
  initial: 'CREATED',
  actions: {
    'count-iteration': 'Count the iteration, forget the last result, and allow the auditor all its asks again.',
    'uncount-iteration': 'Take the iteration back, because its worker did nothing or was interrupted.',
    'use-ask': 'Count that the auditor is asked again.',
    'blame-limit': 'Record the iteration limit as the cause of the failure.',
  },
  guards: {
    'may-iterate': {
      about: 'An iteration is left.',
      holds: ({ iteration, maxIterations }: OneshotGuards) => iteration < maxIterations,
    },
    'is-last': {
      about: 'All iterations are used up.',
      holds: ({ iteration, maxIterations }: OneshotGuards) => iteration >= maxIterations,
    },
    'is-first': { about: 'This is the first iteration.', holds: ({ iteration }: OneshotGuards) => iteration <= 1 },
    'is-later': {
      about: 'This is not the first iteration.',
      holds: ({ iteration }: OneshotGuards) => iteration > 1,
    },
    'may-ask': {
      about: 'The auditor may be asked again.',
      holds: ({ asksLeft }: OneshotGuards) => asksLeft > 0,
    },
    'no-ask-left': {
      about: 'The auditor may not be asked again.',
      holds: ({ asksLeft }: OneshotGuards) => asksLeft <= 0,
    },
    'our-doing': {
      about: 'Signalbox ended the step: an interrupt, a budget, a host that stopped.',
      holds: ({ isEndedBySignalbox }: OneshotGuards) => isEndedBySignalbox,
    },
    'not-our-doing': {
      about: 'The step ended by itself.',
      holds: ({ isEndedBySignalbox }: OneshotGuards) => !isEndedBySignalbox,
    },
    'from-created': {
      about: 'The run had not started its first worker.',
      holds: ({ resumeTo }: OneshotGuards) => resumeTo === 'CREATED',
    },
    'from-recovery': {
      about: 'The worker was interrupted, or its result was being recovered.',
      holds: ({ resumeTo }: OneshotGuards) => resumeTo === 'RECOVERY_PENDING',
    },
    'from-audit': {
      about: 'The auditor was interrupted or failed, or was about to start.',
      holds: ({ resumeTo }: OneshotGuards) => resumeTo === 'AUDIT_PENDING',
    },
    'from-reiteration': {
      about: 'The next worker was about to start, or the last one failed.',
      holds: ({ resumeTo }: OneshotGuards) => resumeTo === 'REITERATION_PENDING',
    },
  },
  rows: [
    ['CREATED', 'start', 'WORKER_EXECUTING', ['count-iteration']],
    ['WORKER_EXECUTING', 'worker.ok', 'AUDIT_PENDING'],
    ['WORKER_EXECUTING', 'worker.silent', 'RECOVERY_PENDING'],
    ['WORKER_EXECUTING', 'worker.crash', 'RECOVERY_PENDING'],
    // The engine takes over a step whose terminal session is still there: then this event does not
    // happen.
    ['WORKER_EXECUTING', 'host.lost', 'RECOVERY_PENDING'],
    ['WORKER_EXECUTING', 'not-spawned', 'CREATED', ['uncount-iteration'], 'is-first'],
    ['WORKER_EXECUTING', 'not-spawned', 'REITERATION_PENDING', ['uncount-iteration'], 'is-later'],
    ['RECOVERY_PENDING', 'recovered.success', 'AUDIT_PENDING'],
    ['RECOVERY_PENDING', 'recovered.partial', 'REITERATION_PENDING', [], 'not-our-doing'],
    // The worker continues its iteration, also in the last one.
    ['RECOVERY_PENDING', 'recovered.partial', 'REITERATION_PENDING', ['uncount-iteration'], 'our-doing'],
    ['RECOVERY_PENDING', 'recovered.nothing', 'FAILED', [], 'not-our-doing'],
    ['RECOVERY_PENDING', 'recovered.nothing', 'REITERATION_PENDING', ['uncount-iteration'], 'our-doing'],
    ['AUDIT_PENDING', 'next', 'AUDITOR_EXECUTING'],
    ['AUDITOR_EXECUTING', 'verdict.done', 'COMPLETED'],
    ['AUDITOR_EXECUTING', 'verdict.retry', 'REITERATION_PENDING'],
    ['AUDITOR_EXECUTING', 'verdict.impossible', 'REJECTED'],
    ['AUDITOR_EXECUTING', 'auditor.crash', 'FAILED'],
    ['AUDITOR_EXECUTING', 'auditor.silent', 'FAILED'],
    ['AUDITOR_EXECUTING', 'verdict.none', 'AUDIT_PENDING', ['use-ask'], 'may-ask'],
    ['AUDITOR_EXECUTING', 'verdict.none', 'FAILED', [], 'no-ask-left'],
    ['AUDITOR_EXECUTING', ['host.lost', 'not-spawned'], 'AUDIT_PENDING'],
    ['REITERATION_PENDING', 'next', 'WORKER_EXECUTING', ['count-iteration'], 'may-iterate'],
    ['REITERATION_PENDING', 'next', 'FAILED', ['blame-limit'], 'is-last'],
    [
      ['CREATED', 'WORKER_EXECUTING', 'RECOVERY_PENDING', 'AUDIT_PENDING', 'AUDITOR_EXECUTING', 'REITERATION_PENDING'],
      ['interrupt', 'budget.exceeded'],
      'INTERRUPTED',
    ],
    ['INTERRUPTED', 'resume', 'CREATED', [], 'from-created'],
    ['INTERRUPTED', 'resume', 'RECOVERY_PENDING', [], 'from-recovery'],
    [['INTERRUPTED', 'FAILED'], 'resume', 'AUDIT_PENDING', [], 'from-audit'],
    ['INTERRUPTED', 'resume', 'REITERATION_PENDING', [], 'from-reiteration'],
    ['FAILED', 'resume', 'REITERATION_PENDING', [], ['from-reiteration', 'may-iterate']],
  ],
})

export type OneshotState = StateOf<typeof oneshotTable>
export type OneshotEvent = EventOf<typeof oneshotTable>
export type OneshotAction = ActionOf<typeof oneshotTable>
