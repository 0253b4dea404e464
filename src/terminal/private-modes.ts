import { type ParserHooks, paramAt } from './parser-hooks.js'
import type { SequenceParams } from './xterm-core.js'

/** DEC private modes with a true answer to queries; others are reported as unknown. */
export const KNOWN_MODES = [25, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1049, 2004, 2026, 2027, 2031] as const

const KNOWN: ReadonlySet<number> = new Set(KNOWN_MODES)
const CURSOR_VISIBLE = 25

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

  constructor(set: readonly number[] = [CURSOR_VISIBLE]) {
    this.#set = new Set(set)
  }

  get state(): number[] {
    return [...this.#set]
  }

  isSet(mode: number): boolean {
    return this.#set.has(mode)
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
    hooks.csi({ intermediates: '!', final: 'p' }, () => {
      this.#set.add(CURSOR_VISIBLE)
      return false
    })
  }

  reset(): void {
    this.#set.clear()
    this.#set.add(CURSOR_VISIBLE)
  }

  #change(mode: number, isSet: boolean): void {
    if (!KNOWN.has(mode)) return
    if (isSet) this.#set.add(mode)
    else this.#set.delete(mode)
  }
}
