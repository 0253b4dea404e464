import type { Menu } from '../screen/index.js'

/** What applying a decision needs of the terminal: to look, to press keys, and to wait for the next frame. */
export interface MenuPort {
  /** The live menu now, or null. */
  menu(): Menu | null
  press(keys: string): Promise<void>
  /** Resolves at the next classified frame, or after `ms`. */
  nextFrame(ms: number): Promise<void>
  /** Which appearance of a menu stands on screen; two equal menus in a row differ in it. Left out where only the print is known. */
  instance?(): string
  /** Equal as long as nothing on screen has changed. Left out: nothing is known. */
  picture?(): string
  /** For how long the menu has stood, and for how long nothing was drawn, in milliseconds. Left out: nothing is known. */
  age?(): { stands: number; quiet: number }
}

export interface WantedAnswer {
  print: string
  /** The appearance that was decided. */
  instance?: string
  label: string
  /** For check boxes: every label that shall be ticked, and no other. */
  labels?: readonly string[]
  /** For an option that one writes into. */
  text?: string
  /** For a form of several questions, on pages of their own: one answer each, in their order. */
  pages?: readonly WantedPage[]
  /** False where nobody has seen the whole: then an option that widens what runs unasked is not chosen. */
  mayWiden?: boolean
}

export interface WantedPage {
  question: string
  labels: readonly string[]
  text?: string
}

/** `keys` and `seen` are kept as evidence: what was pressed, and which labels were selected when. */
export interface ApplyTrace {
  keys: string[]
  seen: string[]
}

export type ApplyOutcome =
  /** `textLeftOut`: the option was chosen, and what should have been written into it could not be. */
  ({ result: 'applied'; textLeftOut?: true } & ApplyTrace) | ({ result: 'stale'; reason: ApplyFailure } & ApplyTrace)

export type ApplyFailure = 'gone' | 'changed' | 'ambiguous' | 'unconfirmed' | 'overtaken'

export type ApplyStep = 'move' | 'confirm'
