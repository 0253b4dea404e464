import type { Workflow, WorkflowCommand } from '../engine/index.js'
import type { EventData } from '../events/index.js'
import { lookup, transition } from '../machine/index.js'
import type { StoredEvent } from '../store/index.js'
import {
  type AgentStepResult,
  type FailureCause,
  type Feedback,
  type OneshotInput,
  oneshotInput,
  type WorkerResult,
} from './oneshot-run.js'
import {
  type OneshotAction,
  type OneshotEvent,
  type OneshotGuards,
  type OneshotResume,
  type OneshotState,
  oneshotTable,
} from './oneshot-table.js'

export interface OneshotWork {
  input: OneshotInput
  cwd: string
  state: OneshotState
  before: OneshotState
  history: { state: OneshotState; ts: number; pid?: number; reason?: string }[]
  iteration: number
  /** The newest step of each role: an iteration can need several attempts. */
  newest: Record<AgentRole, { iteration: number; attempt: number }>
  asksLeft: number
  /** Why the auditor's last answer could not be used. */
  verdictProblem: string | null
  /** The auditor's own session, if it is asked again. */
  asked: string | null
  result: WorkerResult | null
  feedback: Feedback[]
  /** Signalbox ended the worker's step. */
  isEndedBySignalbox: boolean
  cause: FailureCause | null
  reason: string | null
  /** The last step took longer than its limit. */
  isTimedOut: boolean
  /** The agent whose program is not installed: nothing was started. */
  missing: string | null
}

/** The loop of worker and auditor: events become the table's, and the table decides. */
export const oneshotWorkflow: Workflow<OneshotWork> = {
  kind: 'oneshot',
  version: 5,
  begin: (created, { at }) => {
    const input = oneshotInput.parse(created.input)
    return {
      input,
      cwd: created.cwd,
      state: 'CREATED',
      before: 'CREATED',
      history: [{ state: 'CREATED', ts: at / 1000 }],
      iteration: 0,
      newest: { worker: { iteration: 0, attempt: 0 }, auditor: { iteration: 0, attempt: 0 } },
      asksLeft: input.auditorAsks,
      verdictProblem: null,
      asked: null,
      result: null,
      feedback: [],
      isEndedBySignalbox: false,
      cause: null,
      reason: null,
      isTimedOut: false,
      missing: null,
    }
  },
  evolve(work, event) {
    evolve(work, event)
    return work
  },
  decide,
}

function decide(work: OneshotWork): readonly WorkflowCommand[] {
  const { state, iteration } = work
  if (work.missing !== null)
    return [{ do: 'emit', events: [{ type: 'run.paused', data: { reason: `agent_missing: ${work.missing}` } }] }]
  switch (state) {
    case 'CREATED':
      return [newStep(work, 'worker', 1)]
    case 'REITERATION_PENDING': {
      const [next] = transition(oneshotTable, state, 'next', guardsOf(work))
      if (next === 'FAILED') return [{ do: 'end', status: 'failed', ...limitReached(work) }]
      return [newStep(work, 'worker', iteration + 1)]
    }
    case 'WORKER_EXECUTING':
      return [newestStep(work, 'worker')]
    case 'RECOVERY_PENDING': {
      const { step, effect, input } = newestStep(work, 'worker')
      return [{ do: 'recover', step, effect, input }]
    }
    case 'AUDIT_PENDING':
      return [newStep(work, 'auditor', iteration)]
    case 'AUDITOR_EXECUTING':
      return [newestStep(work, 'auditor')]
    case 'COMPLETED':
      return [{ do: 'end', status: 'completed', reason: 'done' }]
    case 'REJECTED':
      return [
        { do: 'end', status: 'rejected', reason: 'impossible', ...(work.reason !== null && { text: work.reason }) },
      ]
    case 'FAILED':
      return [{ do: 'end', status: 'failed', reason: work.reason ?? 'failed' }]
    case 'INTERRUPTED':
      return []
  }
}

function limitReached({ iteration, isTimedOut, input }: OneshotWork): { reason: string; text: string } {
  const used = `all ${iteration} iterations are used up`
  if (isTimedOut)
    return { reason: STEP_TIMEOUT, text: `the worker took longer than ${input.timeoutMs / 1000} s, and ${used}` }
  return { reason: 'max_iterations', text: `the work is not done yet, and ${used}` }
}

const STEP_TIMEOUT = 'step_timeout'

export type AgentRole = 'worker' | 'auditor'

