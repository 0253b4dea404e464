import { type Row, TerminalEmulator } from '../../../terminal/index.js'
import { type Pack, parsePack } from '../../pack/index.js'
import type { KeptRow } from '../merge-window.js'

/**
 * An agent that marks an answer with `●`, a tool's output with `⎿`, and wraps at the edge of the
 * screen.
 */
export const PACK: Pack = parsePack(
  `pack = 1
agent = "test"
text = { indent = 2, width = "cols" }
blocks = [
  { kind = "user", first = '^❯ ', more = '^  \\S', strip = 2, tight = true },
  { kind = "tool_result", first = '^  ⎿  ', more = '^ {5}', strip = 5, failed = 'Error' },
  { kind = "tool_call", first = '^● [A-Z]\\w*\\(', strip = 2 },
  { kind = "prose", first = '^●( |$)', more = '^  ', strip = 2 },
]
chrome = [{ line = '^  tip:' }]
terminators = [{ line = '^✻ Done', outcome = "done" }]
`,
  'test.toml',
)

/** Lines with SGR codes, drawn by the real emulator. */
export function drawRows(lines: readonly string[], cols = 80): Row[] {
  const emulator = new TerminalEmulator({ cols, rows: Math.max(lines.length + 1, 5) })
  emulator.feed(new TextEncoder().encode(lines.join('\r\n')), 0, { live: false })
  const [event] = emulator.endFrame(1).filter(found => found.type === 'frame')
  return event!.frame.lines.slice(0, rowsUsed(event!.frame.lines))
}

function rowsUsed(lines: readonly Row[]): number {
  return lines.findLastIndex(line => line.text !== '') + 1
}

export function keptRows(texts: readonly string[], options: { cols?: number } = {}): KeptRow[] {
  return drawRows(texts, options.cols ?? 80).map((row, index) => ({
    row,
    key: (texts[index] ?? row.text).trim(),
    isEcho: row.text.startsWith('❯ '),
  }))
}

/**
 * Wraps as agents do: breaks at blanks, splits words that are too long, and puts `indent` blanks
 * before every row but the first.
 */
export function wrap(text: string, width: number, indent = 2): string[] {
  const rows: string[] = []
  let row = ''
  const room = width - indent
  for (const word of text.split(' ')) {
    if (row !== '' && row.length + 1 + word.length <= room) {
      row += ` ${word}`
      continue
    }
    if (row !== '') rows.push(row)
    row = word
    while (row.length > room) {
      rows.push(row.slice(0, room))
      row = row.slice(room)
    }
  }
  return [...rows, row]
}

/** An answer as the test agent draws it. */
export function answer(lines: readonly string[]): string[] {
  return lines.map((line, index) => (index === 0 ? `● ${line}` : line === '' ? '' : `  ${line}`))
}
