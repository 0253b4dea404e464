import { coreOf, type SequenceId, type XtermCore, type XtermTerminal } from './xterm-core.js'

export type SequenceParams = (number | number[])[]

/** Longest OSC or DCS payload that reaches a hook, in characters. */
export const PAYLOAD_MAX = 64 * 1024

/** As arguments of one call; the stack has room for more. */
const CODE_POINTS_AT_ONCE = 4096

/**
 * The only way to register a parser hook. An exception in a hook would unwind through xterm's parser in the middle of a
 * sequence; here it is caught and counted, and the sequence goes on to xterm's own handler as if the hook were not there.
 * A hook returns true when the sequence is dealt with, and it must not return a promise: that would stall the parser.
 */
export class ParserHooks {
  faults = 0
  oversized = 0
  readonly #terminal: XtermTerminal
  readonly #parser: XtermCore['_inputHandler']['_parser']

  constructor(terminal: XtermTerminal) {
    this.#terminal = terminal
    this.#parser = coreOf(terminal)._inputHandler._parser
  }

  csi(id: SequenceId, hook: (params: SequenceParams) => boolean): void {
    this.#terminal.parser.registerCsiHandler(id, params => this.#guard(() => hook(params)))
  }

  esc(id: SequenceId, hook: () => boolean): void {
    this.#terminal.parser.registerEscHandler(id, () => this.#guard(hook))
  }

  /** Takes the place of xterm's own handler: it would collect the payload a second time, without our limit. */
  osc(id: number, hook: (payload: string) => boolean): void {
    const payload = new Payload()
    this.#parser.clearOscHandler(id)
    this.#parser.registerOscHandler(id, {
      start: () => payload.clear(),
      put: (data, start, end) => payload.add(data, start, end),
      end: success => this.#finish(payload, success, hook),
    })
  }

  dcs(id: SequenceId, hook: (payload: string) => boolean): void {
    const payload = new Payload()
    this.#parser.clearDcsHandler(id)
    this.#parser.registerDcsHandler(id, {
      hook: () => payload.clear(),
      put: (data, start, end) => payload.add(data, start, end),
      unhook: success => this.#finish(payload, success, hook),
    })
  }

  bell(hook: () => void): void {
    this.#terminal.onBell(() => {
      this.#guard(() => {
        hook()
        return true
      })
    })
  }

  #finish(payload: Payload, success: boolean, hook: (payload: string) => boolean): boolean {
    const text = payload.take()
    if (!success) return false
    if (text !== null) return this.#guard(() => hook(text))
    this.oversized++
    return true
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

/** Collects a payload up to the limit; beyond it nothing is kept. */
class Payload {
  #text: string | null = ''

  clear(): void {
    this.#text = ''
  }

  add(data: Uint32Array, start: number, end: number): void {
    if (this.#text === null) return
    if (this.#text.length + end - start > PAYLOAD_MAX) {
      this.#text = null
      return
    }
    for (let at = start; at < end; at += CODE_POINTS_AT_ONCE) {
      this.#text += String.fromCodePoint(...data.subarray(at, Math.min(end, at + CODE_POINTS_AT_ONCE)))
    }
  }

  /** The text, or null if it was too long. */
  take(): string | null {
    const text = this.#text
    this.#text = ''
    return text
  }
}

/** A numeric parameter; sub-parameters count as their first value. */
export function paramAt(params: SequenceParams, index: number, fallback = 0): number {
  const value = params[index]
  return (Array.isArray(value) ? value[0] : value) ?? fallback
}
