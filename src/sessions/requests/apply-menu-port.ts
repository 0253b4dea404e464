import type { Menu } from '../../screen/index.js'

/** What applying a decision needs: to read the menu, press keys, await a frame. */
export interface MenuPort {
  /** The live menu now, or null. */
  menu(): Menu | null
  press(keys: string): Promise<void>
  /** Resolves at the next classified frame, or after `ms`. */
  nextFrame(ms: number): Promise<void>
  /** Identifies the menu's appearance: equal menus in a row differ in it. */
  instance?(): string
  /** Equal as long as nothing on the screen has changed. Absent where that is unknown. */
  picture?(): string
  /** How long the menu is shown and nothing was drawn, in ms; absent if unknown. */
  age?(): { visible: number; quiet: number }
}

export interface WantedAnswer {
  hash: string
  /** The appearance that was decided. */
  instance?: string
  label: string
  /** For check boxes: all labels to be ticked, and no others. */
  labels?: readonly string[]
  /** For an option with a text field. */
  text?: string
  /** For a form of several questions on separate pages: one answer each, in order. */
  pages?: readonly WantedPage[]
  /** False when no person has seen the whole request: no widening option is chosen. */
  mayWiden?: boolean
}

export interface WantedPage {
  question: string
  labels: readonly string[]
  text?: string
}

/** Evidence: the keys that were pressed, and the labels that were selected. */
interface ApplyTrace {
  keys: string[]
  seen: string[]
}

export type ApplyOutcome =
  /** `textLeftOut`: the option was chosen, but the text could not be entered. */
  ({ result: 'applied'; textLeftOut?: true } & ApplyTrace) | ({ result: 'stale'; reason: ApplyFailure } & ApplyTrace)

export type ApplyFailure = 'gone' | 'changed' | 'ambiguous' | 'unconfirmed' | 'overtaken'

export type ApplyStep = 'move' | 'confirm'
