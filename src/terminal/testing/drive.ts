import { TerminalEmulator, type TerminalEvent } from '../emulator.js'
import type { EmulatorOptions } from '../emulator-state.js'
import type { Frame } from '../frame.js'
import { parseSize, type Recording } from './corpus.js'

const encoder = new TextEncoder()

export function bytes(text: string): Uint8Array {
  return encoder.encode(text)
}

export function emulator(options: Partial<EmulatorOptions> = {}): TerminalEmulator {
  return new TerminalEmulator({ cols: 20, rows: 5, ...options })
}

export function framesOf(events: readonly TerminalEvent[]): Frame[] {
  return events.flatMap(event => (event.type === 'frame' ? [event.frame] : []))
}

export function repliesOf(events: readonly TerminalEvent[]): string[] {
  return events.flatMap(event => (event.type === 'reply' ? [new TextDecoder().decode(event.bytes)] : []))
}

export function evidenceOf(events: readonly TerminalEvent[]) {
  return events.flatMap(event => (event.type === 'evidence' ? [event.evidence] : []))
}

/** The current screen as text. */
export function screenOf(terminal: TerminalEmulator, t = 1e6): string[] {
  return framesOf(terminal.endFrame(t))
    .at(-1)!
    .lines.map(row => row.text)
}

/** A small random generator with a seed: the same test data in every run. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

export type Cut = (whole: Uint8Array) => Iterable<Uint8Array>

const asIs: Cut = whole => [whole]

export function* byteByByte(whole: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < whole.length; at++) yield whole.subarray(at, at + 1)
}

export function randomPieces(seed: number, longest = 40): Cut {
  const random = seededRandom(seed)
  return function* cut(whole) {
    for (let at = 0; at < whole.length; ) {
      const length = 1 + Math.floor(random() * longest)
      yield whole.subarray(at, at + length)
      at += length
    }
  }
}

export interface Replay {
  cut?: Cut
  /** Serialize and restore before these events. */
  restartBefore?: ReadonlySet<number>
}

/** All events of a recording, with its own times. */
export function replay(recording: Recording, { cut = asIs, restartBefore }: Replay = {}): TerminalEvent[] {
  let terminal = new TerminalEmulator({ cols: recording.cols, rows: recording.rows })
  const events: TerminalEvent[] = []
  recording.events.forEach(({ t, kind, data }, index) => {
    if (restartBefore?.has(index)) terminal = TerminalEmulator.restore(JSON.parse(JSON.stringify(terminal.serialize())))
    if (kind === 'o') for (const piece of cut(bytes(data))) events.push(...terminal.feed(piece, t, { live: true }))
    if (kind === 'r') events.push(...terminal.resize(parseSize(data).cols, parseSize(data).rows, t))
  })
  events.push(...terminal.tick(1e9))
  return events
}
