import { createRequire } from 'node:module'
import { SignalboxError } from '../errors/index.js'

/*
 * All private parts of xterm.js that Signalbox uses, in one file. They are checked when a terminal
 * is created and by a test.
 *
 * Why not the public API alone:
 * - `write` parses later, in slices of 12 ms by its own timer. A frame must end at an exact byte
 *   and at a given time, so parsing has to happen inside the call. `writeSync` does that, but a
 *   single exception blocks it for good, because its "is writing" flag stays set; the parser below
 *   it has no such flag.
 * - Rows are read again ten times a second; comparing the cell words of a line takes a hundredth of
 *   the time of reading its cells.
 * - xterm collects up to ten million characters of an OSC or DCS, one string node per character:
 *   some hundred megabytes. Only a handler of the parser itself can stop collecting.
 * - A restarted host needs the exact grid, including wrap flags and pending attributes. The
 *   serialize addon writes escape sequences that draw something similar.
 */

// A CommonJS module: an import would first search its 180 kB for export names, which takes longer
// than running it.
const xterm = createRequire(import.meta.url)('@xterm/headless') as typeof import('@xterm/headless')

export type XtermTerminal = InstanceType<typeof xterm.Terminal>

/** Cells of a line, three words each: content, foreground, background (`BufferLine.ts`). */
export interface CoreLine {
  _data: Uint32Array
  _combined: Record<number, string>
  _extendedAttrs: Record<number, CoreExtended | undefined>
  isWrapped: boolean
  length: number
  clone(): CoreLine
  fill(cell: FillCell, isSparing?: boolean): void
  replaceCells(start: number, end: number, cell: FillCell, isSparing?: boolean): void
  translateToString(trimRight?: boolean): string
}

/** The cell that erased cells become. */
export interface FillCell {
  content: number
  fg: number
  bg: number
}

interface CoreExtended {
  _ext: number
  _urlId: number
  clone(): CoreExtended
}

export interface CoreAttributes {
  fg: number
  bg: number
  extended: CoreExtended
  updateExtended(): void
}

export interface CoreLines {
  length: number
  get(index: number): CoreLine | undefined
  push(line: CoreLine): void
  onTrim(listener: (amount: number) => void): { dispose(): void }
}

export interface CoreBuffer {
  lines: CoreLines
  ybase: number
  ydisp: number
  x: number
  y: number
  scrollTop: number
  scrollBottom: number
  tabs: Record<number, boolean | undefined>
  savedX: number
  savedY: number
  savedCurAttrData: CoreAttributes
  savedCharset: Charset
  _bufferService: { cols: number }
  getNullCell(): unknown
  getBlankLine(attributes: CoreAttributes, isWrapped?: boolean): CoreLine
}

export type Charset = Record<string, string> | undefined

export interface SequenceId {
  prefix?: string
  intermediates?: string
  final: string
}

/** Numeric parameters of a control sequence: the first `length` of `params`. */
export interface SequenceParams {
  params: Int32Array
  length: number
}

/** Code points, from `start` to before `end`. */
type PutCodePoints = (data: Uint32Array, start: number, end: number) => void

export interface XtermCore {
  cols: number
  buffers: {
    normal: CoreBuffer
    alt: CoreBuffer
    active: CoreBuffer
    activateAltBuffer(): void
    onBufferActivate(listener: () => void): void
  }
  coreService: { modes: Record<string, unknown>; decPrivateModes: Record<string, unknown>; isCursorHidden: boolean }
  coreMouseService: { activeProtocol: string; activeEncoding: string }
  _charsetService: { charset: Charset; glevel: number; _charsets: Charset[] }
  _inputHandler: {
    parse(bytes: Uint8Array): unknown
    print: PutCodePoints
    _utf8Decoder: { decode(bytes: Uint8Array, into: Uint32Array): number }
    eraseInDisplay(params: SequenceParams, keepsProtected: boolean): unknown
    eraseInLine(params: SequenceParams, keepsProtected: boolean): unknown
    _curAttrData: CoreAttributes
    _parser: {
      currentState: number
      precedingJoinState: number
      _params: SequenceParams & { reset(): void; addParam(value: number): void }
      _csiHandlers: Record<number, ((params: SequenceParams) => unknown)[] | undefined>
      _executeHandlers: Record<number, (() => unknown) | undefined>
      _printHandler: PutCodePoints
      parse(codePoints: Uint32Array, length: number): unknown
      reset(): void
      setPrintHandler(print: PutCodePoints): void
      clearOscHandler(id: number): void
      registerOscHandler(
        id: number,
        handler: { start(): void; put: PutCodePoints; end(success: boolean): boolean },
      ): void
      clearDcsHandler(id: SequenceId): void
      registerDcsHandler(
        id: SequenceId,
        handler: { hook(): void; put: PutCodePoints; unhook(success: boolean): boolean },
      ): void
      setOscHandlerFallback(fallback: (id: number, action: string) => void): void
    }
  }
  registerCsiHandler(id: SequenceId, callback: (params: SequenceParams) => boolean): void
}

/** Words of a cell in `CoreLine._data`. */
export const CELL_WORDS = 3

/** xterm's own limit for one decode; a piece within it is never split inside a character. */
export const PIECE_MAX = 65_536

export const GROUND_STATE = 0

