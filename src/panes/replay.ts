import type { Pack } from '../screen/index.js'
import { Pane, type PaneState } from './pane.js'

/** One event of a recording, as far as a replay needs it. */
export type ReplayEvent =
  | { kind: 'output'; t: number; bytes: Uint8Array }
  | { kind: 'input'; t: number; bytes: Uint8Array }
  | { kind: 'resize'; t: number; cols: number; rows: number }
  | { kind: 'marker'; t: number; label: string }
  | { kind: 'exit'; t: number; exit: { code: number | null; signal: string | null } }

export interface ReplayOptions {
  pack: Pack
  cols: number
  rows: number
  /** Only the state at these times, ascending. */
  at?: readonly number[]
  /** Only the state after so many events, ascending. */
  atEvent?: readonly number[]
}

export type ReplayLine = { type: 'state'; state: PaneState } | { type: 'at'; at: number; state: PaneState }

/** Terminals answer questions on the same wire as keys; an answer is not a person's doing. */
const REPLY = /^(?:\u001b\[[?>]?[\d;]*[cnRuty]|\u001b\[\?[\d;]*\$y|\u001b\][\d]+;[^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001bP[^\u001b]*\u001b\\|\u001b\[[IO])+$/u

/**
 * Runs a recording through the same code as a live pane, on the recording's own time: nothing sleeps, nothing is answered. Yields the state
 * whenever a frame was classified, or at the times that were asked for.
 */
export function* replayEvents(events: Iterable<ReplayEvent>, options: ReplayOptions): Generator<ReplayLine> {
  const pane = new Pane(options.pack, { cols: options.cols, rows: options.rows })
  const times = [...(options.at ?? [])].sort((a, b) => a - b)
  const counts = [...(options.atEvent ?? [])].sort((a, b) => a - b)
  const isAsked = options.at !== undefined || options.atEvent !== undefined
  let seen = 0
  let last = 0
  for (const event of events) {
    while (times.length > 0 && times[0]! < event.t) yield* stateAt(pane, times.shift()!)
    const steps = [...runTimers(pane, event.t), ...apply(pane, event)]
    last = Math.max(last, event.t)
    seen++
    if (!isAsked) for (const step of steps) if (step.type === 'look') yield { type: 'state', state: pane.state(step.look.t) }
    while (counts.length > 0 && counts[0]! <= seen) {
      counts.shift()
      yield* stateAt(pane, event.t)
    }
  }
  if (isAsked) for (const at of times) yield* stateAt(pane, at)
  else {
    for (const step of runTimers(pane, last + 5)) if (step.type === 'look') yield { type: 'state', state: pane.state(step.look.t) }
  }
}

function* stateAt(pane: Pane, t: number): Generator<ReplayLine> {
  runTimers(pane, t)
  pane.force(t)
  yield { type: 'at', at: t, state: pane.state(t) }
}

/** Every deadline up to this time, each at its own moment. */
function runTimers(pane: Pane, until: number) {
  const steps = []
  for (let due = pane.nextDeadline(); due !== null && due <= until; due = pane.nextDeadline()) {
    const made = pane.tick(due)
    steps.push(...made)
    if (pane.nextDeadline() === due) break
  }
  return steps
}

function apply(pane: Pane, event: ReplayEvent) {
  switch (event.kind) {
    case 'output':
      return pane.feed(event.bytes, event.t, { live: false })
    case 'resize':
      return pane.resize(event.cols, event.rows, event.t)
    case 'input':
      if (!REPLY.test(Buffer.from(event.bytes).toString('latin1'))) pane.noteInput(event.t, event.bytes)
      return []
    case 'exit':
      pane.exited(event.exit, event.t)
      return []
    case 'marker':
      return []
  }
}
