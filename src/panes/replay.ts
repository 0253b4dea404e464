import type { Pack } from '../screen/index.js'
import { Pane, type PaneState, type PaneStep } from './pane.js'

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
  /** Only the state after this many events, ascending. */
  atEvent?: readonly number[]
}

export type ReplayLine = { type: 'state'; state: PaneState } | { type: 'at'; at: number; state: PaneState }

/**
 * Terminals answer queries on the same wire as keys; such an answer is not an action of a person.
 */
const REPLY =
  /^(?:\u001b\[[?>]?[\d;]*[cnRuty]|\u001b\[\?[\d;]*\$y|\u001b\][\d]+;[^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001bP[^\u001b]*\u001b\\|\u001b\[[IO])+$/u

/**
 * How long after the last event timers may still be due: an idle state is accepted within a second.
 */
const AFTER_END_S = 5

/** Runs a recording like a live pane, in its own time: nothing sleeps or answers. */
export class Replay {
  readonly pane: Pane
  /** Terminal answers among the input. */
  replies = 0
  /** Time of the newest event. */
  t = 0

  constructor(options: { pack: Pack; cols: number; rows: number }) {
    this.pane = new Pane(options.pack, { cols: options.cols, rows: options.rows })
  }

  /** Everything that is due before the event, then the event. */
  apply(event: ReplayEvent): PaneStep[] {
    const steps = this.runTimers(event.t)
    this.t = Math.max(this.t, event.t)
    switch (event.kind) {
      case 'output':
        return [...steps, ...this.pane.feed(event.bytes, event.t, { live: false })]
      case 'resize':
        return [...steps, ...this.pane.resize(event.cols, event.rows, event.t)]
      case 'input':
        if (REPLY.test(Buffer.from(event.bytes).toString('latin1'))) this.replies++
        else this.pane.recordInput(event.t, event.bytes)
        return steps
      case 'exit':
        this.pane.exited(event.exit, event.t)
        return steps
      case 'marker':
        return steps
    }
  }

  /** Every deadline up to this time, each at its own moment. */
  runTimers(until: number): PaneStep[] {
    const steps: PaneStep[] = []
    for (let due = this.pane.nextDeadline(); due !== null && due <= until; due = this.pane.nextDeadline()) {
      steps.push(...this.pane.tick(due))
      if (this.pane.nextDeadline() === due) break
    }
    return steps
  }

  /** The state at a time: all timers due by then have run, and an open frame is ended. */
  endFrame(t: number): PaneStep[] {
    return [...this.runTimers(t), ...this.pane.endFrame(t)]
  }

  finish(): PaneStep[] {
    return this.runTimers(this.t + AFTER_END_S)
  }
}

/** Yields the state whenever a frame was classified, or at the requested times. */
export function* replayEvents(events: Iterable<ReplayEvent>, options: ReplayOptions): Generator<ReplayLine> {
  const replay = new Replay(options)
  const times = [...(options.at ?? [])].sort((a, b) => a - b)
  const counts = [...(options.atEvent ?? [])].sort((a, b) => a - b)
  const isAsked = options.at !== undefined || options.atEvent !== undefined
  const stateAt = (t: number): ReplayLine => {
    replay.endFrame(t)
    return { type: 'at', at: t, state: replay.pane.state(t) }
  }
  let seen = 0
  for (const event of events) {
    while (times.length > 0 && times[0]! < event.t) yield stateAt(times.shift()!)
    const steps = replay.apply(event)
    seen++
    if (!isAsked) yield* statesOf(steps)
    while (counts.length > 0 && counts[0]! <= seen) {
      counts.shift()
      yield stateAt(event.t)
    }
  }
  if (isAsked) for (const at of times) yield stateAt(at)
  else yield* statesOf(replay.finish())
}

function* statesOf(steps: readonly PaneStep[]): Generator<ReplayLine> {
  for (const step of steps) if (step.type === 'look') yield { type: 'state', state: step.state }
}
