import { type PaneStep, type ReplayEvent, SupervisedReplay, type SupervisorSettings } from '../../panes/index.js'
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
  /** The settings of supervision; otherwise the defaults. */
  settings?: SupervisorSettings
}

export type ReplayedLine =
  | { type: 'change'; fields: ChangeFields; moment: Moment }
  | { type: 'at'; at: number; fields: ChangeFields; moment: Moment }
  | BlockLine
  | MessageLine

/** Replays a recording event by event, for `signalbox replay`. */
export class SessionReplay {
  readonly timeline: Timeline
  readonly #replay: SupervisedReplay
  readonly #conversation: ReplayedConversation | null
  readonly #isEveryFrame: boolean
  readonly #history = new ChangeHistory()
  #lines: ReplayedLine[] = []
  #stateId: number
  #exit: { code: number | null; signal: string | null } | null = null

  constructor(options: SessionReplayOptions) {
    this.#replay = new SupervisedReplay(options, (steps, t) => this.#follow(steps, t))
    const { supervisor, replay } = this.#replay
    this.timeline = new Timeline(options.pack, supervisor)
    this.#stateId = supervisor.stateId
    this.#conversation = options.hasBlocks ? new ReplayedConversation(options.pack, replay.pane.screen) : null
    this.#isEveryFrame = options.isEveryFrame ?? false
  }

  apply(event: ReplayEvent): ReplayedLine[] {
    this.#replay.apply(event)
    if (event.kind === 'exit') {
      this.#exit = event.exit
      this.#add(this.timeline.exited(this.#replay.replay.pane.state(event.t), event.exit))
    }
    return this.#takeLines()
  }

  /** The state at a time, according to the events applied so far. */
  at(t: number): Extract<ReplayedLine, { type: 'at' }> {
    this.#replay.endFrame(t)
    this.#takeLines()
    const moment = this.timeline.now(this.#replay.replay.pane.state(t))
    return { type: 'at', at: t, fields: changeFields(moment), moment }
  }

  finish(): ReplayedLine[] {
    this.#replay.finish()
    return [...this.#takeLines(), ...(this.#conversation?.finish() ?? [])]
  }

  /** The last changes, oldest first. */
  get history(): readonly ChangeFields[] {
    return this.#history.changes
  }

  get t(): number {
    return this.#replay.replay.t
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
      replies: this.#replay.replay.replies,
    }
  }

  #follow(steps: readonly PaneStep[], t: number): void {
    for (const moment of this.timeline.addSteps(steps)) this.#add(moment)
    const { stateId } = this.#replay.supervisor
    if (stateId === this.#stateId) return
    this.#stateId = stateId
    // The status has changed without a new look: time passed, or a report arrived.
    if (!steps.some(step => step.type === 'look')) this.#add(this.timeline.now(this.#replay.replay.pane.state(t)), t)
  }

  #add(moment: Moment, t?: number): void {
    const before = this.#conversation?.addMoment(moment) ?? []
    const fields = changeFields(moment)
    if (t !== undefined) fields.t = seconds(t)
    if (this.#history.addFields(fields) || this.#isEveryFrame) this.#lines.push({ type: 'change', fields, moment })
    this.#lines.push(...before)
  }

  #takeLines(): ReplayedLine[] {
    const lines = this.#lines
    this.#lines = []
    return lines
  }
}
