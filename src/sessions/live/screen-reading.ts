import { type Look, Pane, type PaneOutput, type PaneScreen, type PaneState, type SavedPane } from '../../panes/index.js'
import type { Observation, Pack } from '../../screen/index.js'

export interface SavedScreenReading extends SavedPane {
  isHeldBack: boolean
  due: number | null
}

/** A report comes with the frame it is about, mostly before it: so long a frame is waited for. */
const FRAME_S = 0.2

/**
 * What a session goes by: its screen, and where the program says that it works (by its status or its title) although its screen looks at rest,
 * that. Some agents show nothing while they write. It is never the other way round: a turn ends when the screen shows it. Only bytes count
 * here, so whoever reads the recording again sees the same.
 */
export class ScreenReading {
  readonly #pane: Pane
  #last: Look | null = null
  /** The last picture looked at rest, and the program said otherwise. */
  #isHeldBack = false
  #due: number | null = null

  constructor(pack: Pack, screen: PaneScreen, saved?: SavedScreenReading) {
    this.#pane = new Pane(pack, screen)
    if (saved) {
      this.#pane.restore(saved)
      this.#isHeldBack = saved.isHeldBack
      this.#due = saved.due
    }
    this.#last = screen.last && this.#judge(this.#pane.state(screen.last.t))
  }

  /** The newest look, as it is gone by. */
  get last(): Look | null {
    return this.#last
  }

  get saved(): SavedScreenReading {
    return { ...this.#pane.saved, isHeldBack: this.#isHeldBack, due: this.#due }
  }

  nextDeadline(): number | null {
    return this.#due
  }

  take(outputs: readonly PaneOutput[], t: number): Look[] {
    const looks: Look[] = []
    for (const step of this.#pane.take([...outputs], t)) {
      if (step.type === 'look') {
        this.#due = null
        this.#last = this.#judge(step.state)
        if (this.#last) looks.push(this.#last)
      } else if (step.type === 'evidence' && this.#isHeldBack && !isAtWork(this.#pane.state(t)))
        this.#due ??= t + FRAME_S
    }
    return looks
  }

  /**
   * Time has passed; called before anything newer is shown to the screen. The program has stopped to say that it works, and no frame has come since: the
   * last picture is what it looks like.
   */
  tick(t: number): Look[] {
    if (this.#due === null || t < this.#due) return []
    const due = this.#due
    this.#due = null
    const look = this.#judge(this.#pane.state(due))
    if (!look) return []
    this.#last = { ...look, t: due }
    return [this.#last]
  }

  noteInput(t: number, bytes: Uint8Array): void {
    this.#pane.noteInput(t, bytes)
  }

  #judge(state: PaneState): Look | null {
    const { look, view, payload, busy, awaiting } = state
    if (!look) return null
    this.#isHeldBack = isAtWork(state) && look.observation.busy !== true && look.observation.awaiting === null
    if (!this.#isHeldBack) return look
    return { ...look, observation: { ...look.observation, view, payload, busy, awaiting } as Observation }
  }
}

function isAtWork({ reading }: PaneState): boolean {
  return reading.claim?.is === 'working' && (reading.authority === 'osc7501' || reading.authority === 'title')
}
