import { requestState } from '../../../src/approvals/request-state'
import {
  NODE_WORDS,
  paneState,
  REQUEST_WORDS,
  type RequestState,
  RUN_WORDS,
  type RunState,
  riskWord,
  STATE_WORDS,
  type StateName,
  sessionState,
  statusState,
} from '../../../src/text/status-word'
import type { Approval, Pane, RunNode, Session } from '../api/types'

type Tone = 'active' | 'warning' | 'danger' | 'done' | 'muted'
export type Shape = 'disc' | 'diamond' | 'square' | 'tick' | 'ring' | 'dashed' | 'bars' | 'triangle' | 'half'

export interface Badge {
  word: string
  tone: Tone
  shape: Shape
}

/** A status is a word, a shape and a colour: each is enough to recognise it. */
export function StatusBadge({ badge, isLive = false }: { badge: Badge; isLive?: boolean }) {
  return (
    <span class={`badge tone-${badge.tone}`}>
      <StatusIcon shape={badge.shape} isLive={isLive} />
      {badge.word}
    </span>
  )
}

export function StatusIcon({ shape, isLive = false }: { shape: Shape; isLive?: boolean }) {
  return (
    <svg viewBox="0 0 12 12" aria-hidden="true">
      {isLive && <circle class="ring" cx="6" cy="6" r="5.5" fill="none" stroke="currentColor" stroke-width="1.5" />}
      {drawShape(shape)}
    </svg>
  )
}

function drawShape(shape: Shape) {
  const line = { fill: 'none', stroke: 'currentColor', 'stroke-width': 1.8 }
  switch (shape) {
    case 'disc':
      return <circle cx="6" cy="6" r="4.200" fill="currentColor" />
    case 'diamond':
      return <path d="M6 .400 11.600 6 6 11.600.400 6z" fill="currentColor" />
    case 'square':
      return <rect x="1.500" y="1.500" width="9" height="9" rx="1.500" fill="currentColor" />
    case 'tick':
      return <path d="m1.800 6.400 2.900 2.900 5.500-6.300" {...line} stroke-width={2.2} stroke-linecap="round" />
    case 'ring':
      return <circle cx="6" cy="6" r="3.900" {...line} />
    case 'dashed':
      return <circle cx="6" cy="6" r="4.200" {...line} stroke-dasharray="2.200 2.200" />
    case 'bars':
      return <path d="M4 2v8M8 2v8" {...line} stroke-width={2.4} stroke-linecap="round" />
    case 'half':
      return (
        <>
          <circle cx="6" cy="6" r="4.200" {...line} />
          <path d="M6 1.800a4.200 4.200 0 0 0 0 8.400z" fill="currentColor" />
        </>
      )
    case 'triangle':
      return <path d="M6 1.200 11.400 10.600H.600z" {...line} stroke-width={1.6} stroke-linejoin="round" />
  }
}

/* The words are those of every surface (`src/text/status-word.ts`). */
const STATES: Readonly<Record<StateName, Omit<Badge, 'word'>>> = {
  needsYou: { tone: 'warning', shape: 'diamond' },
  working: { tone: 'active', shape: 'disc' },
  idle: { tone: 'muted', shape: 'ring' },
  done: { tone: 'done', shape: 'tick' },
  failed: { tone: 'danger', shape: 'square' },
  paused: { tone: 'warning', shape: 'bars' },
  stopped: { tone: 'muted', shape: 'square' },
  lost: { tone: 'danger', shape: 'square' },
  starting: { tone: 'active', shape: 'ring' },
  catchingUp: { tone: 'active', shape: 'dashed' },
  away: { tone: 'warning', shape: 'dashed' },
  frozen: { tone: 'danger', shape: 'triangle' },
  stuck: { tone: 'danger', shape: 'triangle' },
  unknown: { tone: 'muted', shape: 'dashed' },
}

function stateBadge(state: StateName): Badge {
  return { word: STATE_WORDS[state], ...STATES[state] }
}

