import { Background, Content } from './cell-style.js'
import {
  CELL_WORDS,
  type Charset,
  type CoreAttributes,
  type CoreBuffer,
  type CoreLine,
  type XtermCore,
} from './xterm-core.js'

/*
 * Captures the whole grid as JSON and restores it: both buffers with every cell, wrap flags,
 * cursor, margins, tab stops, saved cursor, character sets, modes, pending attributes. Cells are
 * stored as text and runs of style, so a screen takes a few kB.
 */

/** A line: a code point per cell (U+0000: never written), runs of style, the exceptions. */
interface LineState {
  text: string
  runs: number[]
  wrapped?: true
  length: number
  /** Column → width, for cells that are not one column wide. */
  widths?: Record<number, number>
  /** Column → characters, for cells with more than one code point. */
  combined?: Record<number, string>
  /** Column → `[ext, link]`. */
  extended?: Record<number, [number, number]>
}

interface AttributeState {
  fg: number
  bg: number
  ext: [number, number]
}

interface BufferState {
  lines: LineState[]
  position: Record<(typeof POSITION)[number], number>
  tabs: number[]
  savedAttributes: AttributeState
  savedCharset: Charset | null
}

export interface GridState {
  normal: BufferState
  /** Null while the normal buffer is active: xterm empties the other one. */
  alternate: BufferState | null
  attributes: AttributeState
  modes: Record<string, unknown>
  decPrivateModes: Record<string, unknown>
  isCursorHidden: boolean
  mouse: { protocol: string; encoding: string }
  charsets: { level: number; sets: (Charset | null)[] }
  precedingJoinState: number
}

const POSITION = ['ybase', 'ydisp', 'x', 'y', 'scrollTop', 'scrollBottom', 'savedX', 'savedY'] as const
const ONE_COLUMN = 1 << Content.widthShift

export function captureGrid(core: XtermCore): GridState {
  const { buffers, coreService, coreMouseService, _charsetService: charsets, _inputHandler: input } = core
  return {
    normal: captureBuffer(buffers.normal),
    alternate: buffers.active === buffers.alt ? captureBuffer(buffers.alt) : null,
    attributes: captureAttributes(input._curAttrData),
    modes: { ...coreService.modes },
    decPrivateModes: { ...coreService.decPrivateModes },
    isCursorHidden: coreService.isCursorHidden,
    mouse: { protocol: coreMouseService.activeProtocol, encoding: coreMouseService.activeEncoding },
    charsets: { level: charsets.glevel, sets: [...charsets._charsets].map(set => set ?? null) },
    precedingJoinState: input._parser.precedingJoinState,
  }
}

/** Into a fresh terminal of the same size and scrollback. */
export function restoreGrid(core: XtermCore, state: GridState): void {
  const { buffers, coreService, coreMouseService, _charsetService: charsets, _inputHandler: input } = core
  restoreAttributes(input._curAttrData, state.attributes)
  restoreBuffer(buffers.normal, state.normal, input._curAttrData)
  if (state.alternate) {
    buffers.activateAltBuffer()
    restoreBuffer(buffers.alt, state.alternate, input._curAttrData)
  }
  coreService.modes = { ...state.modes }
  coreService.decPrivateModes = { ...state.decPrivateModes }
  coreService.isCursorHidden = state.isCursorHidden
  coreMouseService.activeProtocol = state.mouse.protocol
  coreMouseService.activeEncoding = state.mouse.encoding
  charsets._charsets = state.charsets.sets.map(set => set ?? undefined)
  charsets.glevel = state.charsets.level
  charsets.charset = charsets._charsets[charsets.glevel]
  input._parser.precedingJoinState = state.precedingJoinState
}

function captureBuffer(buffer: CoreBuffer): BufferState {
  const lines: LineState[] = []
  for (let index = 0; index < buffer.lines.length; index++) lines.push(captureLine(buffer.lines.get(index)!))
  return {
    lines,
    position: Object.fromEntries(POSITION.map(name => [name, buffer[name]])) as BufferState['position'],
    tabs: Object.keys(buffer.tabs)
      .map(Number)
      .filter(column => buffer.tabs[column]),
    savedAttributes: captureAttributes(buffer.savedCurAttrData),
    savedCharset: buffer.savedCharset ?? null,
  }
}

