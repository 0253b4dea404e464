import { TextBuilder } from './text-builder.js'
import { coreOf, type SequenceId, type SequenceParams, type XtermCore, type XtermTerminal } from './xterm-core.js'

/** The longest OSC or DCS payload that reaches a hook, in characters. */
export const PAYLOAD_MAX = 64 * 1024

/**
 * The only way to register a parser hook. An exception in a hook would unwind through xterm's
 * parser in the middle of a sequence; here it is caught and counted, and xterm's own handler gets
 * the sequence as if the hook did not exist. A hook returns true when it has handled the sequence.
 * It must not return a promise, which would stall the parser.
 */
export class ParserHooks {
  faults = 0
  oversized = 0
  readonly #terminal: XtermTerminal
  readonly #core: XtermCore
  readonly #parser: XtermCore['_inputHandler']['_parser']

  constructor(terminal: XtermTerminal) {
    this.#terminal = terminal
    this.#core = coreOf(terminal)
    this.#parser = this.#core._inputHandler._parser
  }

  /** The parser reuses the parameters: a hook must not keep them. */
  csi(id: SequenceId, hook: (params: SequenceParams) => boolean): void {
    this.#core.registerCsiHandler(id, params => this.#guard(hook, params))
  }

  esc(id: SequenceId, hook: () => boolean): void {
    this.#terminal.parser.registerEscHandler(id, () => this.#guard(hook, undefined))
  }

  /** Replaces xterm's handler, which would collect the payload again without our limit. */
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
    const rung = () => {
      hook()
      return true
    }
    this.#terminal.onBell(() => {
      this.#guard(rung, undefined)
    })
  }

  #finish(payload: Payload, success: boolean, hook: (payload: string) => boolean): boolean {
    const text = payload.finish()
    if (!success) return false
    if (text !== null) return this.#guard(hook, text)
    this.oversized++
    return true
  }

  #guard<Given>(hook: (given: Given) => boolean, given: Given): boolean {
    try {
      return hook(given) === true
    } catch {
      this.faults++
      return false
    }
  }
}

/** Collects a payload up to the limit; a longer one is not kept. */
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
    this.#text += textOf(data, start, end)
  }

  /** The text, or null if it was too long. */
  finish(): string | null {
    const text = this.#text
    this.#text = ''
    return text
  }
}

const units = new TextBuilder(PAYLOAD_MAX * 2)

function textOf(data: Uint32Array, start: number, end: number): string {
  units.clear()
  for (let at = start; at < end; at++) units.add(data[at]!)
  return units.text()
}

export function paramAt(params: SequenceParams, index: number, fallback = 0): number {
  return index < params.length ? params.params[index]! : fallback
}
