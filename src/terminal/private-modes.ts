import { type ParserHooks, paramAt } from './parser-hooks.js'
import type { SequenceParams } from './xterm-core.js'

/** DEC private modes with a true answer to queries; others are reported as unknown. */
export const KNOWN_MODES = [
  1, 6, 7, 25, 66, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1049, 2004, 2026, 2027, 2031,
] as const

const KNOWN: ReadonlySet<number> = new Set(KNOWN_MODES)
const CURSOR_VISIBLE = 25
const AUTOWRAP = 7
const KEYPAD = 66
/** Set in a new terminal and after a reset. */
const INITIAL = [AUTOWRAP, CURSOR_VISIBLE] as const
/** ANSI modes: insert instead of replace, and a line feed that returns to the left edge. */
const INSERT = 4
const LINE_FEED = 20
const ANSI_MODES: ReadonlySet<number> = new Set([INSERT, LINE_FEED])

/**
 * Modes that change nothing in the grid: cursor blinking and visibility, focus reports, pasting,
 * synchronized updates, colour scheme reports. Agents switch them several times per frame. xterm
 * would record them a second time, one of them as an option with listeners.
 */
const NOT_FORWARDED: ReadonlySet<number> = new Set([12, CURSOR_VISIBLE, 1004, 2004, 2026, 2031])
const SYNCHRONIZED_OUTPUT = 2026

/** Remembers which known modes are set. Mouse and focus modes are recorded, never acted on. */
export class PrivateModes {
  readonly #set: Set<number>
  readonly #ansi: Set<number>

  constructor(set: readonly number[] = INITIAL, ansi: readonly number[] = []) {
    this.#set = new Set(set)
    this.#ansi = new Set(ansi)
  }

  get state(): number[] {
    return [...this.#set]
  }

  get ansiState(): number[] {
    return [...this.#ansi]
  }

  isSet(mode: number): boolean {
    return this.#set.has(mode)
  }

  /** The answer to a query for an ANSI mode: 1 set, 2 reset, 0 unknown. */
  ansiReport(mode: number): 0 | 1 | 2 {
    return !ANSI_MODES.has(mode) ? 0 : this.#ansi.has(mode) ? 1 : 2
  }

  /** A line feed returns to the left edge, too. */
  get isNewLine(): boolean {
    return this.#ansi.has(LINE_FEED)
  }

  get isCursorVisible(): boolean {
    return this.isSet(CURSOR_VISIBLE)
  }

  /** `onSynchronized` is called for mode 2026 at the byte that switches it. */
  register(hooks: ParserHooks, onSynchronized: (isSet: boolean) => void): void {
    const change = (isSet: boolean) => (params: SequenceParams) => {
      let isSynchronized = false
      let isHandled = true
      for (let index = 0; index < params.length; index++) {
        const mode = paramAt(params, index)
        this.#change(mode, isSet)
        if (mode === SYNCHRONIZED_OUTPUT) isSynchronized = true
        isHandled &&= NOT_FORWARDED.has(mode)
      }
      if (isSynchronized) onSynchronized(isSet)
      return isHandled
    }
    hooks.csi({ prefix: '?', final: 'h' }, change(true))
    hooks.csi({ prefix: '?', final: 'l' }, change(false))
    const changeAnsi = (isSet: boolean) => (params: SequenceParams) => {
      for (let index = 0; index < params.length; index++) {
        const mode = paramAt(params, index)
        if (isSet) this.#ansi.add(mode)
        else this.#ansi.delete(mode)
      }
      return false
    }
    hooks.csi({ final: 'h' }, changeAnsi(true))
    hooks.csi({ final: 'l' }, changeAnsi(false))
    // DECKPAM and DECKPNM are the older names of the keypad's mode.
    hooks.esc({ final: '=' }, () => this.#change(KEYPAD, true))
    hooks.esc({ final: '>' }, () => this.#change(KEYPAD, false))
    // DECSTR, as xterm does it: the line feed keeps its mode.
    hooks.csi({ intermediates: '!', final: 'p' }, () => {
      for (const mode of INITIAL) this.#set.add(mode)
      for (const mode of [1, 6, KEYPAD]) this.#set.delete(mode)
      this.#ansi.delete(INSERT)
      return false
    })
  }

  reset(): void {
    this.#set.clear()
    this.#ansi.clear()
    for (const mode of INITIAL) this.#set.add(mode)
  }

  /** @returns false: the handlers of xterm run, too. */
  #change(mode: number, isSet: boolean): false {
    if (isSet && KNOWN.has(mode)) this.#set.add(mode)
    else this.#set.delete(mode)
    return false
  }
}
