import type { Clock, Timer } from '../../clock/index.js'
import {
  type Look,
  Pane,
  type PaneOutput,
  type PaneState,
  type SavedPane,
  type ScreenView,
  type SwitchedOff,
} from '../../panes/index.js'
import { type Picture, ReaderClient, type ReaderFactory } from '../../panes/reader/index.js'
import type { Observation, Pack } from '../../screen/index.js'
import type { EmulatorOptions, ProgramStatus, TerminalEvidence } from '../../terminal/index.js'
import { liveMenu } from '../requests/index.js'
import type { SessionObserver } from './session-options.js'

/** A program redraws everything after a resize. In seconds. */
const RESIZE_SETTLES_S = 0.25
/** How much output may be unread before a session that catches up sends more to be read. */
const UNREAD_MAX = 64 * 1024
/** A status report comes mostly before its frame: how long to wait for that frame. */
const FRAME_S = 0.2

interface SessionTerminalOptions {
  pack: Pack
  emulator: EmulatorOptions
  clock: Clock
  startedAt: number
  reader: ReaderFactory
  /** `firstRow`: the first row that the conversation needs of it. */
  restored: (SavedTerminal & { firstRow: number }) | null
  /** Answers a query of the program. */
  reply(bytes: Uint8Array): void
  isExited(): boolean
  onLook(look: Look): void
  /** The terminal reports something besides its frames; not called for old bytes. */
  onEvidence(evidence: TerminalEvidence): void
  /** Time has passed. Called before the session reads what the program prints next. */
  onTime(t: number): void
  /** When to call `onTime` if no byte comes before. */
  nextDeadline(): number | null
  onOutputs(outputs: readonly PaneOutput[]): void
  /** A rule of the pack was too slow and is no longer used. */
  onRuleOff?(off: SwitchedOff): void
}

export interface SavedTerminal {
  offset: number
  /** The reader of the terminal, as JSON. */
  screen: string
  /** What programs had reported about themselves (OSC 7501). */
  status: ProgramStatus
  reading: SavedScreenReading
}

/**
 * The session's terminal as Signalbox reads it: bytes and sizes go in with their times, looks come
 * out, perhaps later: another thread may read them (`ReaderClient`). It answers queries of the
 * program, unless the bytes are old.
 */
export class SessionTerminal {
  readonly time: SessionClock
  readonly #reader: ReaderClient
  readonly #options: SessionTerminalOptions
  readonly #reading: ScreenReading
  #observer: SessionObserver | null = null
  /** Up to where output was sent to be read, and up to where it was read. */
  #offset: number
  #readTo: number
  #whenRead: { resolve(): void; reject(why: Error): void }[] = []
  /** What was read last is old. */
  #isCatchingUp = true
  /** What is sent to be read is new: queries in it are answered. */
  #isAnswering = false
  /** Seconds since the start. */
  #resizedAt = Number.NEGATIVE_INFINITY