export function openTerminal(options: { cols: number; rows: number; scrollback: number }): XtermTerminal {
  return new xterm.Terminal({
    ...options,
    allowProposedApi: true,
    logLevel: 'off',
    // Without these xterm does not call a hook for the queries of the same name.
    windowOptions: {
      getWinSizePixels: true,
      getCellSizePixels: true,
      getWinSizeChars: true,
      pushTitle: true,
      popTitle: true,
    },
  })
}

/**
 * The private core.
 * @throws SignalboxError `E_INTERNAL` that names the parts which a new xterm.js release lacks.
 */
export function coreOf(terminal: XtermTerminal): XtermCore {
  const core = (terminal as unknown as { _core?: XtermCore })._core
  const required: Record<string, boolean> = {
    _core: core !== undefined,
    '_inputHandler.parse': typeof core?._inputHandler?.parse === 'function',
    '_inputHandler.print': typeof core?._inputHandler?.print === 'function',
    '_inputHandler.eraseInDisplay': typeof core?._inputHandler?.eraseInDisplay === 'function',
    '_inputHandler.eraseInLine': typeof core?._inputHandler?.eraseInLine === 'function',
    '_inputHandler._utf8Decoder.decode': typeof core?._inputHandler?._utf8Decoder?.decode === 'function',
    '_inputHandler._parser.parse': typeof core?._inputHandler?._parser?.parse === 'function',
    '_inputHandler._parser._params.addParam': typeof core?._inputHandler?._parser?._params?.addParam === 'function',
    '_inputHandler._parser._csiHandlers': typeof core?._inputHandler?._parser?._csiHandlers === 'object',
    '_inputHandler._parser._executeHandlers': typeof core?._inputHandler?._parser?._executeHandlers === 'object',
    '_inputHandler._parser._printHandler': typeof core?._inputHandler?._parser?._printHandler === 'function',
    '_inputHandler._parser.setPrintHandler': typeof core?._inputHandler?._parser?.setPrintHandler === 'function',
    '_inputHandler._parser.currentState': typeof core?._inputHandler?._parser?.currentState === 'number',
    '_inputHandler._parser.registerOscHandler': typeof core?._inputHandler?._parser?.registerOscHandler === 'function',
    '_inputHandler._parser.registerDcsHandler': typeof core?._inputHandler?._parser?.registerDcsHandler === 'function',
    '_inputHandler._curAttrData': typeof core?._inputHandler?._curAttrData?.updateExtended === 'function',
    'buffers.normal.lines.onTrim': typeof core?.buffers?.normal?.lines?.onTrim === 'function',
    'buffers.normal.getNullCell': typeof core?.buffers?.normal?.getNullCell === 'function',
    'buffers.normal.getBlankLine': typeof core?.buffers?.normal?.getBlankLine === 'function',
    'buffers.normal._bufferService.cols': typeof core?.buffers?.normal?._bufferService?.cols === 'number',
    'BufferLine.clone': typeof core?.buffers?.normal?.lines?.get(0)?.clone === 'function',
    'BufferLine.fill': typeof core?.buffers?.normal?.lines?.get(0)?.fill === 'function',
    'BufferLine.replaceCells': typeof core?.buffers?.normal?.lines?.get(0)?.replaceCells === 'function',
    'BufferLine._data': core?.buffers?.normal?.lines?.get(0)?._data instanceof Uint32Array,
    _charsetService: typeof core?._charsetService?.glevel === 'number',
    coreService: typeof core?.coreService?.decPrivateModes === 'object',
    coreMouseService: typeof core?.coreMouseService?.activeProtocol === 'string',
  }
  const missing = Object.keys(required).filter(name => !required[name])
  if (core && missing.length === 0) return core
  throw new SignalboxError('E_INTERNAL', `this release of @xterm/headless lacks ${missing.join(', ')}`, {
    next: 'install the version that package-lock.json names',
  })
}

export function isBetweenSequences(core: XtermCore): boolean {
  return core._inputHandler._parser.currentState === GROUND_STATE
}

/**
 * xterm repeats some operations as often as a parameter says: `CSI 2147483647 L` keeps it busy for
 * minutes and `CSI 2147483647 b` runs out of memory. More repetitions than fill the screen show
 * nothing new, so the count is limited first.
 */
export function limitRepeatCounts(core: XtermCore, limit: () => number): void {
  const repeating = [...'@ILMPSTXZb', "'}", "'~", ' @', ' A']
  for (const name of repeating) {
    const final = name.slice(-1)
    const id = name.length > 1 ? { final, intermediates: name.slice(0, -1) } : { final }
    core.registerCsiHandler(id, ({ params }) => {
      params[0] = Math.min(params[0] ?? 0, limit())
      return false
    })
  }
}

/**
 * Erasing up to a cursor in the last column, xterm looks for the row below the cursor; if there is
 * none, it throws, and the rest of the output would be lost. Here the last cell is erased by
 * itself.
 */
export function eraseAboveLastRow(core: XtermCore): void {
  const { _inputHandler: input, buffers } = core
  for (const prefix of ['', '?']) {
    const keepsProtected = prefix === '?'
    core.registerCsiHandler({ final: 'J', ...(keepsProtected && { prefix }) }, given => {
      const { x, y, lines } = buffers.active
      const hasRowBelow = lines.get(y + 1) !== undefined
      if (given.params[0] !== 1 || x + 1 < core.cols || core.cols < 2 || hasRowBelow) return false
      buffers.active.x = core.cols - 2
      input.eraseInDisplay(given, keepsProtected)
      buffers.active.x = core.cols - 1
      input.eraseInLine(given, keepsProtected)
      buffers.active.x = x
      return true
    })
  }
}
