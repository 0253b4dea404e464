import type { MenuKind, OptionMeaning } from '../menu/menu.js'
import type { Awaiting, FacetName, Terminator } from '../observation.js'
import type { TerminalView } from '../view.js'
import type { VersionRange } from './versions.js'

/** An agent's screens for a range of versions: a TOML file of `packs/`, compiled. */
export interface Pack {
  file: string
  agent: string
  versions: string
  range: VersionRange
  evidence: string[]
  /** A factor for every confidence: below 1 if the file was written for another version. */
  trust: number
  /** Set by a caller that has a clock; then rules are timed. */
  ruleTimer?: RuleTimer
  locale: string
  /** Whatever the pack does not describe is read by structure alone. */
  byStructure: boolean
  terminator: 'required' | 'optional' | 'none'
  /** After work, an idle input box counts only when it has lasted this long. */
  idleMs: number
  detect: { argv0: string[]; banner: RegExp | null; title: RegExp | null }
  text: { indent: number; width: TextWidth; scrollbar: boolean }
  input: InputSettings
  env: { unset: string[]; set: Record<string, string> }
  regions: RegionSpec[]
  terminators: { pattern: RowPattern; outcome: Terminator['outcome'] }[]
  blocks: BlockSpec[]
  chrome: { first: RowPattern; more: RegExp | null }[]
  volatile: RegExp[]
  queued: RowPattern[]
  /** Echoes that start no turn: slash commands and similar input. */
  commands: RegExp | null
  panels: { name: string; first: RowPattern; more: RegExp | null }[]
  menus: MenuSpec[]
  danger: { id: string; match: RegExp; rule: DangerRule[] }[]
  rules: RuleSpec[]
  fixtures: FixtureSpec[]
}

/** Measures rules. The classifier itself has no clock. */
export interface RuleTimer {
  /** Milliseconds that never decrease. */
  now(): number
  /** The times of a frame's rules in order; `again` measures one on the same frame. */
  frame(times: readonly { rule: RuleSpec; ms: number; again(): number }[]): void
}

export type TextWidth = { from: 'cols'; minus: number } | { from: 'fixed'; width: number }

interface InputSettings {
  /** `paste`: prompts are pasted where possible; typed ones may trigger commands. */
  mode: 'bulk' | 'typed' | 'paste'
  paceMs: number
  /**
   * Text that is pasted before a prompt that starts with `!` or `/`, so that the agent reads the
   * prompt as text.
   */
  literal: { '!': string; '/': string }
  settleMs: number
  submit: string
  newline: string
  clear: string
  interrupt: string[]
  interruptPresses: number
  queue: boolean
  exit: string[]
}

/** A regular expression for one row, and the style that its first non-blank cell must have. */
export interface RowPattern {
  line: RegExp
  style: StyleSpec | null
}

/** Never a colour by value: themes change them. */
export type ColourRelation = 'default' | 'any' | 'page' | 'own' | 'mark'

export interface StyleSpec {
  /** The column of the cell; otherwise the first visible one. */
  at?: number | undefined
  fg?: ColourRelation | undefined
  bg?: ColourRelation | undefined
  /** The cells of the row are drawn beyond its text. */
  band?: boolean | undefined
  /** The cell and the word after it are one run: a mark that is text, not one that is drawn. */
  joined?: boolean | undefined
  bold?: boolean | undefined
  dim?: boolean | undefined
  italic?: boolean | undefined
  inverse?: boolean | undefined
}

export type RegionSpec =
  | { name: string; kind: 'box'; top: RegExp; body: RegExp; bottom: RegExp; without: RegExp | null }
  | { name: string; kind: 'gutter'; body: RegExp; bottom: RegExp; ignore: RegExp | null }
  | { name: string; kind: 'open_box'; body: RegExp; below: 'indented' | 'footer' | 'blank'; footer: RegExp | null }
  | { name: string; kind: 'tail' | 'head'; n: number }
  | { name: string; kind: 'above' | 'below'; of: string; n: number; stop: 'blank' | 'rule' | 'none' }
  | { name: string; kind: 'between'; after: string; before: string }
  | { name: string; kind: 'after_last'; match: RegExp }
  | { name: string; kind: 'title' | 'progress' }

export type ScreenBlockKind = 'prose' | 'tool_call' | 'tool_result' | 'todo' | 'user' | 'thought' | 'notice' | 'error'

export interface BlockSpec {
  kind: ScreenBlockKind
  first: RowPattern
  more: RegExp | null
  /** Starts only if a row right below (after continuation rows) matches. */
  next: RegExp | null
  /** Starts only after a block of one of these kinds. */
  after: ScreenBlockKind[] | null
  /** A blank row ends it. */
  tight: boolean
  /** Starts only where the block above does not continue. */
  weak: boolean
  /** A block with such a row waits in a queue: it is not part of the conversation yet. */
  queued: RegExp | null
  /** Columns that belong to the mark. */
  strip: number
  /** A tool call that still runs; a result that failed. */
  running: RegExp | null
  failed: RegExp | null
}

type DangerRule = 'never-auto' | 'never-default'

export interface MenuSpec {
  kind: MenuKind
  question: RegExp | null
  title: RegExp | null
  /** Tested against the labels, one per line. */
  option: RegExp | null
  column: number | null
  origin: 'agent' | 'user'
  esc: 'deny' | 'cancel' | null
  amend: string | null
  toggle: string
  confirm: string
  unreasoned: string | null
  /** The dialog does not contain what it asks about. */
  isElsewhere: boolean
  choose: 'arrows' | 'accelerator'
  meaning: { label: RegExp; meaning: OptionMeaning; danger: boolean }[]
}

export interface RuleSpec {
  id: string
  view: TerminalView | null
  facet: FacetName | null
  skip: string | null
  priority: number
  region: string
  line: RegExp | null
  text: RegExp | null
  all: RuleCondition[]
  any: RuleCondition[]
  none: RuleCondition[]
  composer: 'live' | 'absent' | 'any'
  cursor: 'on_row' | 'in_region' | 'any'
  style: StyleSpec | null
  busy: boolean | null
  awaiting: Awaiting | null
  close: string | null
  confidence: number
  capture: Record<string, CaptureKind>
  structural: boolean
}

interface RuleCondition {
  region: string
  line: RegExp
}

export type CaptureKind = 'string' | 'int' | 'count' | 'duration' | 'time'

/** A time in a recording and the expected observation. */
export interface FixtureSpec {
  cast: string
  at: number
  /** The agent's version in the recording: it selects the pack file. */
  version?: string
  expect: {
    view?: TerminalView
    /** Other views that are correct as well. */
    accept: TerminalView[]
    busy?: boolean | null
    awaiting?: Awaiting | null
    options?: string[]
  }
  /** Why it is known to fail; until it passes, it is counted and not an error. */
  known?: string
}
