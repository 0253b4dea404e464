import type { PaneState, PaneStatus, SupervisedState, Supervisor } from '../panes/index.js'
import type { Menu } from '../screen/index.js'
import type { Redactor } from '../text/index.js'
import type { SessionPane } from './pane-registry.js'
import type { TmuxPane } from './tmux-pane.js'

/** A pane as surfaces show it. Times are wall-clock milliseconds. */
export interface PaneInfo {
  id: string
  source: 'session' | 'tmux'
  /** A session's number, or a place in tmux such as `main:1.0`. */
  place: string
  name: string
  /** tmux: its server and its own id. */
  socket?: string
  tmuxPane?: string
  agent: string | null
  job: string | null
  /** Redacted and shortened. */
  command: string
  cwd: string
  title: string
  status: PaneStatus
  /** What a list shows: done and failed stay for a moment after they were seen. */
  shown: PaneStatus
  since: number
  startedAt: number
  waitedSince?: number
  needsYou: boolean
  /** What it does, or asks. */
  doing: string
  seen: boolean
  background: number
  stuck: 'frozen' | 'no-progress' | null
  exitCode?: number | null
  isFaded: boolean
  /** It faded a moment ago: lists show it as just finished. */
  isRecent: boolean
  isFocused: boolean
  isInMode: boolean
  why: { claim: string | null; authority: string; rule: string; confidence: number; staleForS: number | null }
  heuristics: 'auto' | 'off'
  /** No notifications are sent for it. */
  isMuted: boolean
  /** Why the heuristics may not judge this pane; null: they may. */
  heuristicsOff: string | null
  flicker: number
  generation: number
  stateId: number
  approval?: string
  /** The worker on whose machine it is; absent: this one. */
  worker?: string
}

/** Everything except what the registry adds itself. */
type UnmutedPane = Omit<PaneInfo, 'isMuted'>

export function describeSession(pane: SessionPane, redactor: Redactor): UnmutedPane {
  const { place, name, agent, cwd, approval } = pane.about()
  return {
    ...common(pane, redactor),
    source: 'session',
    place,
    name,
    agent: agent === 'generic' ? null : agent,
    cwd,
    isFocused: false,
    isInMode: false,
    ...(approval !== null && { approval }),
  }
}

export function describeTmux(pane: TmuxPane, redactor: Redactor): UnmutedPane {
  const { info, agent, socket } = pane
  return {
    ...common(pane, redactor),
    source: 'tmux',
    place: info.place,
    name: info.window,
    socket,
    tmuxPane: info.pane,
    agent,
    cwd: info.cwd,
    isFocused: info.isFocused,
    isInMode: info.isInMode,
  }
}

function common(
  pane: { id: string; supervisor: Supervisor; now(): number; wall(t: number): number },
  redactor: Redactor,
) {
  const t = pane.now()
  const state = pane.supervisor.state(t)
  const { job } = pane.supervisor
  const paneState = pane.supervisor.pane.state(t)
  return {
    id: pane.id,
    job: job?.name ?? null,
    command: job?.commandLine ?? '',
    title: redactor.redact(pane.supervisor.pane.screen.last?.frame.title ?? ''),
    status: state.status,
    shown: state.shown,
    since: Math.round(pane.wall(state.since)),
    startedAt: Math.round(pane.wall(state.startedAt)),
    ...(state.waitedSince !== undefined && { waitedSince: Math.round(pane.wall(state.waitedSince)) }),
    needsYou: state.status === 'waiting-approval',
    doing: doingOf(paneState, state, text => redactor.redact(text)),
    seen: state.seen,
    background: state.background,
    stuck: state.stuck,
    ...(state.exitCode !== undefined && { exitCode: state.exitCode }),
    isFaded: state.isFaded,
    isRecent: state.isRecent,
    why: {
      claim: state.claim?.is ?? null,
      authority: state.authority,
      rule: state.rule,
      confidence: state.confidence,
      staleForS: state.staleFor === null ? null : Math.round(state.staleFor),
    },
    heuristics: state.heuristics,
    heuristicsOff: state.ineligible,
    flicker: state.flicker,
    generation: state.generation,
    stateId: state.stateId,
  }
}

function doingOf(state: PaneState, supervised: SupervisedState, redact: (text: string) => string): string {
  const raw = rawDoing(state, supervised)
  // A question may be wrapped; of everything else the first line says enough.
  return redact(oneLine(supervised.status === 'waiting-approval' ? raw : firstLine(raw))).slice(0, 200)
}

/** What the pane does or asks, unredacted. */
export function rawDoing(
  { payload, view, look, awaiting }: PaneState,
  { status, claim, exitCode, label }: SupervisedState,
): string {
  const { menu, tool, message } = (payload ?? {}) as {
    menu?: Menu | null
    tool?: { name: string; summary: string } | null
    message?: string
  }
  if (status === 'waiting-approval') {
    const question = menu?.question || menu?.options.map(option => option.label).join(' / ')
    // A hook may report the question before the screen shows it: the last row is another one then.
    return question || (awaiting ? lastRow(rowTexts(look)) : '') || 'waits for an answer'
  }
  if (status === 'failed')
    return message ?? (exitCode != null ? `exit ${exitCode}` : claim?.is === 'failed' ? claim.reason : '')
  if (status === 'running' || status === 'long-running') {
    if (tool && (tool.summary || tool.name !== 'Shell')) return toolText(tool)
    const menuLabel = (payload as { label?: string } | null)?.label
    return label || menuLabel || (view === 'response_content' ? 'writing its answer' : view.replaceAll('_', ' '))
  }
  // At a shell's prompt, what looks like the person's last message is only older output.
  const isShell = (payload as { prompt?: string } | null)?.prompt === 'shell'
  return isShell ? '' : (look?.observation.user ?? '')
}

function rowTexts(look: PaneState['look']): string[] {
  return look?.frame.lines.map(line => line.text) ?? []
}

/** A question without a menu is the last row with text. */
function lastRow(rows: readonly string[]): string {
  return rows.findLast(row => row.trim() !== '')?.trim() ?? ''
}

function firstLine(text: string): string {
  return text.split('\n').find(line => line.trim() !== '') ?? ''
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\s]+/gu, ' ').trim()
}

/** Some summaries start with the name of the tool: `Read src/cart.js`. */
function toolText({ name, summary }: { name: string; summary: string }): string {
  return summary === name || summary.startsWith(`${name} `) ? summary : `${name} ${summary}`.trim()
}
