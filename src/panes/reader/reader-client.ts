import type { Pack } from '../../screen/index.js'
import { ALTERNATE_FIRST_ID, EMPTY_PROGRAM_STATUS, type ProgramStatus, type Row } from '../../terminal/index.js'
import type { Look, PaneOutput } from '../pane-screen.js'
import type { SwitchedOff } from '../rule-time-box.js'
import type { KeyModes, ScreenView } from '../screen-view.js'
import type { SettleSettings } from '../settle.js'
import type {
  AskingRequest,
  Picture,
  ReaderOptions,
  ReaderReply,
  ReaderRequest,
  SentLook,
  SentOutput,
} from './messages.js'
import { TerminalReader } from './terminal-reader.js'

export interface ReaderListener {
  /** Time has passed; called before what was read up to this time is seen. */
  advance(t: number): void
  /** What was read. `offset`: up to where output was read; null: no output was. */
  seen(outputs: readonly PaneOutput[], t: number, offset: number | null): void
  /** A rule of the pack was too slow and is no longer used. */
  ruleOff?(off: SwitchedOff): void
}

/** Opens the reader of a terminal: in this thread, or in another one. */
export interface ReaderFactory {
  /** @param receive gets the replies in order */
  open(options: ReaderOptions, receive: (reply: ReaderReply) => void, onLost: (why: Error) => void): OpenReader
}

export interface OpenReader {
  send(request: ReaderRequest): void
  close(): void
}

/** Reads in the caller's thread: every reply comes before the call returns. */
export class LocalReader implements ReaderFactory {
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  open(options: ReaderOptions, receive: (reply: ReaderReply) => void): OpenReader {
    const reader = new TerminalReader(options, this.#now)
    return {
      send: request => {
        for (const reply of reader.handle(request)) receive(reply)
      },
      close: () => undefined,
    }
  }
}

interface Waiting {
  then(result: string | Picture | null): void
  failed(why: Error): void
}

/**
 * A session's end of the reader of its terminal. Requests are sent at once, and replies are seen in
 * the order of the requests: in the same call if the reader is in this thread, later if it is not.
 * Code that depends on what was read belongs in the listener, or in the callback of `barrier`.
 */
export class ReaderClient {
  readonly #pack: Pack
  readonly #listener: ReaderListener
  readonly #open: OpenReader
  readonly #mirror: ScreenMirror
  readonly #waiting: Waiting[] = []
  #deadline: number | null = null
  #lost: Error | null = null

  constructor(factory: ReaderFactory, options: ReaderOptions, listener: ReaderListener) {
    this.#pack = options.pack
    this.#listener = listener
    this.#mirror = new ScreenMirror(request => this.#send(request), options.restored?.status)
    this.#open = factory.open(
      options,
      reply => this.#receive(reply),
      why => this.#lose(why),
    )
  }

  /** The screen as it was at its newest look. */
  get view(): ScreenView {
    return this.#mirror
  }

  nextDeadline(): number | null {
    return this.#deadline
  }

  feed(bytes: Uint8Array, t: number, offset: number, isLive: boolean): void {
    this.#send({ op: 'feed', bytes, t, offset, isLive })
  }

  resize(cols: number, rows: number, t: number): void {
    this.#ask({ op: 'resize', cols, rows, t })
  }

  tick(t: number): void {
    this.#ask({ op: 'tick', t })
  }

  /** Reads the current screen if it was never read: it may never change again. */
  readCurrent(t: number): void {
    this.#ask({ op: 'look', t })
  }

  /** Calls back when everything sent before it was read. */
  barrier(then: () => void, failed?: (why: Error) => void): void {
    this.#ask({ op: 'barrier' }, then, failed)
  }

  /** The state of the reader as JSON, when everything before was seen. */
  save(then: (state: string) => void, failed?: (why: Error) => void): void {
    this.#ask({ op: 'save' }, result => then(result as string), failed)
  }

  picture(hasScrollback: boolean, then: (picture: Picture) => void, failed: (why: Error) => void): void {
    this.#ask({ op: 'picture', hasScrollback }, result => then(result as Picture), failed)
  }

  packChanged(): void {
    const { ruleTimer, ...pack } = this.#pack
    this.#send({ op: 'pack', pack })
  }

  /** Nothing is read any more. */
  close(): void {
    this.#open.close()
    this.#lose(new Error('the terminal is no longer read'))
  }