function newStep({ newest }: OneshotWork, role: AgentRole, iteration: number) {
  const last = newest[role]
  return agentStep(role, iteration, last.iteration === iteration ? last.attempt + 1 : 1)
}

function newestStep({ newest }: OneshotWork, role: AgentRole) {
  return agentStep(role, newest[role].iteration, newest[role].attempt)
}

/** The performer reads task, feedback and results from the run itself. */
function agentStep(role: AgentRole, iteration: number, attempt: number) {
  const step = `${role}@${iteration}#${attempt}`
  return { do: 'step' as const, step, effect: 'oneshot.agent', input: { role, iteration, attempt } }
}

function evolve(work: OneshotWork, event: StoredEvent): void {
  switch (event.type) {
    case 'step.started':
      return started(work, event.data as EventData<'step.started'>, event.at)
    case 'step.spawned': {
      const { pid } = event.data as EventData<'step.spawned'>
      const last = work.history.at(-1)!
      if (last.state === 'WORKER_EXECUTING' || last.state === 'AUDITOR_EXECUTING') last.pid = pid
      return
    }
    case 'step.ended':
      return ended(work, event.data as EventData<'step.ended'>, event.at)
    case 'step.lost':
      if ((event.data as EventData<'step.lost'>).step !== currentStep(work)) return
      work.isEndedBySignalbox = true
      return move(work, 'host.lost', event.at, 'host_lost')
    case 'step.recovered':
      return recovered(work, event.data as EventData<'step.recovered'>, event.at)
    case 'run.paused': {
      const { reason } = event.data as EventData<'run.paused'>
      work.isEndedBySignalbox = true
      work.missing = null
      return move(work, reason === 'budget' ? 'budget.exceeded' : 'interrupt', event.at, reason)
    }
    case 'run.cancelled':
      work.isEndedBySignalbox = true
      return move(work, 'interrupt', event.at, 'cancelled')
    case 'run.failed':
      // `decide` ended the run because the table leaves no iteration: the only failure without a
      // step.
      if (work.state === 'REITERATION_PENDING')
        move(work, 'next', event.at, (event.data as EventData<'run.failed'>).reason)
      return
    case 'run.resumed': {
      const { changes } = event.data as EventData<'run.resumed'>
      const max = changes?.maxIterations
      if (typeof max === 'number') work.input = { ...work.input, maxIterations: max }
      work.asksLeft = work.input.auditorAsks
      work.asked = null
      return move(work, 'resume', event.at, null)
    }
    default:
      return
  }
}

function started(work: OneshotWork, { input }: EventData<'step.started'>, at: number): void {
  const { role, iteration, attempt } = input as { role: AgentRole; iteration: number; attempt: number }
  work.newest[role] = { iteration, attempt }
  work.isEndedBySignalbox = false
  move(work, work.state === 'CREATED' ? 'start' : 'next', at, null)
}

function ended(work: OneshotWork, data: EventData<'step.ended'>, at: number): void {
  // The run no longer waits for this result: it changes nothing.
  if (data.step !== currentStep(work)) return
  const result = data.result as AgentStepResult | null
  work.isTimedOut = data.reason === STEP_TIMEOUT
  if (result?.class === 'spawn') {
    work.missing = data.reason ?? 'the agent'
    return move(work, 'not-spawned', at, 'agent_missing')
  }
  if (work.state === 'WORKER_EXECUTING') {
    if (data.status === 'ok') {
      const { text = '', sessionId = null } = result ?? {}
      work.result = { step: data.step, text, isRecovered: false, evidence: [], sessionId }
      return move(work, 'worker.ok', at, null)
    }
    return move(work, data.status === 'silent' ? 'worker.silent' : 'worker.crash', at, data.reason ?? 'exit')
  }
  if (data.status !== 'ok') {
    work.cause = 'auditor'
    const isSilent = data.status === 'silent'
    return move(
      work,
      isSilent ? 'auditor.silent' : 'auditor.crash',
      at,
      isSilent && !work.isTimedOut ? 'auditor_timeout' : `auditor_${data.reason ?? 'exit'}`,
    )
  }
  judged(work, result, at)
}

