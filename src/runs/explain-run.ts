import type { RunRecord } from '../engine/index.js'

/** Why a run is in its status, and how it continues. The same words on every surface. */
export interface RunExplanation {
  /** The run has work to do, and no process drives it. */
  isUndriven: boolean
  /** A sentence; null if the status says everything. */
  why: string | null
  /** The command that continues the run; null if it needs none. */
  next: string | null
}

export interface RunFacts {
  isUndriven: boolean
  /** A oneshot that needs more iterations to continue: how many in total; else null. */
  iterations: number | null
}

/** Pure. */
export function explainRun(record: RunRecord, { isUndriven, iterations }: RunFacts): RunExplanation {
  const resume = `signalbox resume ${record.id}`
  if (isUndriven) return { isUndriven, why: 'the process that ran it has ended', next: resume }
  return { isUndriven, why: causeOf(record), next: nextOf(record, resume, iterations) }
}

function causeOf({ status, reason, text }: RunRecord): string | null {
  if (reason === null || reason === status) return text
  if (status === 'completed') return PLAIN_ENDS.has(reason) ? null : reasonText(reason)
  if (text === null) return reasonText(reason)
  return status === 'rejected' ? `the auditor judged the task impossible: ${text}` : text
}

const PLAIN_ENDS: ReadonlySet<string> = new Set(['done', 'approved'])

/** Failures of a graph that repeat at once when the run continues with the same graph. */
const GRAPH_FAULTS: ReadonlySet<string> = new Set([
  ...['no_route', 'bad_route', 'max_visits', 'max_steps', 'goal_unmet', 'restart_limit', 'engine_loop'],
])

function nextOf({ status, reason }: RunRecord, resume: string, iterations: number | null): string | null {
  if (status !== 'paused' && status !== 'failed') return null
  if (iterations !== null) return `${resume} --max-iterations ${iterations}`
  if (status === 'failed' && GRAPH_FAULTS.has(reason ?? '')) return `${resume} --graph <the corrected file>`
  return resume
}

const TEXTS: Readonly<Record<string, string>> = {
  // — a run —
  max_iterations: 'the work is not done yet, and all iterations are used up',
  nothing_recovered: 'the worker died, and left nothing that the run could continue with',
  no_verdict: 'the auditor gave no verdict',
  impossible: 'the auditor judged the task impossible',
  agent_missing: 'the program of the agent is not installed',
  budget: 'a limit of the run is used up',
  sigint: 'interrupted with Ctrl-C',
  sigterm: 'interrupted by SIGTERM',
  host_lost: 'the process that drove the run died',
  no_route: 'no edge of the last node can be followed',
  bad_route: 'the last node chose a next node that does not exist',
  max_visits: 'a node was visited as often as its limit allows',
  max_steps: 'the run visited as many nodes as its limit allows',
  goal_unmet: 'a goal of the graph is not met',
  restart_limit: 'the run restarted as often as its limit allows',
  failure_repeated: 'the same failure repeated too often',
  engine_loop: 'the workflow keeps emitting events without any effect',
  stalled: 'the run made no progress for too long',
  hook: 'a hook of the repository rejected the commit',
  declined: 'a person declined the plan',
  objections: 'objections to the work are open',
  objections_accepted: 'a person accepted the work with open objections',
  restarted: 'the run continues as another run',
  // — a step —
  timeout: 'it was silent for longer than its limit',
  step_timeout: 'the step took longer than its limit',
  inactivity_timeout: 'the agent was silent for longer than its limit',
  no_final_record: 'the agent exited without a final answer',
  prompt_not_taken: 'the agent did not accept its task',
  stopped: 'the step was stopped',
  exit: 'the agent exited without an answer',
  error_auth: 'the agent is not signed in',
  error_rate_limit: 'the provider limits the rate of requests',
  error_overloaded: 'the provider is overloaded',
  error_network: 'the agent could not reach its provider',
  error_context_length: 'the conversation is too long for the model',
  error_budget: 'the budget of the agent is used up',
  error_config: 'the configuration of the agent is wrong',
  error_refused: 'the model refused the task',
  error_interrupted: 'the agent was interrupted',
  error_unknown: 'the agent reported an error',
}

/** Turns the code of a reason into a sentence; a sentence stays as it is. */
export function reasonText(reason: string): string {
  const known = Object.hasOwn(TEXTS, reason) ? TEXTS[reason] : undefined
  if (known !== undefined) return known
  const [, head, rest] = /^(auditor|exit|signal|turn|error)_(\w+)$/.exec(reason) ?? []
  if (head === undefined || rest === undefined) return reason.replace(/^agent_missing: /, '')
  switch (head) {
    case 'auditor':
      return `the auditor failed: ${reasonText(rest)}`
    case 'exit':
      return `the program exited with code ${rest}`
    case 'signal':
      return `the program was killed by ${rest}`
    case 'turn':
      return `the agent's turn ended as ${rest}`
    default:
      return `the agent reported an error (${rest.replaceAll('_', ' ')})`
  }
}
