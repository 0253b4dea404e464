import type { ProposedDecision } from '../../approvals/index.js'
import type { PaneInfo } from '../../supervision/index.js'
import type { ApprovalInfo } from '../approvals/approval-info.js'

/** What the person sees and is about to do; everything that is not data of the daemon. */
export interface CockpitView {
  selected: string | null
  /** The position of the selected row. */
  at: number
  /** The first row of the list that is shown. */
  top: number
  /** The first line of the request that is shown. */
  scroll: number
  filter: string
  /** Also shows idle panes. */
  showsAll: boolean
  /** The selected session fills the screen. */
  isZoomed: boolean
  mode: Mode
  notice: string
}

export const INITIAL_VIEW: CockpitView = {
  selected: null,
  at: 0,
  top: 0,
  scroll: 0,
  filter: '',
  showsAll: true,
  isZoomed: false,
  mode: { kind: 'list' },
  notice: '',
}

export type CockpitAnswer = Pick<ProposedDecision, 'option' | 'choices' | 'text' | 'note'> & { label: string }

/** What the cockpit does outside its screen. */
export type CockpitCommand =
  | { do: 'leave' | 'seen-all' | 'new' | 'dashboard' }
  | { do: 'go' | 'seen' | 'clear' | 'why' | 'heuristics' | 'mute' | 'stop' | 'interrupt'; pane: PaneInfo }
  | { do: 'run-log' | 'resume-run' | 'cancel-run'; run: string; title: string }
  | { do: 'send' | 'rename'; pane: PaneInfo; text: string }
  | { do: 'decide'; request: ApprovalInfo; answer: CockpitAnswer; isConfirmed?: boolean }
  | { do: 'prove'; code: string; after: Extract<CockpitCommand, { do: 'decide' }> }
  | { do: 'start'; agent: string; cwd: string; prompt: string; worktree: boolean }

/** What happens after a person has typed a line, chosen an option or confirmed. */
export interface ViewStep {
  mode?: Mode
  command?: CockpitCommand
  notice?: string
}

export interface Choice {
  label: string
  step: ViewStep
}

export type Mode =
  | { kind: 'list' }
  | { kind: 'filter' }
  | { kind: 'line'; label: string; value: string; done(value: string): ViewStep }
  | { kind: 'confirm'; question: string; command: CockpitCommand }
  | { kind: 'choose'; question: string; choices: readonly Choice[]; at: number }
  | { kind: 'page'; lines: readonly string[]; top: number }