function judged(work: OneshotWork, result: AgentStepResult | null, at: number): void {
  const verdict = result?.verdict
  if (!verdict) {
    work.verdictProblem = result?.complaint ?? 'there is no verdict in the answer'
    work.asked = result?.sessionId ?? null
    work.cause = 'auditor'
    return move(work, 'verdict.none', at, work.asksLeft > 0 ? null : 'no_verdict')
  }
  const { iteration } = work
  const { feedback: text, findings } = verdict
  work.feedback.push({ iteration, from: 'auditor', verdict: verdict.verdict, text, findings })
  work.verdictProblem = null
  work.asked = null
  work.asksLeft = work.input.auditorAsks
  if (verdict.verdict === 'DONE') return move(work, 'verdict.done', at, null)
  if (verdict.verdict === 'RETRY') return move(work, 'verdict.retry', at, null)
  work.reason = text
  move(work, 'verdict.impossible', at, 'impossible')
}

function recovered(work: OneshotWork, data: EventData<'step.recovered'>, at: number): void {
  if (work.state !== 'RECOVERY_PENDING' || data.step !== currentStep(work)) return
  const { step, evidence, text = '', sessionId = null } = data
  if (data.verdict === 'success') {
    work.result = { step, text, isRecovered: true, evidence, sessionId }
    return move(work, 'recovered.success', at, null)
  }
  if (data.verdict === 'partial') {
    const found = evidence.map(({ source, says }) => `${source}: ${says}`).join('\n')
    const kept = [text && `The last attempt said:\n${text}`, found && `What it left behind:\n${found}`].filter(Boolean)
    const feedback = { verdict: null, text: kept.join('\n\n'), findings: [], ...(sessionId && { sessionId }) }
    work.feedback.push({ iteration: work.iteration, from: 'recovery', ...feedback })
    return move(work, 'recovered.partial', at, null)
  }
  work.cause = 'nothing_recovered'
  const reason = work.isTimedOut ? STEP_TIMEOUT : 'nothing_recovered'
  move(work, 'recovered.nothing', at, work.isEndedBySignalbox ? null : reason)
}

function guardsOf(work: OneshotWork): OneshotGuards {
  return {
    iteration: work.iteration,
    maxIterations: work.input.maxIterations,
    asksLeft: work.asksLeft,
    isEndedBySignalbox: work.isEndedBySignalbox,
    resumeTo: resumeTarget(work),
  }
}

function move(work: OneshotWork, event: OneshotEvent, at: number, reason: string | null): void {
  const from = work.state
  const [next, actions] = transition(oneshotTable, from, event, guardsOf(work))
  for (const action of actions) ACTIONS[action](work)
  if (next === from) return
  if (next === 'INTERRUPTED' || next === 'FAILED') work.before = from
  work.state = next
  if (next === 'FAILED' || next === 'INTERRUPTED') work.reason = reason
  work.history.push({ state: next, ts: at / 1000, ...(reason !== null && { reason }) })
}

const ACTIONS: Readonly<Record<OneshotAction, (work: OneshotWork) => void>> = {
  'count-iteration': work => {
    work.iteration++
    work.result = null
    work.asksLeft = work.input.auditorAsks
  },
  'uncount-iteration': work => {
    work.iteration--
  },
  'use-ask': work => {
    work.asksLeft--
  },
  'blame-limit': work => {
    work.cause = 'max_iterations'
  },
}

/** Whether the table lets an interrupted or failed run continue. */
export function canResume(work: OneshotWork): boolean {
  return !lookup(oneshotTable, work.state, 'resume', guardsOf(work)).unlisted
}

/** The checkpoint at which a resumed run continues; null for a run that cannot be resumed. */
function resumeTarget(work: OneshotWork): OneshotResume | null {
  if (work.state === 'INTERRUPTED') {
    switch (work.before) {
      case 'WORKER_EXECUTING':
        return 'RECOVERY_PENDING'
      case 'AUDITOR_EXECUTING':
        return 'AUDIT_PENDING'
      case 'CREATED':
      case 'RECOVERY_PENDING':
      case 'AUDIT_PENDING':
      case 'REITERATION_PENDING':
        return work.before
      default:
        return null
    }
  }
  if (work.state !== 'FAILED') return null
  return work.cause === 'auditor' ? 'AUDIT_PENDING' : 'REITERATION_PENDING'
}

/** The step that the run waits for, or waited for when it was interrupted. */
export function currentStep(work: OneshotWork): string | null {
  const at = work.state === 'INTERRUPTED' ? work.before : work.state
  if (at === 'WORKER_EXECUTING' || at === 'RECOVERY_PENDING') return newestStep(work, 'worker').step
  return at === 'AUDITOR_EXECUTING' ? newestStep(work, 'auditor').step : null
}