  #ask(
    request: AskingRequest,
    then: Waiting['then'] = () => undefined,
    failed: Waiting['failed'] = () => undefined,
  ): void {
    if (this.#lost) return failed(this.#lost)
    this.#waiting.push({ then, failed })
    this.#send(request)
  }

  #send(request: ReaderRequest): void {
    if (!this.#lost) this.#open.send(request)
  }

  #receive(reply: ReaderReply): void {
    if (this.#lost) return
    const { t, deadline, offset, rulesOff, answer } = reply
    this.#deadline = deadline
    if (t !== null) this.#listener.advance(t)
    const outputs = this.#mirror.applyReply(reply)
    for (const off of rulesOff ?? []) this.#disable(off)
    if (t !== null) this.#listener.seen(outputs, t, offset)
    if (answer) this.#waiting.shift()!.then(answer.result)
  }

  #disable(off: SwitchedOff): void {
    this.#pack.rules = this.#pack.rules.filter(({ id }) => id !== off.rule)
    this.#listener.ruleOff?.(off)
  }

  #lose(why: Error): void {
    this.#lost ??= why
    for (const { failed } of this.#waiting.splice(0)) failed(why)
  }
}

/**
 * A screen that is read elsewhere, as it was at its newest look. Rows that did not change stay the
 * same objects, so that what is memoized for a row stays valid.
 */
class ScreenMirror implements ScreenView {
  readonly #send: (request: ReaderRequest) => void
  readonly #normal = new MirroredRows()
  readonly #alternate = new MirroredRows()
  #last: Look | null = null
  #firstNeeded = 0
  #modes: KeyModes = { isBracketedPaste: false, isApplicationCursor: false }
  #status: ProgramStatus

  constructor(send: (request: ReaderRequest) => void, status: ProgramStatus = EMPTY_PROGRAM_STATUS) {
    this.#send = send
    this.#status = status
  }

  get last(): Look | null {
    return this.#last
  }

  get modes(): KeyModes {
    return this.#modes
  }

  get programStatus(): ProgramStatus {
    return this.#status
  }

  readRows(firstId: number, lastId: number): Row[] {
    return (firstId >= ALTERNATE_FIRST_ID ? this.#alternate : this.#normal).read(firstId, lastId)
  }

  /** Rows above this one will no longer be read. */
  release(firstId: number): void {
    if (firstId <= this.#firstNeeded) return
    this.#firstNeeded = firstId
    this.#send({ op: 'release', firstId })
  }

  recordInput(t: number): void {
    this.#send({ op: 'input', t })
  }

  settleBy(settings: SettleSettings): void {
    this.#send({ op: 'settle', settings })
  }

  requireIdleFor(seconds: number, until: number): void {
    this.#send({ op: 'require-idle', seconds, until })
  }

  applyReply({ outputs, modes }: ReaderReply): PaneOutput[] {
    this.#modes = modes
    return outputs.map(output => this.#decode(output))
  }

  #decode(output: SentOutput): PaneOutput {
    if (output.type === 'evidence' && output.evidence.kind === 'status') this.#status = output.evidence.status
    return output.type === 'look' ? { type: 'look', look: this.#restoreLook(output.look) } : output
  }

  #restoreLook({
    frame: sent,
    rows,
    isRedrawn,
    t,
    isSettled,
    isConfirmed,
    observation,
    outline,
    atWork,
  }: SentLook): Look {
    const before = this.#last
    this.#last = {
      t,
      frame: sent ? this.#frameOf(sent, rows, isRedrawn) : before!.frame,
      observation: observation ?? before!.observation,
      outline: outline ?? before!.outline,
      atWork: atWork ?? before!.atWork,
      isSettled,
      isConfirmed,
    }
    return this.#last
  }

  #frameOf(sent: NonNullable<SentLook['frame']>, rows: readonly Row[], isRedrawn: boolean): Look['frame'] {
    const { firstId, count, ...frame } = sent
    const isAlternate = frame.buffer === 'alternate'
    const mirrored = isAlternate ? this.#alternate : this.#normal
    if (isRedrawn) mirrored.clear()
    mirrored.put(rows)
    const first = isAlternate ? firstId : Math.min(firstId, Math.max(frame.history.firstId, this.#firstNeeded))
    mirrored.keep(first, firstId + count - 1)
    return { ...frame, lines: mirrored.read(firstId, firstId + count - 1) }
  }
}

/** Rows with consecutive ids. */
class MirroredRows {
  readonly #rows = new Map<number, Row>()
  #first = 0
  #last = -1

  put(rows: readonly Row[]): void {
    for (const row of rows) this.#rows.set(row.id, row)
  }

  /** Forgets the rows outside this range. */
  keep(first: number, last: number): void {
    const isOutside = first > this.#last || last < this.#first
    if (isOutside) for (const id of this.#rows.keys()) if (id < first || id > last) this.#rows.delete(id)
    if (!isOutside) {
      for (let id = this.#first; id < first; id++) this.#rows.delete(id)
      for (let id = last + 1; id <= this.#last; id++) this.#rows.delete(id)
    }
    this.#first = first
    this.#last = last
  }

  clear(): void {
    this.#rows.clear()
  }

  read(firstId: number, lastId: number): Row[] {
    const rows: Row[] = []
    for (let id = Math.max(firstId, this.#first); id <= Math.min(lastId, this.#last); id++) {
      const row = this.#rows.get(id)
      if (row) rows.push(row)
    }
    return rows
  }
}
