import { ByteParser } from './byte-parser.js'
import { ByteSplitter } from './byte-splitter.js'
import { Colors } from './colors.js'
import {
  clampSize,
  EMULATOR_STATE_VERSION,
  type EmulatorCounters,
  type EmulatorOptions,
  type EmulatorState,
  type ResolvedOptions,
  resolveOptions,
} from './emulator-state.js'
import type { Frame, Progress, Row } from './frame.js'
import { type FrameEnd, FrameTiming } from './frame-timing.js'
import { captureGrid, restoreGrid } from './grid-state.js'
import { KittyKeyboard } from './kitty-keyboard.js'
import { shareLineMemory } from './line-memory.js'
import { LinkTable } from './links.js'
import { type OscEvidence, registerEvidence, Title } from './osc-evidence.js'
import { ParserHooks, paramAt } from './parser-hooks.js'
import { printPlainTextFast } from './print-plain-text.js'
import { PrivateModes } from './private-modes.js'
import {
  aggregateStatus,
  EMPTY_PROGRAM_STATUS,
  type ProgramStatus,
  type ProgramStatusEvent,
  reduceStatus,
  type StatusRecord,
  statusRecords,
} from './program-status.js'
import { programStatusReply, registerReplies } from './replies.js'
import { RowIds } from './row-ids.js'
import { type ReadRow, readRow } from './row-reader.js'
import { UnfinishedSequence } from './unfinished-sequence.js'
import { createWidthProvider, WIDTH_VERSION } from './width-provider.js'
import {
  coreOf,
  eraseAboveLastRow,
  isBetweenSequences,
  limitRepeatCounts,
  openTerminal,
  type XtermCore,
  type XtermTerminal,
} from './xterm-core.js'

/** What the emulator reports, in the order in which it happened. */
export type TerminalEvent =
  | { type: 'frame'; t: number; frame: Frame }
  /** Bytes to write back to the PTY: the reply to a query of the program. */
  | { type: 'reply'; t: number; bytes: Uint8Array }
  | { type: 'evidence'; t: number; evidence: TerminalEvidence }

/**
 * `status`: the record that represents the pane after an OSC 7501 report, null when none is left.
 */
export type TerminalEvidence = OscEvidence | { kind: 'status'; aggregate: StatusRecord | null; status: ProgramStatus }

/**
 * A terminal: bytes go in, frames, replies and evidence come out. It has no clock and no timer:
 * every call passes the time (seconds since the start of the pane), and the host calls `tick` at
 * `nextDeadline`. The same bytes with the same times give the same events, however the bytes are
 * split.
 */
export class TerminalEmulator {
  readonly #options: ResolvedOptions
  readonly #terminal: XtermTerminal
  readonly #core: XtermCore
  readonly #hooks: ParserHooks
  readonly #parser: ByteParser
  readonly #ids: RowIds
  readonly #links: LinkTable
  readonly #modes: PrivateModes
  readonly #keyboard: KittyKeyboard
  readonly #colors: Colors
  readonly #title: Title
  readonly #timing: FrameTiming
  readonly #splitter: ByteSplitter
  readonly #unfinished: UnfinishedSequence
  #progress: Progress | null
  #status: ProgramStatus
  #seq: number
  #time: number
  #suppressedUntil: number
  /** The rows of the last frame of each screen, top to bottom: their ids are consecutive. */
  #lastRows: { normal: readonly ReadRow[]; alternate: readonly ReadRow[] }
  #parserFaults = 0
  #unknownOsc = 0
  #isLive = false
  #pieceEndsWithBell = false
  #events: TerminalEvent[] = []

