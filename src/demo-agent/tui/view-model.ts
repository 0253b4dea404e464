import type { MenuState } from '../menu/menu-state.js'
import type { AgentState, Outcome, ToolCall, Working } from '../player/surface.js'
import type { TodoItem } from '../scenario/types.js'
import type { DiffRow } from '../text/diff.js'
import { type Composer, EMPTY_COMPOSER } from './composer.js'

export interface ToolEntry {
  kind: 'tool'
  call: ToolCall
  state: 'waiting' | 'running' | 'ok' | 'failed' | 'declined'
  output: string
  exitCode: number | null
  diff: DiffRow[] | null
}

/** One entry on the screen. A changed one is a new object: rows are cached by identity. */
export type Entry =
  | { kind: 'banner'; version: string; scenario: string; cwd: string; isResumed: boolean }
  | { kind: 'user'; text: string }
  /**
   * `isLead` is false for the rest of a block whose start was already printed: it has no bullet.
   */
  | { kind: 'prose'; markdown: string; isLead: boolean }
  | { kind: 'plain'; lines: string[]; isLead: boolean }
  | ToolEntry
  | { kind: 'thought'; durationMs: number }
  | { kind: 'answer'; question: string; answer: string }
  | { kind: 'notice'; text: string }
  /** The output of a command of the program itself. */
  | { kind: 'output'; lines: string[] }
  | { kind: 'error'; text: string }
  | { kind: 'end'; outcome: Outcome; durationMs: number; tokens: number }

export interface ViewModel {
  committed: Entry[]
  /** Still changing: drawn in the live region, below everything committed. */
  open: Entry[]
  working: (Working & { since: number }) | null
  turnSince: number
  tokens: number
  tick: number
  menu: MenuState | null
  todo: TodoItem[]
  agents: AgentState[]
  background: string[]
  queued: string[]
  survey: string | null
  composer: Composer
  placeholder: string
  mode: string
  isExitArmed: boolean
  /** How many rows the fullscreen viewer is scrolled back. */
  scrolledBy: number
}

export function emptyModel(placeholder: string, mode: string): ViewModel {
  return {
    committed: [],
    open: [],
    working: null,
    turnSince: 0,
    tokens: 0,
    tick: 0,
    menu: null,
    todo: [],
    agents: [],
    background: [],
    queued: [],
    survey: null,
    composer: EMPTY_COMPOSER,
    placeholder,
    mode,
    isExitArmed: false,
    scrolledBy: 0,
  }
}
