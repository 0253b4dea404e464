import { displayWidth } from '../text/index.js'
import type { Frame, Row } from './frame.js'
import { hashText } from './row-hash.js'

/** A frame made of plain lines, as somebody would copy them out of a terminal: no colours, the cursor below the last line. */
export function frameOfText(text: string, size: { cols: number; rows: number } | null = null): Frame {
  const written = text.replaceAll('\r\n', '\n').replace(/\n$/, '').split('\n')
  const cols = size?.cols ?? Math.max(80, ...written.map(line => displayWidth(line)))
  const rows = size?.rows ?? Math.max(24, written.length)
  const shown = written.slice(-rows)
  const lines = Array.from({ length: rows }, (_, index) => rowOfText(shown[index] ?? '', index))
  return {
    seq: 1,
    t: 0,
    cause: 'forced',
    torn: false,
    held: false,
    still: true,
    cols,
    rows,
    buffer: 'normal',
    cursor: { x: 0, y: Math.min(shown.length, rows - 1), visible: true },
    title: '',
    progress: null,
    lines,
    history: { firstId: 0, lastId: -1 },
  }
}

function rowOfText(line: string, id: number): Row {
  const text = line.trimEnd()
  const width = displayWidth(text)
  const plain = {
    fg: null,
    bg: null,
    bold: false,
    dim: false,
    italic: false,
    underline: false,
    inverse: false,
    strike: false,
  }
  return {
    id,
    text,
    width,
    wrapped: false,
    spans: width === 0 ? [] : [{ x: 0, width, text, ...plain }],
    hash: hashText(text),
    changedSeq: 1,
  }
}
