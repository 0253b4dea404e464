import { isDenialMeaning } from '../../../src/approvals/denial'
import { RUN_WORDS } from '../../../src/text/status-word'
import type { Approval, Pane, Run, RunNode, Session } from '../api/types'

type Tone = 'clear' | 'caution' | 'danger' | 'lunar' | 'unlit'
export type Shape = 'disc' | 'diamond' | 'square' | 'tick' | 'ring' | 'dashed' | 'bars' | 'triangle'

export interface Aspect {
  word: string
  tone: Tone
  shape: Shape
}

/** A status is a word, a shape and a colour: each is enough to recognise it. */
export function StatusBadge({ aspect, isLive = false }: { aspect: Aspect; isLive?: boolean }) {
  return (
    <span class={`badge tone-${aspect.tone}`}>
      <Lamp shape={aspect.shape} isLive={isLive} />
      {aspect.word}
    </span>
  )
}

export function Lamp({ shape, isLive = false }: { shape: Shape; isLive?: boolean }) {
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
const NEEDS: Aspect = { word: RUN_WORDS.waiting, tone: 'caution', shape: 'diamond' }
const WORKING: Aspect = { word: RUN_WORDS.running, tone: 'clear', shape: 'disc' }
const DONE: Aspect = { word: RUN_WORDS.completed, tone: 'lunar', shape: 'tick' }
const FAILED: Aspect = { word: RUN_WORDS.failed, tone: 'danger', shape: 'square' }
const IDLE: Aspect = { word: 'Idle', tone: 'unlit', shape: 'ring' }
const UNKNOWN: Aspect = { word: 'Unknown', tone: 'unlit', shape: 'dashed' }

export function sessionAspect(session: Session): Aspect {
  if (session.state === 'lost') return { ...FAILED, word: 'Lost' }
  if (session.state === 'ended') {
    if (session.endReason === 'stopped') return { word: 'Stopped', tone: 'unlit', shape: 'square' }
    const { code = null, signal = null } = session.exit ?? {}
    if (code !== null && code !== 0) return FAILED
    return signal ? { word: 'Stopped', tone: 'unlit', shape: 'square' } : { ...DONE, tone: 'unlit' }
  }
  if (session.awaiting || session.approval) return NEEDS
  if (session.catchingUp) return { word: 'Catching up', tone: 'clear', shape: 'dashed' }
  if (session.busy) return WORKING
  if (session.idle || session.view === 'idle_prompt') return IDLE
  if (session.state === 'starting') return { word: 'Starting', tone: 'clear', shape: 'ring' }
  return UNKNOWN
}

/** Whether the lamp of the status pulses. */
export function isWorking({ word }: Aspect): boolean {
  return word === WORKING.word
}

export function isLiveSession(session: Session): boolean {
  return session.state === 'live' || session.state === 'starting'
}

export function paneAspect(pane: Pane): Aspect {
  if (pane.stuck) return { word: pane.stuck === 'frozen' ? 'Frozen' : 'No progress', tone: 'danger', shape: 'triangle' }
  switch (pane.shown) {
    case 'waiting-approval':
      return NEEDS
    case 'running':
    case 'long-running':
      return WORKING
    case 'done':
      return DONE
    case 'failed':
      return FAILED
    default:
      return IDLE
  }
}

const RUN: Readonly<Record<Run['status'], Aspect>> = {
  queued: { word: RUN_WORDS.queued, tone: 'unlit', shape: 'dashed' },
  running: WORKING,
  waiting: NEEDS,
  paused: { word: RUN_WORDS.paused, tone: 'unlit', shape: 'bars' },
  completed: DONE,
  failed: FAILED,
  rejected: { word: RUN_WORDS.rejected, tone: 'danger', shape: 'triangle' },
  cancelled: { word: RUN_WORDS.cancelled, tone: 'unlit', shape: 'square' },
}

export function runAspect(status: Run['status']): Aspect {
  return RUN[status]
}

const UNDRIVEN: Aspect = { word: 'Stopped', tone: 'danger', shape: 'square' }

/** The status of a run; one that no process drives is not running. */
export function RunBadge({ run }: { run: Run }) {
  const aspect = run.isUndriven ? UNDRIVEN : runAspect(run.status)
  return <StatusBadge aspect={aspect} isLive={run.status === 'running' && !run.isUndriven} />
}

export function isOpenRun({ status }: Pick<Run, 'status'>): boolean {
  return status === 'queued' || status === 'running' || status === 'waiting' || status === 'paused'
}

const NODE: Readonly<Record<RunNode['status'], Aspect>> = {
  running: WORKING,
  stopped: { word: 'Stopped', tone: 'unlit', shape: 'bars' },
  waiting: NEEDS,
  success: DONE,
  partial_success: { word: 'Partly done', tone: 'caution', shape: 'triangle' },
  retry: { word: 'Retrying', tone: 'caution', shape: 'triangle' },
  fail: FAILED,
  skipped: { word: 'Skipped', tone: 'unlit', shape: 'ring' },
  cancelled: { word: 'Cancelled', tone: 'unlit', shape: 'square' },
  idle: { word: 'Not started', tone: 'unlit', shape: 'ring' },
}

export function nodeAspect(status: RunNode['status']): Aspect {
  return NODE[status]
}

const CLOSED = { stale: 'Outdated', expired: 'Expired', cancelled: 'Withdrawn' } as const

/** What became of a request: not only that it was applied, but which answer was. */
export function approvalAspect({ state, outcome, decision, kind }: Approval): Aspect {
  const denied: Aspect = { word: 'Denied', tone: 'unlit', shape: 'square' }
  const isDenied = decision ? isDenialMeaning(decision.tier) : outcome?.observed?.result === 'denied'
  switch (state) {
    case 'pending':
      return NEEDS
    case 'decided':
      return {
        word: isDenied ? 'Denying' : kind === 'permission' ? 'Allowing' : 'Answering',
        tone: 'clear',
        shape: 'ring',
      }
    case 'applied':
      if (isDenied) return denied
      return { word: kind === 'permission' ? 'Allowed' : 'Answered', tone: 'lunar', shape: 'tick' }
    default:
      return { word: CLOSED[state], tone: 'unlit', shape: 'square' }
  }
}

export function riskAspect(level: Approval['risk']['level']): Aspect {
  if (level === 'high') return { word: 'High risk', tone: 'danger', shape: 'triangle' }
  if (level === 'elevated') return { word: 'Elevated risk', tone: 'caution', shape: 'triangle' }
  return { word: 'Low risk', tone: 'unlit', shape: 'ring' }
}
