import { isDenialMeaning } from '../../../src/approvals/denial'
import { RUN_WORDS, riskWord } from '../../../src/text/status-word'
import type { Approval, Pane, Run, RunNode, Session } from '../api/types'
import { isProgram } from '../store/session-name'

type Tone = 'active' | 'warning' | 'danger' | 'done' | 'muted'
export type Shape = 'disc' | 'diamond' | 'square' | 'tick' | 'ring' | 'dashed' | 'bars' | 'triangle'

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
    case 'triangle':
      return <path d="M6 1.200 11.400 10.600H.600z" {...line} stroke-width={1.6} stroke-linejoin="round" />
  }
}

/*
 * One word for each state, on every surface: Working, Idle, Needs you, Done, Failed. Other words
 * are for what is none of them.
 */
const NEEDS: Badge = { word: RUN_WORDS.waiting, tone: 'warning', shape: 'diamond' }
const WORKING: Badge = { word: RUN_WORDS.running, tone: 'active', shape: 'disc' }
const DONE: Badge = { word: RUN_WORDS.completed, tone: 'done', shape: 'tick' }
const FAILED: Badge = { word: RUN_WORDS.failed, tone: 'danger', shape: 'square' }
const IDLE: Badge = { word: 'Idle', tone: 'muted', shape: 'ring' }
const UNKNOWN: Badge = { word: 'Unknown', tone: 'muted', shape: 'dashed' }

/** `pane`: the session's own; it knows whether a person has seen that the work is done. */
export function sessionBadge(session: Session, pane?: Pick<Pane, 'shown'>): Badge {
  if (session.state === 'lost') return { ...FAILED, word: 'Lost' }
  if (session.state === 'ended') {
    if (session.endReason === 'stopped') return { word: 'Stopped', tone: 'muted', shape: 'square' }
    const { code = null, signal = null } = session.exit ?? {}
    if (code !== null && code !== 0) return FAILED
    return signal ? { word: 'Stopped', tone: 'muted', shape: 'square' } : { ...DONE, tone: 'muted' }
  }
  if (session.awaiting || session.approval) return NEEDS
  // Nothing reports what a program does: its process says whether it works.
  if (isProgram(session) && pane && session.state === 'live') return PANES[pane.shown] ?? IDLE
  if (session.catchingUp) return { word: 'Catching up', tone: 'active', shape: 'dashed' }
  if (session.paused && !session.busy) return { word: 'Paused', tone: 'warning', shape: 'bars' }
  if (session.busy) return WORKING
  if (session.idle || session.view === 'idle_prompt') return pane?.shown === 'done' ? DONE : IDLE
  if (session.state === 'starting') return { word: 'Starting', tone: 'active', shape: 'ring' }
  return UNKNOWN
}

/** Whether the icon of the status pulses. */
export function isWorking({ word }: Badge): boolean {
  return word === WORKING.word
}

export function isLiveSession(session: Session): boolean {
  return session.state === 'live' || session.state === 'starting'
}

export function paneBadge(pane: Pane): Badge {
  if (pane.stuck) return { word: pane.stuck === 'frozen' ? 'Frozen' : 'No progress', tone: 'danger', shape: 'triangle' }
  return PANES[pane.shown] ?? IDLE
}

const PANES: Readonly<Record<string, Badge>> = {
  'waiting-approval': NEEDS,
  running: WORKING,
  'long-running': WORKING,
  done: DONE,
  failed: FAILED,
}

/** The status of a pane in one word. */
export function wordOfStatus(status: string): string {
  return (PANES[status] ?? IDLE).word
}

const RUN: Readonly<Record<Run['status'], Badge>> = {
  queued: { word: RUN_WORDS.queued, tone: 'muted', shape: 'dashed' },
  running: WORKING,
  waiting: NEEDS,
  paused: { word: RUN_WORDS.paused, tone: 'muted', shape: 'bars' },
  completed: DONE,
  failed: FAILED,
  rejected: { word: RUN_WORDS.rejected, tone: 'danger', shape: 'triangle' },
  cancelled: { word: RUN_WORDS.cancelled, tone: 'muted', shape: 'square' },
}

export function runBadge(status: Run['status']): Badge {
  return RUN[status]
}

/** A run whose process has ended; *Stopped* is what a person stopped. */
export const UNDRIVEN: Badge = { word: 'Interrupted', tone: 'danger', shape: 'square' }

const NODE: Readonly<Record<RunNode['status'], Badge>> = {
  running: WORKING,
  stopped: { word: UNDRIVEN.word, tone: 'muted', shape: 'bars' },
  waiting: NEEDS,
  success: DONE,
  partial_success: { word: 'Partly done', tone: 'warning', shape: 'triangle' },
  retry: { word: 'Retrying', tone: 'warning', shape: 'triangle' },
  fail: FAILED,
  skipped: { word: 'Skipped', tone: 'muted', shape: 'ring' },
  cancelled: { word: 'Cancelled', tone: 'muted', shape: 'square' },
  idle: { word: 'Not started', tone: 'muted', shape: 'ring' },
}

export function nodeBadge(status: RunNode['status']): Badge {
  return NODE[status]
}

const CLOSED = { stale: 'Closed', expired: 'Expired', cancelled: 'Cancelled' } as const

/** What became of a request: not only that it was applied, but which answer was. */
export function approvalBadge({ state, outcome, decision, kind }: Approval): Badge {
  const isDeclined = !decision && kind === 'question'
  const denied: Badge = { word: isDeclined ? 'Declined' : 'Denied', tone: 'muted', shape: 'square' }
  const isDenied = decision ? isDenialMeaning(decision.tier) : outcome?.observed?.result === 'denied'
  switch (state) {
    case 'pending':
      return NEEDS
    case 'decided':
      return {
        word: isDenied ? 'Denying' : kind === 'permission' ? 'Allowing' : 'Answering',
        tone: 'active',
        shape: 'ring',
      }
    case 'applied':
      if (isDenied) return denied
      return { word: kind === 'permission' ? 'Allowed' : 'Answered', tone: 'done', shape: 'tick' }
    default:
      return { word: state === 'stale' && decision ? 'Not applied' : CLOSED[state], tone: 'muted', shape: 'square' }
  }
}

export function riskBadge(level: Approval['risk']['level']): Badge {
  const text = riskWord(level)
  const word = `${text.charAt(0).toUpperCase()}${text.slice(1)} risk`
  if (level === 'low') return { word, tone: 'muted', shape: 'ring' }
  return { word, tone: level === 'high' ? 'danger' : 'warning', shape: 'triangle' }
}
