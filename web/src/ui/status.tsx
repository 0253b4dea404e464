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

const NEEDS: Aspect = { word: 'needs you', tone: 'caution', shape: 'diamond' }
const WORKING: Aspect = { word: 'working', tone: 'clear', shape: 'disc' }
const IDLE: Aspect = { word: 'idle', tone: 'unlit', shape: 'ring' }
const UNKNOWN: Aspect = { word: 'unknown', tone: 'unlit', shape: 'dashed' }

export function sessionAspect(session: Session): Aspect {
  if (session.state === 'lost') return { word: 'lost', tone: 'danger', shape: 'square' }
  if (session.state === 'ended') {
    if (session.endReason === 'stopped') return { word: 'stopped', tone: 'unlit', shape: 'square' }
    const { code = null, signal = null } = session.exit ?? {}
    if (signal) return { word: `ended (${signal})`, tone: 'unlit', shape: 'tick' }
    if (code !== null && code !== 0) return { word: `exit ${code}`, tone: 'danger', shape: 'square' }
    return { word: 'ended', tone: 'unlit', shape: 'tick' }
  }
  if (session.awaiting || session.approval) return NEEDS
  if (session.catchingUp) return { word: 'catching up', tone: 'clear', shape: 'dashed' }
  if (session.busy) return WORKING
  if (session.idle) return IDLE
  if (session.state === 'starting') return { word: 'starting', tone: 'clear', shape: 'ring' }
  return session.view && session.view !== 'unknown' ? { ...UNKNOWN, word: session.view.replaceAll('_', ' ') } : UNKNOWN
}

export function isLiveSession(session: Session): boolean {
  return session.state === 'live' || session.state === 'starting'
}

export function paneAspect(pane: Pane): Aspect {
  if (pane.stuck) return { word: pane.stuck === 'frozen' ? 'frozen' : 'no progress', tone: 'danger', shape: 'triangle' }
  switch (pane.shown) {
    case 'waiting-approval':
      return NEEDS
    case 'running':
      return WORKING
    case 'long-running':
      return { ...WORKING, word: 'working (long)' }
    case 'done':
      return { word: 'done', tone: 'lunar', shape: 'tick' }
    case 'failed':
      return { word: 'failed', tone: 'danger', shape: 'square' }
    default:
      return IDLE
  }
}

const RUN: Readonly<Record<Run['status'], Aspect>> = {
  queued: { word: 'queued', tone: 'unlit', shape: 'dashed' },
  running: { ...WORKING, word: 'running' },
  waiting: { word: 'waiting', tone: 'caution', shape: 'diamond' },
  paused: { word: 'paused', tone: 'unlit', shape: 'bars' },
  completed: { word: 'completed', tone: 'lunar', shape: 'tick' },
  failed: { word: 'failed', tone: 'danger', shape: 'square' },
  rejected: { word: 'rejected', tone: 'danger', shape: 'triangle' },
  cancelled: { word: 'cancelled', tone: 'unlit', shape: 'square' },
}

export function runAspect(status: Run['status']): Aspect {
  return RUN[status]
}

const UNDRIVEN: Aspect = { word: 'stopped', tone: 'danger', shape: 'square' }

/** The status of a run; one that no process drives is not running. */
export function RunBadge({ run }: { run: Run }) {
  const aspect = run.isUndriven ? UNDRIVEN : runAspect(run.status)
  return <StatusBadge aspect={aspect} isLive={run.status === 'running' && !run.isUndriven} />
}

export function isOpenRun({ status }: Pick<Run, 'status'>): boolean {
  return status === 'queued' || status === 'running' || status === 'waiting' || status === 'paused'
}

const NODE: Readonly<Record<RunNode['status'], Aspect>> = {
  running: { ...WORKING, word: 'running' },
  stopped: { word: 'stopped', tone: 'unlit', shape: 'bars' },
  waiting: { word: 'waiting', tone: 'caution', shape: 'diamond' },
  success: { word: 'success', tone: 'lunar', shape: 'tick' },
  partial_success: { word: 'partial success', tone: 'caution', shape: 'triangle' },
  retry: { word: 'retrying', tone: 'caution', shape: 'triangle' },
  fail: { word: 'failed', tone: 'danger', shape: 'square' },
  skipped: { word: 'skipped', tone: 'unlit', shape: 'ring' },
  cancelled: { word: 'cancelled', tone: 'unlit', shape: 'square' },
  idle: { word: 'not started', tone: 'unlit', shape: 'ring' },
}

export function nodeAspect(status: RunNode['status']): Aspect {
  return NODE[status]
}

export function approvalAspect({ state, outcome }: Pick<Approval, 'state' | 'outcome'>): Aspect {
  if (outcome?.observed?.result === 'denied') return { word: 'denied', tone: 'unlit', shape: 'square' }
  switch (state) {
    case 'pending':
      return NEEDS
    case 'decided':
      return { word: 'decided', tone: 'clear', shape: 'ring' }
    case 'applied':
      return { word: 'applied', tone: 'lunar', shape: 'tick' }
    default:
      return { word: state, tone: 'unlit', shape: 'square' }
  }
}

export function riskAspect(level: Approval['risk']['level']): Aspect {
  if (level === 'high') return { word: 'high risk', tone: 'danger', shape: 'triangle' }
  if (level === 'elevated') return { word: 'elevated risk', tone: 'caution', shape: 'triangle' }
  return { word: 'low risk', tone: 'unlit', shape: 'ring' }
}
