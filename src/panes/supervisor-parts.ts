import type { Config } from '../config/index.js'
import { type Frame, memoizeByObject, type RowMask, rowChanges } from '../terminal/index.js'
import type { Counters } from './counters.js'
import type { Claim, Evidence } from './evidence.js'
import type { HeuristicSignal } from './heuristics/index.js'
import type { PaneState } from './pane.js'
import type { SignalSource } from './signals.js'
import type { StatusEntry, StatusState } from './status.js'
import type { PaneStatus, StatusEvent } from './status-table.js'

/** The settings that supervision needs, as the configuration has them. */
export type SupervisorSettings = Pick<Config, 'panes' | 'heuristics' | 'queue' | 'reading' | 'osc7501' | 'agents'>

export interface SupervisorOptions {
  settings: SupervisorSettings
  /** Process names of all known agents: heuristics may judge them. */
  agentPrograms: readonly string[]
  counters: Counters
  /** The owner can check whether the program reads its terminal (`isReadCheckDue`). */
  canCheckReads?: boolean
  onError(error: unknown): void
}

/** The state of a pane for a person, at one moment. */
export interface SupervisedState extends StatusState {
  /** When the status last changed. */
  since: number
  /** What is shown: done and failed stay for a moment after they were seen. */
  shown: PaneStatus
  /** Done or failed longer than a compact list shows. */
  isFaded: boolean
  /** Its status faded recently. */
  isRecent: boolean
  claim: Claim | null
  authority: string
  rule: string
  confidence: number
  /** Seconds since the last report about the pane; null while a report counts. */
  staleFor: number | null
  contradictions: number
  flicker: number
  heuristics: 'auto' | 'off'
  /** Why heuristics are off; null while they may report. */
  ineligible: string | null
}

export function isActiveStatus(status: PaneStatus): boolean {
  return status === 'running' || status === 'long-running'
}

export const SIGNAL_EFFECTS: Readonly<Record<HeuristicSignal, { event: StatusEvent; claim: Claim }>> = {
  heuristic_run: { event: 'start', claim: { is: 'working' } },
  heuristic_done: { event: 'finish-ok', claim: { is: 'done' } },
  heuristic_wait: { event: 'ask', claim: { is: 'blocked', awaiting: 'input' } },
  heuristic_idle: { event: 'idle', claim: { is: 'idle' } },
}
export const SIGNAL_EXPIRY_S = 30

/** A row without the times in it: a running clock is not news. */
export const withoutTimes: RowMask = memoizeByObject(row =>
  row.text
    .replace(/^\s*[^\p{L}\p{N}\s]{1,8}\s/u, '')
    .replace(/(?:\d+h ?)?(?:\d+m ?)?\d+(?:\.\d+)?s\b|\d{1,2}:\d{2}(?::\d{2})?/gu, '0'),
)

/**
 * Whether a frame shows anything that the previous one did not, besides motion and running clocks.
 */
export function hasNewContent(before: Frame | null, after: Frame): boolean {
  if (before === null || before.buffer !== after.buffer || before.cols !== after.cols) return true
  const { added, changed } = rowChanges(before.lines, after.lines, withoutTimes)
  return changed.length > 0 || added.some(({ text }) => text.trim() !== '')
}

export function sourceOf({ authority }: Evidence): SignalSource {
  return authority === 'structure' ? 'screen' : authority === 'silence' ? 'content' : authority
}

/** `shell/command-end` → `command-end`. */
export function evidenceName({ ref }: Evidence): string {
  return ref.slice(ref.indexOf('/') + 1)
}

export function describeClaim(claim: Claim | null): string {
  if (!claim) return 'nothing'
  if (claim.is === 'blocked') return `blocked (${claim.awaiting})`
  if (claim.is === 'working' && claim.label !== undefined) return `working (${claim.label.slice(0, 40)})`
  if (claim.is === 'failed') return `failed (${claim.reason.slice(0, 60)})`
  return claim.is
}

export function effectOf(entry: StatusEntry | null): string {
  if (!entry) return 'agrees'
  if (entry.reason !== 'applied') return entry.reason
  return entry.from === entry.to ? 'agrees' : `${entry.from} → ${entry.to}`
}

export function isOneRank(a: string, b: string): boolean {
  return (a === 'hook' && b === 'transcript') || (a === 'transcript' && b === 'hook')
}

/** A person is asked. A REPL's prompt, an opened list and Ctrl-C twice are not questions. */
export function asksPerson({ view, awaiting, reading }: Pick<PaneState, 'view' | 'awaiting' | 'reading'>): boolean {
  if (awaiting === null || awaiting === 'picker' || awaiting === 'exit_confirm' || view === 'idle_prompt') return false
  return !(reading.claim?.is === 'blocked' && reading.claim.awaiting === 'picker')
}