  constructor(options: EmulatorOptions, state?: EmulatorState) {
    this.#options = resolveOptions(options)
    const { cols, rows, scrollback, ambiguous, settings } = this.#options
    this.#terminal = openTerminal({ cols, rows, scrollback })
    this.#core = coreOf(this.#terminal)
    const widths = createWidthProvider(ambiguous)
    this.#terminal.unicode.register(widths)
    this.#terminal.unicode.activeVersion = WIDTH_VERSION
    printPlainTextFast(this.#core, widths)
    shareLineMemory(this.#core)
    if (state) restoreGrid(this.#core, state.grid)
    this.#ids = new RowIds(this.#core, state?.ids)
    this.#links = new LinkTable(this.#core, state?.links)
    this.#modes = new PrivateModes(state?.modes, state?.ansiModes)
    this.#terminal.options.convertEol = this.#modes.isNewLine
    this.#keyboard = new KittyKeyboard(state?.keyboard)
    this.#colors = new Colors(state?.colors)
    this.#title = new Title(state?.title)
    this.#timing = new FrameTiming(settings, state?.timing)
    const sequence = fromBase64(state?.unfinished.sequence)
    this.#splitter = new ByteSplitter(fromBase64(state?.unfinished.character), sequence.at(-1))
    this.#unfinished = new UnfinishedSequence(sequence)
    this.#progress = state?.progress ?? null
    this.#status = state?.status ?? EMPTY_PROGRAM_STATUS
    this.#seq = state?.seq ?? 0
    this.#time = state?.time ?? 0
    this.#suppressedUntil = state?.suppressedUntil ?? 0
    this.#lastRows = {
      normal: knownRows(state?.lastRows.normal ?? []),
      alternate: knownRows(state?.lastRows.alternate ?? []),
    }
    this.#hooks = new ParserHooks(this.#terminal)
    this.#registerHooks()
    this.#parser = new ByteParser(this.#core)
    if (sequence.length > 0) this.#parser.parse(sequence)
  }

  static restore(state: EmulatorState): TerminalEmulator {
    return new TerminalEmulator(state.options, state)
  }

  /** Output of the program. Queries are answered only when `live`, not in a replay. */
  feed(bytes: Uint8Array, t: number, { live }: { live: boolean }): TerminalEvent[] {
    this.#runDeadlines(t, end => end.at < t)
    this.#isLive = live
    this.#splitter.split(bytes, this.#parse)
    if (this.#splitter.pending.length > 0) this.#timing.bytesArrived(this.#time)
    return this.#takeEvents()
  }

  /** Time has passed without output. */
  tick(t: number): TerminalEvent[] {
    this.#runDeadlines(t, end => end.at <= t)
    return this.#takeEvents()
  }

  /** When `tick` must be called next; null when only output can change anything. */
  nextDeadline(): number | null {
    return this.#timing.nextEnd()?.at ?? null
  }

  /** The size is clamped: read it back from `size` and give it to the PTY in the same turn. */
  resize(cols: number, rows: number, t: number): TerminalEvent[] {
    this.#runDeadlines(t, end => end.at < t)
    const size = clampSize(cols, rows)
    if (size.cols === this.#terminal.cols && size.rows === this.#terminal.rows) return this.#takeEvents()
    const resize = () => this.#terminal.resize(size.cols, size.rows)
    if (size.cols === this.#terminal.cols) resize()
    else this.#ids.keepAcrossResize(resize)
    this.#suppressedUntil = this.#time + this.#options.settings.resizeSuppressMs / 1000
    this.#timing.bytesArrived(this.#time)
    return this.#takeEvents()
  }

  /** Ends a frame now. It is torn if a synchronized update is open. */
  endFrame(t: number): TerminalEvent[] {
    this.#runDeadlines(t, end => end.at <= t)
    this.#completeFrame({ at: this.#time, cause: 'forced', torn: this.#timing.isSynchronizing })
    return this.#takeEvents()
  }

  /** The current screen for a new viewer; ends no frame and marks no rows as read. */
  currentFrame(): Frame {
    const end: FrameEnd = { at: this.#time, cause: 'forced', torn: this.#timing.isSynchronizing }
    return this.#frameOf(end, this.#seq + 1, this.#readScreen(this.#seq + 1, { isKept: false }))
  }

  /** Output has arrived since the last frame ended. */
  get isFrameOpen(): boolean {
    return this.#timing.nextEnd() !== null && !this.#timing.isSynchronizing
  }

  get size(): { cols: number; rows: number } {
    return { cols: this.#terminal.cols, rows: this.#terminal.rows }
  }

  get isBracketedPaste(): boolean {
    return this.#modes.isSet(2004)
  }

  get isApplicationCursor(): boolean {
    return this.#terminal.modes.applicationCursorKeysMode
  }

  /** Frames up to this time are suppressed. */
  get suppressedUntil(): number {
    return this.#suppressedUntil
  }

  get programStatus(): ProgramStatus {
    return this.#status
  }

  get statusRecords(): StatusRecord[] {
    return statusRecords(this.#status)
  }

  get counters(): EmulatorCounters {
    return {
      hookFaults: this.#hooks.faults,
      parserFaults: this.#parserFaults,
      oversizedPayloads: this.#hooks.oversized,
      unknownOsc: this.#unknownOsc,
      refusedLinks: this.#links.refused,
      invalidStatus: this.#status.invalid,
    }
  }

  /** Rows by id, both ends included, as far as they still exist. */
  readRows(firstId: number, lastId: number): Row[] {
    const known = this.#ids.rangeAround(firstId)
    const rows: Row[] = []
    const context = this.#reading
    for (let id = Math.max(firstId, known.firstId); id <= Math.min(lastId, known.lastId); id++) {
      const read = rowWithId(this.#lastRows[this.#screen], id)
      context.id = id
      rows.push(readRow(this.#ids.lineOf(id)!, context, read).row)
    }
    return rows
  }

  /**
   * The emulator as JSON. A restored emulator that receives the bytes after this point gives the
   * same frames as if it had never stopped. The counters are not kept.
   */
  serialize(): EmulatorState {
    return {
      version: EMULATOR_STATE_VERSION,
      options: { ...this.#options, ...this.size },
      grid: captureGrid(this.#core),
      ids: this.#ids.state,
      links: this.#links.entries,
      modes: this.#modes.state,
      ansiModes: this.#modes.ansiState,
      keyboard: this.#keyboard.state,
      colors: this.#colors.state,
      title: this.#title.state,
      progress: this.#progress,
      status: this.#status,
      timing: this.#timing.state,
      time: this.#time,
      suppressedUntil: this.#suppressedUntil,
      seq: this.#seq,
      lastRows: {
        normal: this.#lastRows.normal.map(read => read.row),
        alternate: this.#lastRows.alternate.map(read => read.row),
      },
      unfinished: {
        sequence: toBase64(this.#unfinished.bytes),
        character: toBase64(this.#splitter.pending),
      },
    }
  }

  get #screen(): 'normal' | 'alternate' {
    return this.#ids.isAlternate ? 'alternate' : 'normal'
  }

  readonly #parse = (piece: Uint8Array, endsWithBell: boolean): void => {
    this.#timing.bytesArrived(this.#time)
    this.#pieceEndsWithBell = endsWithBell
    try {
      this.#parser.parse(piece)
    } catch {
      this.#parserFaults++
      this.#core._inputHandler._parser.reset()
    }
    this.#unfinished.parsed(piece, isBetweenSequences(this.#core))
  }

  #runDeadlines(t: number, isDue: (end: FrameEnd) => boolean): void {
    for (let end = this.#timing.nextEnd(); end && isDue(end); end = this.#timing.nextEnd()) this.#completeFrame(end)
    this.#time = Math.max(this.#time, t)
  }

  #completeFrame(end: FrameEnd): void {
    const seq = ++this.#seq
    const read = this.#readScreen(seq, { isKept: true })
    this.#lastRows[this.#screen] = read
    this.#timing.frameEnded(end)
    this.#events.push({ type: 'frame', t: end.at, frame: this.#frameOf(end, seq, read) })
  }

  /** The viewport, row by row. A row that is unchanged since the last frame is the same object. */
  #readScreen(seq: number, { isKept }: { isKept: boolean }): ReadRow[] {
    const { lines, ybase } = this.#core.buffers.active
    const known = this.#lastRows[this.#screen]
    const context = this.#reading
    context.seq = seq
    context.isKept = isKept
    const firstId = this.#ids.activeBase + ybase
    const read: ReadRow[] = []
    for (let y = 0; y < this.#terminal.rows; y++) {
      const line = lines.get(ybase + y)
      if (!line) break
      context.id = firstId + y
      read.push(readRow(line, context, rowWithId(known, context.id)))
    }
    return read
  }

  #frameOf(end: FrameEnd, seq: number, read: readonly ReadRow[]): Frame {
    const { cols, rows } = this.size
    const buffer = this.#core.buffers.active
    const base = this.#ids.activeBase
    return {
      seq,
      t: end.at,
      cause: end.cause,
      torn: end.torn,
      suppressed: end.at < this.#suppressedUntil,
      cols,
      rows,
      buffer: this.#screen,
      cursor: { x: Math.min(buffer.x, cols - 1), y: buffer.y, visible: this.#modes.isCursorVisible },
      title: this.#title.current,
      progress: this.#progress,
      lines: read.map(row => row.row),
      history: { firstId: base, lastId: base + buffer.ybase - 1 },
    }
  }

  get #reading() {
    return {
      id: 0,
      cols: this.#terminal.cols,
      seq: this.#seq,
      isKept: false,
      linkOf: (number: number) => this.#links.uriOf(number),
    }
  }

  #registerHooks(): void {
    eraseAboveLastRow(this.#core)
    limitRepeatCounts(this.#core, () => this.#terminal.cols * this.#terminal.rows)
    this.#core._inputHandler._parser.setOscHandlerFallback((_id, action) => {
      if (action === 'END') this.#unknownOsc++
    })
    this.#modes.register(this.#hooks, isSet => this.#synchronize(isSet))
    this.#hooks.osc(8, payload => this.#links.accept(payload))
    this.#hooks.osc(7501, payload => this.#acceptStatus(payload))
    this.#hooks.esc({ final: 'c' }, () => this.#reset())
    registerReplies(this.#hooks, {
      version: this.#options.version,
      colors: this.#colors,
      keyboard: this.#keyboard,
      modes: this.#modes,
      screen: () => this.#screen,
      size: () => this.size,
      cursor: () => ({
        x: Math.min(this.#core.buffers.active.x, this.#terminal.cols - 1),
        y: this.#core.buffers.active.y,
      }),
      terminator: () => this.#terminator,
      send: reply => this.#reply(reply),
    })
    this.#hooks.csi({ final: 't' }, params => {
      if (paramAt(params, 0) === 22) this.#title.push()
      if (paramAt(params, 0) === 23) this.#title.pop()
      return false
    })
    registerEvidence(this.#hooks, {
      hostname: this.#options.hostname,
      place: () => this.#cursorPlace,
      report: evidence => this.#report(evidence),
    })
  }

  get #cursorPlace(): string {
    const { x, y, ybase } = this.#core.buffers.active
    return `${this.#ids.activeBase + ybase + y}:${x}`
  }

  get #terminator(): '\x07' | '\x1b\\' {
    return this.#pieceEndsWithBell ? '\x07' : '\x1b\\'
  }

  #synchronize(isSet: boolean): void {
    if (isSet) this.#timing.syncStarted(this.#time)
    else if (this.#timing.syncEnded(this.#time)) this.#completeFrame({ at: this.#time, cause: 'sync', torn: false })
  }

  #acceptStatus(payload: string): boolean {
    if (payload === '?') this.#reply(programStatusReply(this.#terminator))
    else this.#applyStatus({ type: 'report', payload, t: this.#time })
    return true
  }

  #applyStatus(event: ProgramStatusEvent): void {
    const before = this.#status
    this.#status = reduceStatus(before, event)
    const isAccepted = event.type === 'report' && this.#status.invalid === before.invalid
    const isShorter = this.#status.records.length < before.records.length
    if (isAccepted || isShorter)
      this.#report({ kind: 'status', aggregate: aggregateStatus(this.#status), status: this.#status })
  }

  /** RIS: xterm resets the grid itself, but not what a line feed does. */
  #reset(): boolean {
    this.#modes.reset()
    this.#terminal.options.convertEol = false
    this.#keyboard.reset()
    this.#colors.reset()
    this.#timing.syncEnded(this.#time)
    this.#applyStatus({ type: 'reset' })
    return false
  }

  #report(evidence: TerminalEvidence): void {
    if (evidence.kind === 'title') this.#title.set(evidence.title)
    if (evidence.kind === 'progress') this.#progress = evidence.progress
    this.#events.push({ type: 'evidence', t: this.#time, evidence })
  }

  #reply(reply: string): void {
    if (!this.#isLive) return
    this.#events.push({ type: 'reply', t: this.#time, bytes: new TextEncoder().encode(reply) })
  }

  #takeEvents(): TerminalEvent[] {
    const events = this.#events
    this.#events = []
    return events
  }
}

/**
 * Rows known from before a restart. Their cells are not known, so they are compared as rows once.
 */
function knownRows(rows: readonly Row[]): ReadRow[] {
  return rows.map(row => ({ row, cells: null, extras: '' }))
}

function rowWithId(rows: readonly ReadRow[], id: number): ReadRow | undefined {
  const [first] = rows
  return first && rows[id - first.row.id]
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}

function fromBase64(text = ''): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'base64'))
}