function restoreBuffer(buffer: CoreBuffer, state: BufferState, blank: CoreAttributes): void {
  buffer.lines.length = 0
  for (const line of state.lines) buffer.lines.push(restoreLine(buffer.getBlankLine(blank), line, blank))
  for (const name of POSITION) buffer[name] = state.position[name]
  buffer.tabs = Object.fromEntries(state.tabs.map(column => [column, true]))
  restoreAttributes(buffer.savedCurAttrData, state.savedAttributes)
  buffer.savedCharset = state.savedCharset ?? undefined
}

/** The text of the line that is being captured, in UTF-16. */
let units = new Uint16Array(1000)

/** Captured in one pass without a value per cell: a full scrollback has half a million cells. */
function captureLine(line: CoreLine): LineState {
  const words = line._data
  const used = usedCells(words)
  const state: LineState = { text: '', runs: [], length: line.length }
  if (line.isWrapped) state.wrapped = true
  const { runs } = state
  let end = 0
  let run = 0
  let runFg = 0
  let runBg = 0
  if (units.length < used * 2) units = new Uint16Array(used * 2)
  for (let x = 0, at = 0; x < used; x++, at += CELL_WORDS) {
    const content = words[at]!
    const fg = words[at + 1]!
    const bg = words[at + 2]!
    const point = content & Content.codePoint
    if (point > 0xffff) {
      units[end++] = 0xd800 + ((point - 0x10000) >> 10)
      units[end++] = 0xdc00 + ((point - 0x10000) & 0x3ff)
    } else units[end++] = point
    const width = content >>> Content.widthShift
    if (width !== 1) (state.widths ??= {})[x] = width
    if ((content & Content.isCombined) !== 0) (state.combined ??= {})[x] = line._combined[x] ?? ''
    const extended = (bg & Background.hasExtended) !== 0 ? line._extendedAttrs[x] : undefined
    if (extended) (state.extended ??= {})[x] = [extended._ext, extended._urlId]
    if (run > 0 && (runFg !== fg || runBg !== bg)) {
      runs.push(run, runFg, runBg)
      run = 0
    }
    runFg = fg
    runBg = bg
    run++
  }
  if (run > 0) runs.push(run, runFg, runBg)
  state.text = Buffer.from(units.buffer, 0, end * 2).toString('utf16le')
  return state
}

function restoreLine(line: CoreLine, state: LineState, prototype: CoreAttributes): CoreLine {
  const words = new Uint32Array(state.length * CELL_WORDS)
  for (let x = 0; x < state.length; x++) words[x * CELL_WORDS] = ONE_COLUMN
  let x = 0
  for (const char of state.text) {
    const width = state.widths?.[x] ?? 1
    const combined = state.combined?.[x]
    words[x * CELL_WORDS] =
      combined === undefined
        ? char.codePointAt(0)! | (width << Content.widthShift)
        : Content.isCombined | (width << Content.widthShift)
    x++
  }
  restoreStyle(words, state.runs)
  line._data = words
  line._combined = { ...state.combined }
  line._extendedAttrs = {}
  for (const [column, [ext, link]] of Object.entries(state.extended ?? {})) {
    line._extendedAttrs[Number(column)] = makeExtended(prototype, ext, link)
  }
  line.length = state.length
  line.isWrapped = state.wrapped === true
  return line
}

function restoreStyle(words: Uint32Array, runs: readonly number[]): void {
  let x = 0
  for (let run = 0; run < runs.length; run += 3) {
    for (const end = x + runs[run]!; x < end; x++) {
      words[x * CELL_WORDS + 1] = runs[run + 1]!
      words[x * CELL_WORDS + 2] = runs[run + 2]!
    }
  }
}

function usedCells(words: Uint32Array): number {
  for (let x = words.length / CELL_WORDS - 1; x >= 0; x--) {
    const at = x * CELL_WORDS
    if (words[at] !== ONE_COLUMN || words[at + 1] !== 0 || words[at + 2] !== 0) return x + 1
  }
  return 0
}

function captureAttributes(attributes: CoreAttributes): AttributeState {
  const { fg, bg, extended } = attributes
  return { fg, bg, ext: [extended._ext, extended._urlId] }
}

function restoreAttributes(attributes: CoreAttributes, state: AttributeState): void {
  attributes.fg = state.fg
  attributes.bg = state.bg
  attributes.extended = makeExtended(attributes, ...state.ext)
}

function makeExtended(prototype: CoreAttributes, ext: number, link: number) {
  const extended = prototype.extended.clone()
  extended._ext = ext
  extended._urlId = link
  return extended
}
