import { describe, expect, it } from 'vitest'
import { TerminalEmulator } from '../terminal/index.js'
import { splitBlocks } from './grammar.js'
import { parsePack } from './pack/index.js'
import { type ScreenRow, screenRowsOf } from './screen-row.js'
import { matchesRow } from './style-match.js'

/** What this program draws, row by row. */
function draw(...lines: string[]): ScreenRow[] {
  const emulator = new TerminalEmulator({ cols: 20, rows: lines.length })
  emulator.feed(new TextEncoder().encode(lines.join('\r\n')), 0, { live: false })
  const [event] = emulator.endFrame(1).filter(found => found.type === 'frame')
  return screenRowsOf(event!.frame.lines)
}

const filled = (text: string, sgr = '') => `${sgr}${text.padEnd(19)} \u001b[m`
const GUTTER = (fg: string, bg: string) => `\u001b[48;2;1;1;1m  \u001b[${bg};${fg}m┃\u001b[m text`

describe('relative colours', () => {
  const style = (fg: 'page' | 'own', bg: 'page' | 'own') => ({ line: /┃/u, style: { at: 2, fg, bg } })

  it('a mark in the colour of the page differs from one in a colour of its own, whatever the values', () => {
    for (const [own, page] of [
      ['38;2;9;9;200', '48;2;1;1;1'],
      ['38;2;200;9;9', '48;2;1;1;1'],
    ] as const) {
      const [row] = draw(GUTTER(own, page))
      expect(matchesRow(row!, style('own', 'page'))).toBe(true)
      expect(matchesRow(row!, style('page', 'own'))).toBe(false)
    }
    const [hidden] = draw(GUTTER('38;2;1;1;1', '48;2;40;40;40'))
    expect(matchesRow(hidden!, style('page', 'own'))).toBe(true)
    const [plain] = draw('  ┃ text')
    expect(matchesRow(plain!, { line: /┃/u, style: { at: 2, fg: 'page' } })).toBe(false)
    expect(matchesRow(plain!, { line: /┃/u, style: { at: 2, bg: 'page' } })).toBe(true)
  })

  it('no pack can name a colour', () => {
    const pack = (fg: string) =>
      `pack = 1\nagent = "test"\nblocks = [{ kind = "user", first = '^x', style = { fg = "${fg}" } }]\n`
    expect(() => parsePack(pack('#ff0000'), 'test.toml')).toThrow(/blocks\.0\.style\.fg/)
    expect(parsePack(pack('own'), 'test.toml').blocks).toHaveLength(1)
  })
})

describe('bands', () => {
  const PACK = parsePack(
    `pack = 1
agent = "test"
blocks = [
  { kind = "tool_call", first = '^ \\S', more = '^ ', strip = 1, tight = true, style = { at = 1, bold = true, band = true } },
  { kind = "tool_result", first = '^ ', more = '^ ', strip = 1, style = { band = true }, after = ["tool_call"] },
  { kind = "user", first = '^ \\S', more = '^ ', strip = 1, style = { band = true } },
  { kind = "prose", first = '^ \\S', more = '^ ', strip = 1, weak = true },
]
`,
    'test.toml',
  )
  const screen = (band: string) =>
    draw(
      filled('', band),
      filled(' a prompt', band),
      filled('', band),
      '',
      filled(' an answer'),
      filled(''),
      filled(' goes on'),
      '',
      filled('', band),
      `${band} \u001b[1m$ ls\u001b[22m${' '.repeat(15)}\u001b[m`,
      filled('', band),
      filled(' file.txt', band),
      filled('', band),
    )
  const kinds = (rows: ScreenRow[]) => splitBlocks(rows, PACK, () => null).map(block => block.kind)

  it('separate prompts, answers and tools, with any background and without one', () => {
    const expected = ['user', 'prose', 'tool_call', 'tool_result']
    expect(kinds(screen('\u001b[48;2;40;40;60m'))).toEqual(expected)
    expect(kinds(screen('\u001b[48;2;230;230;210m'))).toEqual(expected)
    expect(kinds(screen(''))).toEqual(expected)
  })
})
