/*
 * One word for each state, the same on every surface and for sessions, panes and runs alike:
 * Working, Idle, Needs you, Done, Failed. Other words are for what is none of them. The dashboard
 * imports this file, too, so it must not import anything itself.
 */

/** The states of sessions and panes, and their words. */
export const STATE_WORDS = {
  needsYou: 'Needs you',
  working: 'Working',
  idle: 'Idle',
  done: 'Done',
  failed: 'Failed',
  paused: 'Paused',
  stopped: 'Stopped',
  lost: 'Lost',
  starting: 'Starting',
  catchingUp: 'Catching up',
  away: 'Away',
  frozen: 'Frozen',
  stuck: 'Stuck',
  unknown: 'Unknown',
} as const

export type StateName = keyof typeof STATE_WORDS

/**
 * One word for each state of a run: its status, or `interrupted` while the process that drove it is
 * gone. A person resumes it, as one that a person or a limit paused.
 */
export const RUN_WORDS = {
  queued: 'Queued',
  running: STATE_WORDS.working,
  waiting: STATE_WORDS.needsYou,
  paused: STATE_WORDS.paused,
  completed: STATE_WORDS.done,
  failed: STATE_WORDS.failed,
  rejected: 'Rejected',
  cancelled: 'Cancelled',
  interrupted: 'Interrupted',
} as const

export type RunState = keyof typeof RUN_WORDS

/** One word for each state of a node of a run; `idle` before its first visit. */
export const NODE_WORDS = {
  running: STATE_WORDS.working,
  paused: RUN_WORDS.paused,
  interrupted: RUN_WORDS.interrupted,
  waiting: STATE_WORDS.needsYou,
  success: STATE_WORDS.done,
  partial_success: 'Partly done',
  retry: 'Retrying',
  fail: STATE_WORDS.failed,
  skipped: 'Skipped',
  cancelled: RUN_WORDS.cancelled,
  idle: 'Not started',
} as const

export type NodeState = keyof typeof NODE_WORDS

/** In a line of text. */
export function nodeWord(state: NodeState): string {
  return NODE_WORDS[state].toLowerCase()
}

export interface RunFacts {
  status: Exclude<RunState, 'interrupted'>
  isUndriven?: boolean
}

/** What the state of a session depends on: fields of the API's `Session`. */
export interface SessionFacts {
  state: string
  agent: string
  endReason?: string | undefined
  exit?: { code: number | null; signal: string | null } | null | undefined
  awaySince?: unknown
  catchingUp?: unknown
  awaiting?: unknown
  approval?: unknown
  paused?: unknown
  busy?: unknown
  idle?: boolean | undefined
  view?: string | undefined
}

/** What the state of a pane depends on: fields of the API's `Pane`. */
export interface PaneFacts {
  status: string
  shown: string
  stuck: string | null
  isRecent: boolean
  why: { claim: unknown }
}

/** `pane`: the session's own. For a program other than an agent, its status is the only one. */
export function sessionState(session: SessionFacts, pane?: PaneFacts): StateName {
  if (session.state === 'lost') return 'lost'
  if (session.state === 'ended') return endedState(session)
  if (session.awaySince !== undefined) return 'away'
  if (session.awaiting || session.approval) return 'needsYou'
  // Only an agent reports what it does; another program works while its process does.
  if (session.agent === 'generic' && pane && session.state === 'live') return paneState(pane)
  if (session.catchingUp) return 'catchingUp'
  if (session.paused && !session.busy) return 'paused'
  if (session.busy) return 'working'
  if (session.idle || session.view === 'idle_prompt') return pane?.shown === 'done' ? 'done' : 'idle'
  // A program may run for hours before it prints anything.
  if (session.agent === 'generic') return 'working'
  return session.state === 'starting' ? 'starting' : 'unknown'
}

function endedState({ endReason, exit }: SessionFacts): StateName {
  if (endReason === 'stopped') return 'stopped'
  const { code = null, signal = null } = exit ?? {}
  if (code !== null && code !== 0) return 'failed'
  return signal === null ? 'done' : 'stopped'
}

const PANE_STATES: Readonly<Record<string, StateName>> = {
  'waiting-approval': 'needsYou',
  running: 'working',
  'long-running': 'working',
  idle: 'idle',
  done: 'done',
  failed: 'failed',
}

export function paneState({ status, shown, stuck, isRecent, why }: PaneFacts): StateName {
  // The status of a pane of which nothing has said one yet.
  if (status === 'idle' && why.claim === null) return 'unknown'
  if (stuck !== null) return stuck === 'frozen' ? 'frozen' : 'stuck'
  return isRecent ? 'done' : statusState(shown)
}

/** The state for a status of the table of panes. */
export function statusState(status: string): StateName {
  return PANE_STATES[status] ?? 'unknown'
}

/** In a line of text. */
export function stateWord(state: StateName): string {
  return STATE_WORDS[state].toLowerCase()
}

/** A run that no process drives does not work, whatever its record says. */
export function runState({ status, isUndriven }: RunFacts): RunState {
  return isUndriven ? 'interrupted' : status
}

/** In a line of text. */
export function runWord(run: RunFacts): string {
  return RUN_WORDS[runState(run)].toLowerCase()
}

/** How much care a request needs, as people read it: the API's `elevated` is a medium risk. */
export function riskWord(level: string): string {
  return level === 'elevated' ? 'medium' : level
}

/** Why the ledger closed a request that was not applied, by the reason in its record. */
const CLOSED: Readonly<Record<string, string>> = {
  gone: 'the agent no longer shows this question',
  changed: 'the agent changed its question',
  overtaken: 'another answer reached the agent first',
  unconfirmed: 'the agent did not confirm the answer',
  ambiguous: 'the agent’s menu did not react as expected, so nothing was chosen',
  'too-late': 'the agent stopped waiting before the answer arrived',
  unproven: 'the decision could not be verified',
}

export function closedReason(reason: string | undefined): string {
  return reason === undefined ? 'the request was withdrawn' : (CLOSED[reason] ?? reason.replaceAll('-', ' '))
}

/** One word for each state of a request: what became of it, not only that it was applied. */
export const REQUEST_WORDS = {
  pending: STATE_WORDS.needsYou,
  allowing: 'Allowing',
  denying: 'Denying',
  answering: 'Answering',
  allowed: 'Allowed',
  denied: 'Denied',
  declined: 'Declined',
  answered: 'Answered',
  notApplied: 'Not applied',
  closed: 'Closed',
  expired: 'Expired',
  cancelled: RUN_WORDS.cancelled,
} as const

export type RequestState = keyof typeof REQUEST_WORDS

/** In a line of text. */
export function requestWord(state: RequestState): string {
  return REQUEST_WORDS[state].toLowerCase()
}

/** Where a person decided, by the surface in the record. */
export const SURFACE_WORDS = {
  cli: 'Command line',
  web: 'Dashboard',
  telegram: 'Telegram',
  terminal: 'Terminal',
  api: 'API',
} as const

export function surfaceWord(surface: string): string {
  return (SURFACE_WORDS as Readonly<Record<string, string>>)[surface] ?? surface
}
