import { type Look, type PaneOutput, PaneScreen } from '../../panes/index.js'
import { liveMenu } from '../requests/live-menu.js'
import type { PromptReceipts } from './prompt-receipts.js'
import { ScreenReading } from './screen-reading.js'
import { SessionClock } from './session-clock.js'
import type { LiveSessionOptions, SessionObserver } from './session-options.js'
import { signalOf } from './status-signals.js'

/** A program that was just resized draws everything anew. */
const RESIZE_SETTLES_S = 0.25

export interface SessionTerminalOptions {
  session: LiveSessionOptions
  signals: PromptReceipts
  isExited(): boolean
  onLook(look: Look): void
  /** Time alone may have brought something about; called before what the program prints next is read. */
  onTime(t: number): void
  /** When `onTime` is to be called if no byte comes before. */
  nextDeadline(): number | null
  onOutputs(outputs: readonly PaneOutput[]): void
}

/**
 * The session's terminal as Signalbox sees it: bytes and sizes go in with their times, looks come out. Questions of the program are
 * answered, unless the bytes are old.
 */
export class SessionTerminal {
  readonly screen: PaneScreen
  readonly sight: ScreenReading
  readonly time: SessionClock
  readonly #options: SessionTerminalOptions
  #observer: SessionObserver | null = null
  #offset: number
  #isCatchingUp = true
  /** Seconds since the start. */
  #resizedAt = Number.NEGATIVE_INFINITY

  constructor(options: SessionTerminalOptions) {
    const { pack, emulator, restored, clock, record } = options.session
    this.#options = options
    this.#offset = restored?.offset ?? 0
    this.screen = new PaneScreen(pack, emulator, restored?.screen)
    this.sight = new ScreenReading(pack, this.screen, restored?.sight)
    this.time = new SessionClock(clock, record.startedAt)
  }

  get offset(): number {
    return this.#offset
  }

  get last(): Look | null {
    return this.sight.last
  }

  get isCatchingUp(): boolean {
    return this.#isCatchingUp
  }

  /** No half frame, and no resize under way. */
  get isSteady(): boolean {
    return this.last?.frame.torn !== true && this.time.now() - this.#resizedAt >= RESIZE_SETTLES_S
  }

  observe(observer: SessionObserver): void {
    this.#observer = observer
  }

  feed(bytes: Uint8Array, t: number, offset: number): void {
    this.time.observe(t)
    this.#advance(t)
    this.#offset = offset + bytes.length
    this.#handle(this.screen.feed(bytes, t, { live: !this.#isCatchingUp }), t)
  }

  resize(cols: number, rows: number, t: number): void {
    this.time.observe(t)
    this.#resizedAt = t
    this.#advance(t)
    this.#handle(this.screen.resize(cols, rows, t), t)
  }

  noteInput(bytes: Uint8Array): void {
    const now = this.time.now()
    this.sight.noteInput(now, bytes)
    this.#observer?.input(now, bytes)
  }

  /** The program has ended: its last frame ends with it, and a second later everything about it has settled. */
  finish(t: number): void {
    this.time.stop()
    this.#advance(t + 1)
    this.#handle(this.screen.tick(t + 1), t + 1)
    this.time.stop()
  }

  /** What comes from here on is old: nothing of it is answered. */
  fallBehind(): void {
    this.time.stop()
    this.#isCatchingUp = true
  }

  goLive(): void {
    const now = this.time.now()
    this.#advance(now)
    this.#handle(this.screen.tick(now), now)
    // It goes on from a snapshot that nothing has followed: the program rests, and what it shows is still to be looked at.
    if (this.#options.session.restored && this.last === null) this.#handle(this.screen.look(now), now)
    this.#options.onTime(now)
    this.#isCatchingUp = false
  }

  /** Sets the timer for whatever comes next without a byte. */
  schedule(): void {
    if (this.#options.isExited() || this.#isCatchingUp) return
    const deadlines = [this.screen.nextDeadline(), this.sight.nextDeadline(), this.#options.nextDeadline()].filter(
      at => at !== null,
    )
    this.time.schedule(deadlines.length === 0 ? null : Math.min(...deadlines), () => {
      const now = this.time.now()
      this.#advance(now)
      this.#handle(this.screen.tick(now), now)
    })
  }

  /** How long the menu on screen has stood, and the screen has not changed. In milliseconds. */
  menuAge(): { stands: number; quiet: number } {
    const now = this.time.now()
    const menu = liveMenu(this.last?.observation ?? null)
    const since = (t: number | undefined) => (t === undefined ? 0 : Math.max(0, (now - t) * 1000))
    return { stands: since(menu?.live.since), quiet: since(this.last?.frame.t) }
  }

  lastRows(count: number): string[] {
    const rows = this.last?.frame.lines.map(row => row.text.trimEnd()).filter(text => text !== '') ?? []
    return rows.slice(-count)
  }

  /** Whatever time alone brings about comes before what the program prints next. */
  #advance(t: number): void {
    for (const look of this.sight.tick(t)) this.#options.onLook(look)
    this.#options.onTime(t)
  }

  #handle(outputs: readonly PaneOutput[], t: number): void {
    const { keeper, record, pack, onError } = this.#options.session
    for (const output of outputs) {
      if (output.type === 'reply') void keeper.write(record.id, output.bytes).catch(onError)
      else if (output.type === 'evidence') {
        const source = signalOf(output.evidence, pack)
        if (source && !this.#isCatchingUp) this.#options.signals.note(source, null)
      }
    }
    for (const look of this.sight.take(outputs, t)) this.#options.onLook(look)
    if (outputs.length > 0) this.#observer?.outputs(outputs, this.time.now(), !this.#isCatchingUp)
    this.schedule()
    this.#options.onOutputs(outputs)
  }
}
