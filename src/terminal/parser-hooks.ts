import type { XtermTerminal } from './xterm-core.js'

export interface SequenceId {
  prefix?: string
  intermediates?: string
  final: string
}

export type SequenceParams = (number | number[])[]

/** Longest OSC or DCS payload that reaches a hook, in UTF-16 units. */
export const PAYLOAD_MAX = 64 * 1024

/**
 * The only way to register a parser hook. An exception in a hook would unwind through xterm's parser in the middle of a
 * sequence; here it is caught and counted, and the sequence goes on to xterm's own handler as if the hook were not there.
 * A hook returns true when the sequence is dealt with, and it must not return a promise: that would stall the parser.
 */
export class ParserHooks {
  faults = 0
  oversized = 0
  readonly #terminal: XtermTerminal

  constructor(terminal: XtermTerminal) {
    this.#terminal = terminal
  }

  csi(id: SequenceId, hook: (params: SequenceParams) => boolean): void {
    this.#terminal.parser.registerCsiHandler(id, params => this.#guard(() => hook(params)))
  }

  esc(id: SequenceId, hook: () => boolean): void {
    this.#terminal.parser.registerEscHandler(id, () => this.#guard(hook))
  }

  osc(id: number, hook: (payload: string) => boolean): void {
    this.#terminal.parser.registerOscHandler(id, payload => this.#limited(payload, hook))
  }

  dcs(id: SequenceId, hook: (payload: string) => boolean): void {
    this.#terminal.parser.registerDcsHandler(id, payload => this.#limited(payload, hook))
  }

  bell(hook: () => void): void {
    this.#terminal.onBell(() => {
      this.#guard(() => {
        hook()
        return true
      })
    })
  }

  #limited(payload: string, hook: (payload: string) => boolean): boolean {
    if (payload.length > PAYLOAD_MAX) {
      this.oversized++
      return true
    }
    return this.#guard(() => hook(payload))
  }

  #guard(hook: () => boolean): boolean {
    try {
      return hook() === true
    } catch {
      this.faults++
      return false
    }
  }
}

/** A numeric parameter; sub-parameters count as their first value. */
export function paramAt(params: SequenceParams, index: number, fallback = 0): number {
  const value = params[index]
  return (Array.isArray(value) ? value[0] : value) ?? fallback
}