const NEEDS = stateBadge('needsYou')
const WORKING = stateBadge('working')
const DONE = stateBadge('done')
const FAILED = stateBadge('failed')

/** `pane`: the session's own; it knows whether a person has seen that the work is done. */
export function sessionBadge(session: Session, pane?: Pane): Badge {
  const badge = stateBadge(sessionState(session, pane))
  return session.state === 'ended' && badge.word === DONE.word ? { ...badge, tone: 'muted' } : badge
}

/** Whether the icon of the status pulses. */
export function isWorking({ word }: Badge): boolean {
  return word === WORKING.word
}

export function isLiveSession(session: Session): boolean {
  return session.state === 'live' || session.state === 'starting'
}

export function paneBadge(pane: Pane): Badge {
  return stateBadge(paneState(pane))
}

/** The status of a pane in one word. */
export function wordOfStatus(status: string): string {
  return STATE_WORDS[statusState(status)]
}

const RUN: Readonly<Record<RunState, Badge>> = {
  queued: { word: RUN_WORDS.queued, tone: 'muted', shape: 'dashed' },
  running: WORKING,
  waiting: NEEDS,
  paused: stateBadge('paused'),
  completed: DONE,
  failed: FAILED,
  rejected: { word: RUN_WORDS.rejected, tone: 'danger', shape: 'triangle' },
  cancelled: { word: RUN_WORDS.cancelled, tone: 'muted', shape: 'square' },
  interrupted: { word: RUN_WORDS.interrupted, tone: 'danger', shape: 'half' },
}

/** For a run in this state; `runState` tells it. */
export function runBadge(state: RunState): Badge {
  return RUN[state]
}

const NODE: Readonly<Record<RunNode['status'], Badge>> = {
  running: WORKING,
  paused: RUN.paused,
  interrupted: RUN.interrupted,
  waiting: NEEDS,
  success: DONE,
  partial_success: { word: NODE_WORDS.partial_success, tone: 'warning', shape: 'triangle' },
  retry: { word: NODE_WORDS.retry, tone: 'warning', shape: 'triangle' },
  fail: FAILED,
  skipped: { word: NODE_WORDS.skipped, tone: 'muted', shape: 'ring' },
  cancelled: RUN.cancelled,
  idle: { word: NODE_WORDS.idle, tone: 'muted', shape: 'ring' },
}

export function nodeBadge(status: RunNode['status']): Badge {
  return NODE[status]
}

const REQUEST: Readonly<Record<RequestState, Omit<Badge, 'word'>>> = {
  pending: STATES.needsYou,
  allowing: { tone: 'active', shape: 'ring' },
  denying: { tone: 'active', shape: 'ring' },
  answering: { tone: 'active', shape: 'ring' },
  allowed: { tone: 'done', shape: 'tick' },
  answered: { tone: 'done', shape: 'tick' },
  denied: { tone: 'muted', shape: 'square' },
  declined: { tone: 'muted', shape: 'square' },
  notApplied: { tone: 'warning', shape: 'triangle' },
  closed: { tone: 'muted', shape: 'dashed' },
  expired: { tone: 'muted', shape: 'dashed' },
  cancelled: { tone: 'muted', shape: 'dashed' },
}

/** What became of a request: not only that it was applied, but which answer was. */
export function requestBadge(state: RequestState): Badge {
  return { word: REQUEST_WORDS[state], ...REQUEST[state] }
}

export function approvalBadge(approval: Approval): Badge {
  return requestBadge(requestState(approval))
}

export function riskBadge(level: Approval['risk']['level']): Badge {
  const text = riskWord(level)
  const word = `${text.charAt(0).toUpperCase()}${text.slice(1)} risk`
  if (level === 'low') return { word, tone: 'muted', shape: 'ring' }
  return { word, tone: level === 'high' ? 'danger' : 'warning', shape: 'triangle' }
}
