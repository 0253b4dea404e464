import { type ActionOf, defineMachine, type EventOf, type StateOf } from '../machine/index.js'

/** What the table's guards ask. */
export interface OneshotGuards {
  iteration: number
  maxIterations: number
  /** How often an auditor without a verdict may still be asked again. */
  asksLeft: number
  /** The step was ended by us: an interrupt, a budget, a host that went away. */
  isOurDoing: boolean
  /** Where a resumed run goes on. */
  resumeTo: OneshotResume | null
}

export type OneshotResume = 'CREATED' | 'RECOVERY_PENDING' | 'AUDIT_PENDING' | 'REITERATION_PENDING'

/**
 * The worker ↔ auditor loop: two hot states in which a process lives, three checkpoints from which it can always go on, and five that begin,
 * hold or end it. `iteration` counts worker starts.
 */
export const oneshotTable = defineMachine({
  name: 'oneshot',
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
  actions: [
    'first-iteration',
    'next-iteration',
    'same-iteration',
    'start-worker',
    'start-auditor',
    'kill-tree',
    'keep-result',
    'keep-feedback',
    'keep-complaint',
    'replay',
    'use-ask',
    'fail-max-iterations',
    'refuse',
  ],
  guards: {
    'may-iterate': ({ iteration, maxIterations }: OneshotGuards) => iteration < maxIterations,
    'is-last': ({ iteration, maxIterations }: OneshotGuards) => iteration >= maxIterations,
    'may-ask': ({ asksLeft }: OneshotGuards) => asksLeft > 0,
    'no-ask-left': ({ asksLeft }: OneshotGuards) => asksLeft <= 0,
    'our-doing': ({ isOurDoing }: OneshotGuards) => isOurDoing,
    'not-our-doing': ({ isOurDoing }: OneshotGuards) => !isOurDoing,
    'from-created': ({ resumeTo }: OneshotGuards) => resumeTo === 'CREATED',
    'from-recovery': ({ resumeTo }: OneshotGuards) => resumeTo === 'RECOVERY_PENDING',
    'from-audit': ({ resumeTo }: OneshotGuards) => resumeTo === 'AUDIT_PENDING',
    'from-reiteration': ({ resumeTo }: OneshotGuards) => resumeTo === 'REITERATION_PENDING',
  },
  rows: [
    ['CREATED', 'start', 'WORKER_EXECUTING', ['first-iteration', 'start-worker']],
    ['WORKER_EXECUTING', 'worker.ok', 'AUDIT_PENDING', ['keep-result']],
    ['WORKER_EXECUTING', 'worker.silent', 'RECOVERY_PENDING', ['kill-tree']],
    ['WORKER_EXECUTING', 'worker.crash', 'RECOVERY_PENDING'],
    // A live step whose session is still kept is adopted by the engine and never comes here.
    ['WORKER_EXECUTING', 'host.lost', 'RECOVERY_PENDING', ['kill-tree']],
    ['RECOVERY_PENDING', 'recovered.success', 'AUDIT_PENDING', ['replay', 'keep-result']],
    ['RECOVERY_PENDING', 'recovered.partial', 'REITERATION_PENDING', ['replay', 'keep-feedback']],
    ['RECOVERY_PENDING', 'recovered.nothing', 'FAILED', [], 'not-our-doing'],
    ['RECOVERY_PENDING', 'recovered.nothing', 'REITERATION_PENDING', ['same-iteration'], 'our-doing'],
    ['AUDIT_PENDING', 'next', 'AUDITOR_EXECUTING', ['start-auditor']],
    ['AUDITOR_EXECUTING', 'verdict.done', 'COMPLETED'],
    ['AUDITOR_EXECUTING', 'verdict.retry', 'REITERATION_PENDING', ['keep-feedback']],
    ['AUDITOR_EXECUTING', 'verdict.impossible', 'REJECTED'],
    ['AUDITOR_EXECUTING', 'auditor.crash', 'FAILED'],
    ['AUDITOR_EXECUTING', 'auditor.silent', 'FAILED', ['kill-tree']],
    ['AUDITOR_EXECUTING', 'verdict.none', 'AUDIT_PENDING', ['use-ask', 'keep-complaint'], 'may-ask'],
    ['AUDITOR_EXECUTING', 'verdict.none', 'FAILED', [], 'no-ask-left'],
    ['AUDITOR_EXECUTING', 'host.lost', 'AUDIT_PENDING', ['kill-tree']],
    ['REITERATION_PENDING', 'next', 'WORKER_EXECUTING', ['next-iteration', 'start-worker'], 'may-iterate'],
    ['REITERATION_PENDING', 'next', 'FAILED', ['fail-max-iterations'], 'is-last'],
    [['WORKER_EXECUTING', 'AUDITOR_EXECUTING'], ['interrupt', 'budget.exceeded'], 'INTERRUPTED', ['kill-tree']],
    [
      ['CREATED', 'RECOVERY_PENDING', 'AUDIT_PENDING', 'REITERATION_PENDING'],
      ['interrupt', 'budget.exceeded'],
      'INTERRUPTED',
    ],
    [['INTERRUPTED', 'FAILED'], 'resume', 'CREATED', [], 'from-created'],
    [['INTERRUPTED', 'FAILED'], 'resume', 'RECOVERY_PENDING', [], 'from-recovery'],
    [['INTERRUPTED', 'FAILED'], 'resume', 'AUDIT_PENDING', [], 'from-audit'],
    [['INTERRUPTED', 'FAILED'], 'resume', 'REITERATION_PENDING', [], 'from-reiteration'],
    [['COMPLETED', 'REJECTED'], '*', '=', ['refuse']],
  ],
})

export type OneshotState = StateOf<typeof oneshotTable>
export type OneshotEvent = EventOf<typeof oneshotTable>
export type OneshotAction = ActionOf<typeof oneshotTable>

export function isHot(state: OneshotState): boolean {
  return state === 'WORKER_EXECUTING' || state === 'AUDITOR_EXECUTING'
}
