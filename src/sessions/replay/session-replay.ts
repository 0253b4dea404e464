import { Replay, type ReplayEvent } from '../../panes/index.js'
import type { Pack } from '../../screen/index.js'
import { type ChangeFields, ChangeHistory, changeFields, seconds } from './changes.js'
import { type BlockLine, type MessageLine, ReplayedConversation } from './replayed-conversation.js'
import { type Moment, Timeline } from './timeline.js'

interface SessionReplayOptions {
  pack: Pack
  cols: number
  rows: number
  /** Every classified frame, not only those in which something changed. */
  isEveryFrame?: boolean
  /** Also read the conversation. */
  hasBlocks?: boolean
}

export type ReplayedLine =
  | { type: 'change'; fields: ChangeFields; moment: Moment }
  | { type: 'at'; at: number; fields: ChangeFields; moment: Moment }
  | BlockLine
  | MessageLine

/** Replays a recording event by event, for `signalbox replay`. */
export class SessionReplay {
  readonly timeline: Timeline
  readonly #replay: Replay
  readonly #conversation: ReplayedConversation | null
  readonly #isEveryFrame: boolean
  readonly #history = new ChangeHistory()
  #exit: { code: number | null; signal: string | null } | null = null

  constructor(options: SessionReplayOptions) {
    this.#replay = new Replay(options)
    this.timeline = new Timeline(options.pack)
    this.#conversation = options.hasBlocks ? new ReplayedConversation(options.pack, this.#replay.pane.screen) : null
    this.#isEveryFrame = options.isEveryFrame ?? false
  }

  apply(event: ReplayEvent): ReplayedLine[] {
    const lines = this.#due(event.t)
    // What is due before the event is read before it: a resize moves the rows of a reading.
    lines.push(...this.#linesOf(this.timeline.take(this.#replay.runTimers(event.t))))
    lines.push(...this.#linesOf(this.timeline.take(this.#replay.apply(event))))
    if (event.kind !== 'exit') return lines
    this.#exit = event.exit
    return [...lines, ...this.#linesOf([this.timeline.exited(this.#replay.pane.state(event.t), event.exit)])]
  }

  /** The state at a time, according to the events applied so far. */
  at(t: number): Extract<ReplayedLine, { type: 'at' }> {
    this.#due(t)
    this.#linesOf(this.timeline.take(this.#replay.force(t)))
    const moment = this.timeline.now(this.#replay.pane.state(t))
    return { type: 'at', at: t, fields: changeFields(moment), moment }
  }

  finish(): ReplayedLine[] {
    return [...this.#linesOf(this.timeline.take(this.#replay.finish())), ...(this.#conversation?.finish() ?? [])]
  }

  /** The last changes, oldest first. */
  get history(): readonly ChangeFields[] {
    return this.#history.changes
  }

  get t(): number {
    return this.#replay.t
  }

  get exit(): { code: number | null; signal: string | null } | null {
    return this.#exit
  }

  get counters() {
    const { frames, anchored, structural, unknown, flicker } = this.timeline.counters
    return {
      frames,
      changes: this.#history.count,
      anchored,
      structural,
      unknown,
      flicker,
      replies: this.#replay.replies,
    }
  }

  /** A run may become a long one without a new frame. */
  #due(t: number): ReplayedLine[] {
    const due = this.timeline.nextDeadline()
    if (due === null || due > t) return []
    const before = this.#linesOf(this.timeline.take(this.#replay.runTimers(due)))
    const state = this.#replay.pane.state(due)
    const lines = this.#linesOf([this.timeline.now(state)])
    for (const line of lines) if (line.type === 'change') line.fields.t = seconds(due)
    return [...before, ...lines]
  }

  #linesOf(moments: readonly Moment[]): ReplayedLine[] {
    return moments.flatMap(moment => {
      const lines = this.#conversation?.take(moment) ?? []
      const fields = changeFields(moment)
      if (!this.#history.take(fields) && !this.#isEveryFrame) return lines
      return [{ type: 'change' as const, fields, moment }, ...lines]
    })
  }
}