  constructor(options: SessionTerminalOptions) {
    const { pack, emulator, restored, clock, startedAt, reader } = options
    this.#options = options
    this.#offset = restored?.offset ?? 0
    this.#readTo = this.#offset
    this.time = new SessionClock(clock, startedAt)
    this.#reader = new ReaderClient(
      reader,
      {
        pack,
        emulator,
        restored: restored && { state: restored.screen, status: restored.status, firstRow: restored.firstRow },
      },
      {
        advance: t => this.#advance(t),
        seen: (outputs, t, offset) => this.#seen(outputs, t, offset),
        ...(options.onRuleOff && { ruleOff: options.onRuleOff }),
      },
    )
    this.#reading = new ScreenReading(pack, this.screen, restored?.reading)
  }

  get screen(): ScreenView {
    return this.#reader.view
  }

  get offset(): number {
    return this.#offset
  }

  get last(): Look | null {
    return this.#reading.last
  }

  get isCatchingUp(): boolean {
    return this.#isCatchingUp
  }

  /** The frame is complete, and no resize is under way. */
  get isSteady(): boolean {
    return this.last?.frame.torn !== true && this.time.now() - this.#resizedAt >= RESIZE_SETTLES_S
  }

  /** Its state when everything that was sent so far has been read. */
  save(then: (saved: SavedTerminal) => void, failed: (why: Error) => void): void {
    const offset = this.#offset
    this.#reader.save(
      screen => then({ offset, screen, status: this.screen.programStatus, reading: this.#reading.saved }),
      failed,
    )
  }

  /**
   * The terminal for a viewer that joins, when everything that was sent so far has been read: bytes
   * that draw it, and their position in the stream of bytes. With scrollback, the rows above are
   * printed first.
   */
  picture(hasScrollback: boolean, then: (picture: Picture & { offset: number }) => void): void {
    const offset = this.#offset
    this.#reader.picture(
      hasScrollback,
      picture => then({ ...picture, offset }),
      () => then({ ...this.#emptyPicture, offset }),
    )
  }

  /** For a terminal that cannot be read: the program draws what it prints next. */
  get #emptyPicture(): Picture {
    const { cols, rows } = this.last?.frame ?? this.#options.emulator
    return { cols, rows, title: '', modes: { ...this.screen.modes, isAlternate: false }, data: '' }
  }

  /** Resolves when little of the output that was sent is unread. */
  async untilRead(): Promise<void> {
    if (this.#offset - this.#readTo <= UNREAD_MAX) return
    await new Promise<void>((resolve, reject) => this.#whenRead.push({ resolve, reject }))
  }

  /** The pack was loaded again. */
  packChanged(): void {
    this.#reader.packChanged()
  }

  close(): void {
    this.time.stop()
    this.#reader.close()
    for (const { reject } of this.#whenRead.splice(0)) reject(new Error('the terminal is no longer read'))
  }

  observe(observer: SessionObserver): void {
    this.#observer = observer
  }

  feed(bytes: Uint8Array, t: number, offset: number): void {
    this.time.observe(t)
    this.#offset = offset + bytes.length
    this.#reader.feed(bytes, t, offset, this.#isAnswering)
  }

  resize(cols: number, rows: number, t: number): void {
    this.time.observe(t)
    this.#resizedAt = t
    this.#reader.resize(cols, rows, t)
  }

  recordInput(bytes: Uint8Array): void {
    const now = this.time.now()
    this.#reading.recordInput(now, bytes)
    this.#observer?.input(now, bytes)
  }

  /**
   * The program has ended: this closes its last frame, and a second later everything has settled.
   */
  finish(t: number, then: () => void): void {
    this.time.stop()
    this.#reader.tick(t + 1)
    const end = () => {
      this.time.stop()
      then()
    }
    // A terminal that can no longer be read has ended as well.
    this.#reader.barrier(end, end)
  }

  /** The bytes from here on are old: queries in them are not answered. */
  fallBehind(): void {
    this.#isAnswering = false
    this.#reader.barrier(() => {
      this.time.stop()
      this.#isCatchingUp = true
    })
  }

  goLive(then: () => void, failed?: (why: Error) => void): void {
    const now = this.time.now()
    this.#isAnswering = true
    this.#reader.tick(now)
    // If no byte has followed the snapshot, the program is idle, and its screen has not been looked
    // at yet.
    if (this.#options.restored) this.#reader.readCurrent(now)
    this.#reader.barrier(() => {
      this.#options.onTime(now)
      this.#isCatchingUp = false
      then()
    }, failed)
  }

  /** Sets the timer for the next deadline. */
  schedule(): void {
    if (this.#options.isExited() || this.#isCatchingUp) return
    const deadlines = [this.#reader.nextDeadline(), this.#reading.nextDeadline(), this.#options.nextDeadline()].filter(
      at => at !== null,
    )
    this.time.schedule(deadlines.length === 0 ? null : Math.min(...deadlines), () => this.#reader.tick(this.time.now()))
  }

  /** How long the menu has been on screen, and the screen unchanged. In milliseconds. */
  menuAge(): { visible: number; quiet: number } {
    const now = this.time.now()
    const menu = liveMenu(this.last?.observation ?? null)
    const since = (t: number | undefined) => (t === undefined ? 0 : Math.max(0, (now - t) * 1000))
    return { visible: since(menu?.live.since), quiet: since(this.last?.frame.t) }
  }

  /** The last rows of the screen that are not blank. */
  lastRows(count: number): string[] {
    const rows = this.last?.frame.lines.map(row => row.text.trimEnd()).filter(text => text !== '') ?? []
    return rows.slice(-count)
  }

  /** What time alone causes comes before what the program prints next. */
  #advance(t: number): void {
    for (const look of this.#reading.tick(t)) this.#options.onLook(look)
    this.#options.onTime(t)
  }

  #seen(outputs: readonly PaneOutput[], t: number, offset: number | null): void {
    if (offset !== null) this.#readTo = offset
    if (this.#offset - this.#readTo <= UNREAD_MAX) for (const { resolve } of this.#whenRead.splice(0)) resolve()
    const { reply, onEvidence, onLook, onOutputs } = this.#options
    for (const output of outputs) {
      if (output.type === 'reply') reply(output.bytes)
      else if (output.type === 'evidence' && !this.#isCatchingUp) onEvidence(output.evidence)
    }
    for (const look of this.#reading.applyOutputs(outputs, t)) onLook(look)
    if (outputs.length > 0) this.#observer?.outputs(outputs, this.time.now(), !this.#isCatchingUp)
    this.schedule()
    onOutputs(outputs)
  }
}

interface SavedScreenReading extends SavedPane {
  isHeldBack: boolean
  due: number | null
}

/**
 * The reading that a session acts on: its screen; and where the screen looks idle while the program
 * reports by its status or its title that it works, that report. Some agents show nothing while
 * they write. It is never the other way round: a turn ends when the screen shows it. Only bytes
 * count here, so that the recording gives the same reading again
 * (docs/decisions/0022-two-readings-of-a-session.md).
 */
class ScreenReading {
  readonly #pane: Pane
  #last: Look | null = null
  /** The last frame looked idle, and the program reported otherwise. */
  #isHeldBack = false
  #due: number | null = null

  constructor(pack: Pack, screen: ScreenView, saved?: SavedScreenReading) {
    this.#pane = new Pane(pack, screen)
    if (saved) {
      this.#pane.restore(saved)
      this.#isHeldBack = saved.isHeldBack
      this.#due = saved.due
    }
    this.#last = screen.last && this.#judge(this.#pane.state(screen.last.t))
  }

  get last(): Look | null {
    return this.#last
  }

  get saved(): SavedScreenReading {
    return { ...this.#pane.saved, isHeldBack: this.#isHeldBack, due: this.#due }
  }

  nextDeadline(): number | null {
    return this.#due
  }

  applyOutputs(outputs: readonly PaneOutput[], t: number): Look[] {
    const looks: Look[] = []
    for (const step of this.#pane.applyOutputs([...outputs], t)) {
      if (step.type === 'look') {
        this.#due = null
        this.#last = this.#judge(step.state)
        if (this.#last) looks.push(this.#last)
      } else if (step.type === 'evidence' && this.#isHeldBack && !reportsWork(this.#pane.state(t)))
        this.#due ??= t + FRAME_S
    }
    return looks
  }

  /**
   * Time has passed; called before the screen gets newer bytes. If the program has stopped
   * reporting that it works and no frame has come since, the last frame is what it looks like.
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

  recordInput(t: number, bytes: Uint8Array): void {
    this.#pane.recordInput(t, bytes)
  }

  #judge(state: PaneState): Look | null {
    const { look, view, payload, busy, awaiting } = state
    if (!look) return null
    this.#isHeldBack = reportsWork(state) && look.observation.busy !== true && look.observation.awaiting === null
    if (!this.#isHeldBack) return look
    return { ...look, observation: { ...look.observation, view, payload, busy, awaiting } as Observation }
  }
}

function reportsWork({ reading }: PaneState): boolean {
  return reading.claim?.is === 'working' && (reading.authority === 'osc7501' || reading.authority === 'title')
}

/**
 * Seconds since a session's start, as its recording counts them, and one timer on that scale. The
 * keeper stamps output with its own clock; this clock is set forward to the newest stamp, so that
 * time never runs backwards between the two.
 */
export class SessionClock {
  readonly #clock: Clock
  #zero: number
  #timer: Timer | null = null
  #due: number | null = null
  #callback: () => void = () => undefined

  constructor(clock: Clock, startedAt: number) {
    this.#clock = clock
    this.#zero = clock.monotonic() - (clock.now() - startedAt)
  }

  now(): number {
    return (this.#clock.monotonic() - this.#zero) / 1000
  }

  /** Output with this stamp has arrived. */
  observe(t: number): void {
    const ahead = t - this.now()
    if (ahead <= 0) return
    this.#zero -= ahead * 1000
    // The deadline is nearer now.
    if (this.#due !== null) this.#arm(this.#due)
  }

  /** Calls back once when session time reaches `due`; replaces the earlier callback. */
  schedule(due: number | null, callback: () => void): void {
    this.#callback = callback
    if (due === this.#due) return
    this.#due = due
    this.#timer?.cancel()
    this.#timer = null
    if (due !== null) this.#arm(due)
  }

  stop(): void {
    this.schedule(null, () => undefined)
  }

  #arm(due: number): void {
    this.#timer?.cancel()
    // Rounded up: a callback that comes slightly too early finds nothing due and would be scheduled
    // again and again.
    const ms = Math.max(0, Math.ceil((due - this.now()) * 1000))
    this.#timer = this.#clock.setTimer(ms, () => {
      this.#due = null
      this.#timer = null
      this.#callback()
    })
  }
}
