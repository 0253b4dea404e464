import type { Pack } from '../../screen/index.js'
import { frameToAnsi, type Row, rowToAnsi } from '../../terminal/index.js'
import { type Look, type PaneOutput, PaneScreen, type PaneScreenState } from '../pane-screen.js'
import { type SwitchedOff, timeBox } from '../rule-time-box.js'
import type { Picture, ReaderOptions, ReaderReply, ReaderRequest, SentLook, SentOutput } from './messages.js'

/** Rows above the screen in a picture. */
const SCROLLBACK_MAX = 2_000

/** Reads one terminal: requests in, replies out. It belongs to one thread and has no timers. */
export class TerminalReader {
  readonly #pack: Pack
  readonly #screen: PaneScreen
  readonly #encoder: LookEncoder
  #rulesOff: SwitchedOff[] = []
  /** The output that was read last was old. */
  #isOld = true

  /** `now`: milliseconds that never decrease; they measure how long rules take. */
  constructor({ pack, emulator, restored }: ReaderOptions, now: () => number) {
    this.#pack = pack
    pack.ruleTimer = timeBox(pack, { now, onSwitchedOff: off => this.#rulesOff.push(off) })
    const state = restored === null ? undefined : (JSON.parse(restored.state) as PaneScreenState)
    this.#screen = new PaneScreen(pack, emulator, state)
    this.#encoder = new LookEncoder(this.#screen, restored?.firstRow)
  }

  /** The agent asks for something on the newest screen. */
  get isAsking(): boolean {
    return (this.#screen.last?.observation.awaiting ?? null) !== null
  }

  feed(bytes: Uint8Array, t: number, offset: number, isLive: boolean): ReaderReply[] {
    this.#isOld = !isLive
    const earlier = this.#runTimers(t)
    const outputs = this.#screen.feed(bytes, t, { live: isLive })
    return [...earlier, this.#reply(t, outputs, { offset: offset + bytes.length })]
  }

  /** Its replies in order. The last one has the answer, if the request needs one. */
  handle(request: ReaderRequest): ReaderReply[] {
    const screen = this.#screen
    switch (request.op) {
      case 'feed':
        return this.feed(request.bytes, request.t, request.offset, request.isLive)
      case 'tick':
        return [...this.#runTimers(request.t), this.#answer(request.t, screen.tick(request.t))]
      case 'resize': {
        const earlier = this.#runTimers(request.t)
        return [...earlier, this.#answer(request.t, screen.resize(request.cols, request.rows, request.t))]
      }
      case 'look':
        return [this.#answer(request.t, screen.last === null ? screen.readCurrent(request.t) : [])]
      case 'barrier':
        return [this.#answer(null, [])]
      case 'save':
        return [this.#answer(null, [], JSON.stringify(screen.serialize()))]
      case 'picture':
        return [this.#answer(null, [], pictureOf(screen, request.hasScrollback))]
      case 'input':
        screen.recordInput(request.t)
        return []
      case 'settle':
        screen.settleBy(request.settings)
        return []
      case 'require-idle':
        screen.requireIdleFor(request.seconds, request.until)
        return []
      case 'release':
        this.#encoder.release(request.firstId)
        return []
      case 'pack':
        Object.assign(this.#pack, request.pack)
        return []
    }
  }

  /**
   * Old output has no timers, so every deadline before the next piece is run here, each at its own
   * time, so that the result is the same as on the host that ran when it was printed. Live output
   * has timers; its timestamp may be later than the true time (session-scheduler.ts), so it says
   * nothing about earlier deadlines.
   */
  #runTimers(t: number): ReaderReply[] {
    const replies: ReaderReply[] = []
    const screen = this.#screen
    for (let due = screen.nextDeadline(); this.#isOld && due !== null && due < t; ) {
      replies.push(this.#reply(due, screen.tick(due), {}))
      const next = screen.nextDeadline()
      if (next === due) break
      due = next
    }
    return replies
  }

  #answer(t: number | null, outputs: readonly PaneOutput[], result: string | Picture | null = null): ReaderReply {
    return this.#reply(t, outputs, { answer: { result } })
  }

  #reply(t: number | null, outputs: readonly PaneOutput[], more: Pick<ReaderReply, 'answer'> & { offset?: number }) {
    const reply: ReaderReply = {
      t,
      outputs: outputs.map(output => this.#encode(output)),
      deadline: this.#screen.nextDeadline(),
      modes: this.#screen.modes,
      offset: null,
      ...more,
    }
    if (this.#rulesOff.length > 0) reply.rulesOff = this.#rulesOff.splice(0)
    return reply
  }

  #encode(output: PaneOutput): SentOutput {
    return output.type === 'look' ? { type: 'look', look: this.#encoder.encode(output.look) } : output
  }
}

/** With scrollback, the rows above are printed first and scrolled off the screen. */
function pictureOf(screen: PaneScreen, hasScrollback: boolean): Picture {
  const frame = screen.emulator.currentFrame()
  const modes = { ...screen.modes, isAlternate: frame.buffer === 'alternate' }
  const { firstId, lastId } = frame.history
  const above =
    hasScrollback && !modes.isAlternate ? screen.readRows(Math.max(firstId, lastId - SCROLLBACK_MAX + 1), lastId) : []
  const scrolled =
    above.length === 0
      ? ''
      : `${above.map(row => `${rowToAnsi(row)}\u001b[0m\r\n`).join('')}${'\r\n'.repeat(Math.max(0, frame.rows - 1))}`
  const enter = hasScrollback && modes.isAlternate ? '\u001b[?1049h' : ''
  // Without the keyboard modes of the program arrows and pastes change their form.
  const keys = `\u001b[?2004${modes.isBracketedPaste ? 'h' : 'l'}\u001b[?1${modes.isApplicationCursor ? 'h' : 'l'}`
  const { cols, rows, title } = frame
  return { cols, rows, title, modes, data: scrolled + enter + frameToAnsi(frame) + keys }
}

interface RowReader {
  readRows(firstId: number, lastId: number): Row[]
}

/**
 * Turns looks into differences. A row that did not change is the same object in the next frame, so
 * a row is sent again only if its object is another one. Rows that have scrolled off the screen
 * since the last look are sent with it: they no longer change, unless the width does.
 */
class LookEncoder {
  readonly #source: RowReader
  #last: Look | null = null
  /** The rows of the last frame of each buffer. */
  #sent: Record<'normal' | 'alternate', ReadonlyMap<number, Row>> = { normal: new Map(), alternate: new Map() }
  /** The rows of the normal buffer above this one were sent as they will stay. */
  #normalTop = Number.NEGATIVE_INFINITY
  #cols = 0
  #firstNeeded: number

  /** `firstRow`: rows above it are not needed. */
  constructor(source: RowReader, firstRow = 0) {
    this.#source = source
    this.#firstNeeded = firstRow
  }

  /** Rows above this one are no longer needed. */
  release(firstId: number): void {
    this.#firstNeeded = firstId
  }

  encode(look: Look): SentLook {
    const before = this.#last
    this.#last = look
    const { frame, observation, outline, atWork, t, isSettled, isConfirmed } = look
    const isRedrawn = frame.buffer === 'normal' && frame !== before?.frame && this.#isRewrapped(frame.cols)
    const { lines, ...rest } = frame
    return {
      t,
      isSettled,
      isConfirmed,
      isRedrawn,
      frame: frame === before?.frame ? null : { ...rest, firstId: lines[0]?.id ?? 0, count: lines.length },
      rows: frame === before?.frame ? [] : this.#changed(look),
      observation: observation === before?.observation ? null : observation,
      outline: outline === before?.outline ? null : outline,
      atWork: atWork === before?.atWork ? null : atWork,
    }
  }

  #changed({ frame: { lines, buffer, history } }: Look): Row[] {
    const sent = this.#sent[buffer]
    const top = lines[0]?.id ?? 0
    const scrolled =
      buffer === 'normal' && this.#normalTop < top
        ? this.#source.readRows(Math.max(this.#normalTop, history.firstId, this.#firstNeeded), top - 1)
        : []
    if (buffer === 'normal') this.#normalTop = top
    this.#sent[buffer] = new Map(lines.map(row => [row.id, row]))
    return [...scrolled, ...lines].filter(row => sent.get(row.id) !== row)
  }

  /** Another width wraps every row anew: all of them are sent again. */
  #isRewrapped(cols: number): boolean {
    if (cols === this.#cols) return false
    this.#cols = cols
    this.#normalTop = Number.NEGATIVE_INFINITY
    this.#sent.normal = new Map()
    return true
  }
}
