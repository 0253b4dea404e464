import { displayWidth } from '../text/index.js'
import type { Frame, Row, Span } from './frame.js'
import { hashText } from './row-hash.js'

/** The end of a line after which a program waits for an answer or a command. */
const WAITING = /(?:[:\]>$#%]|\([yn](?:es|o)?\/[yn](?:es|o)?\))\s*$/iu

/**
 * A frame from plain lines, as copied from a terminal: no colours, the cursor below the last line,
 * or one blank after that line if it asks for something.
 */
export function frameFromText(text: string, size: { cols: number; rows: number } | null = null): Frame {
  const written = text.replaceAll('\r\n', '\n').replace(/\n$/, '').split('\n')
  const cols = size?.cols ?? Math.max(80, ...written.map(line => displayWidth(line)))
  const rows = size?.rows ?? Math.max(24, written.length)
  const shown = written.slice(-rows)
  const lines = Array.from({ length: rows }, (_, index) => rowOfText(shown[index] ?? '', index))
  const last = shown.at(-1)!.trimEnd()
  const cursor = WAITING.test(last)
    ? { x: Math.min(displayWidth(last) + 1, cols - 1), y: shown.length - 1 }
    : { x: 0, y: Math.min(shown.length, rows - 1) }
  return {
    seq: 1,
    t: 0,
    cause: 'forced',
    torn: false,
    suppressed: false,
    isPlainText: true,
    cols,
    rows,
    buffer: 'normal',
    cursor: { ...cursor, visible: true },
    title: '',
    progress: null,
    lines,
    history: { firstId: 0, lastId: -1 },
  }
}

/** The style of a cell to which no program has given one. */
export const DEFAULT_STYLE = {
  fg: null,
  bg: null,
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  inverse: false,
  strike: false,
} as const satisfies Partial<Span>

function rowOfText(line: string, id: number): Row {
  const text = line.trimEnd()
  const width = displayWidth(text)
  return {
    id,
    text,
    width,
    wrapped: false,
    spans: width === 0 ? [] : [{ x: 0, width, text, ...DEFAULT_STYLE }],
    hash: hashText(text),
    changedSeq: 1,
  }
}
