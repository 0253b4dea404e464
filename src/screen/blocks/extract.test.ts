import { describe, expect, it } from 'vitest'
import type { BlockContent } from './block.js'
import { type ExtractOptions, extractBlocks } from './extract.js'
import { renderMarkdown } from './render-markdown.js'
import { answer, drawRows, PACK, wrap } from './testing/drawn-rows.js'

const B = '\u001b[1m'
const I = '\u001b[3m'
const OFF = '\u001b[0m'
const CODE = '\u001b[38;2;177;185;249m'
const RED = '\u001b[31m'
const GREEN = '\u001b[32m'
const BLUE = '\u001b[34m'
const CYAN = '\u001b[36m'

function read(lines: readonly string[], options: Partial<ExtractOptions> = {}) {
  const cols = options.cols ?? 80
  return extractBlocks(drawRows(lines, cols), { pack: PACK, cols, turn: 't', isOpen: false, ...options })
}

function kinds(blocks: readonly BlockContent[]): string[] {
  return blocks.map(block => (block.kind === 'prose' ? block.variant : block.kind))
}

describe('the blocks of an answer', () => {
  it("join wrapped lines and keep the author's line breaks", () => {
    const text = 'A sentence that is long enough to be broken by the agent at the edge of an eighty column screen.'
    expect(renderMarkdown(read(answer([...wrap(text, 80), '', 'First line', 'second line'])))).toBe(
      `${text}\n\nFirst line\nsecond line`,
    )
  })

  it('can be headings, lists, quotes and paragraphs', () => {
    const blocks = read(
      answer([
        `${B}What it does${OFF}`,
        '',
        'It serves:',
        '',
        '- one',
        '  - two',
        '- [x] three',
        '',
        '1. first',
        '2. second',
        '',
        `▎ ${I}a quote${OFF}`,
      ]),
    )
    expect(kinds(blocks)).toEqual(['heading', 'paragraph', 'list', 'list', 'quote'])
    expect(renderMarkdown(blocks)).toBe(
      '## What it does\n\nIt serves:\n\n- one\n  - two\n- [x] three\n\n1. first\n2. second\n\n> a quote',
    )
  })

  it('include code that its colours identify, with blank lines and plain rows inside', () => {
    const blocks = read(
      answer([
        'Here:',
        '',
        `${BLUE}export${OFF} ${CYAN}function${OFF} f() {`,
        '  g()',
        '}',
        '',
        `${BLUE}const${OFF} a = ${GREEN}1${OFF}`,
        '',
        'After it.',
      ]),
    )
    expect(kinds(blocks)).toEqual(['paragraph', 'code', 'paragraph'])
    expect(blocks[1]).toMatchObject({ lines: ['export function f() {', '  g()', '}', '', 'const a = 1'] })
  })

  it('join a line of code that was wider than the screen', () => {
    const first = `${BLUE}export${OFF} ${CYAN}function${OFF} debounce<T extends unknown[]>(fn: (...a: T) => void, ms = 200)`
    const [, code] = read(answer(['Here:', '', first, '{', `  ${BLUE}return${OFF} fn`, '}']))
    expect(code).toMatchObject({
      lines: ['export function debounce<T extends unknown[]>(fn: (...a: T) => void, ms = 200) {', '  return fn', '}'],
    })
  })

  it('include a fence without a language as code, and one coloured word as inline code', () => {
    const blocks = read(answer([`Run ${CODE}npm test${OFF} now.`, '', `${CODE}❯ 1. Yes${OFF}`, `${CODE}  2. No${OFF}`]))
    expect(kinds(blocks)).toEqual(['paragraph', 'code'])
    expect(renderMarkdown(blocks)).toBe('Run `npm test` now.\n\n```\n❯ 1. Yes\n  2. No\n```')
  })

  it('have no line numbers of a gutter', () => {
    const grey = '\u001b[38;2;175;175;175m'
    const [code] = read(
      answer([`${grey}1${OFF} ${BLUE}import${OFF} x`, `${grey}2${OFF}`, `${grey}3${OFF} ${BLUE}run${OFF}(x)`]),
    )
    expect(code).toMatchObject({ kind: 'code', lines: ['import x', '', 'run(x)'] })
  })

  it('include diffs that a header, or numbers and colours, identify', () => {
    const patch = [
      `${BLUE}--- a/x${OFF}`,
      `${BLUE}+++ b/x${OFF}`,
      '@@ -1,2 +1,2 @@',
      ' same',
      `${RED}-old${OFF}`,
      `${GREEN}+new${OFF}`,
    ]
    expect(renderMarkdown(read(answer(patch)))).toBe(
      '```diff\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n```',
    )
    const edited = ['● Edit(x.js)', '  ⎿  Added 1 line', `     1 ${RED}-old${OFF}`, `     1 ${GREEN}+new${OFF}`]
    expect(kinds(read(edited))).toEqual(['tool_call', 'tool_result', 'diff'])
  })

  it('include framed tables: cells by column, wrapped cells joined, alignment by padding', () => {
    const table = [
      '┌───────┬────────────┐',
      '│ name  │       note │',
      '├───────┼────────────┤',
      '│ a     │   two long │',
      '│       │      words │',
      '├───────┼────────────┤',
      '│ 日本  │          3 │',
      '└───────┴────────────┘',
    ]
    expect(renderMarkdown(read(answer(table)))).toBe(
      '| name | note |\n| --- | --: |\n| a | two long words |\n| 日本 | 3 |',
    )
  })

  it('include a table with a bold header above a rule', () => {
    const table = [
      `${B} file      lines${OFF}`,
      '━━━━━━━━  ━━━━━━━',
      ' a.js          3',
      '────────  ───────',
      ' b.js          9',
    ]
    expect(renderMarkdown(read(answer(table)))).toBe('| file | lines |\n| --- | --: |\n| a.js | 3 |\n| b.js | 9 |')
  })

  it('remove blanks that the agent did not write, and merge an address into its link', () => {
    const words = `${B}two${OFF}\u001b[1C${B}words${OFF}`
    expect(renderMarkdown(read(answer([`A ${words} b`])))).toBe('A **two words** b')
    expect(renderMarkdown(read(answer(['See \u001b[4mthe docs\u001b[0m (https://example.com/a) now'])))).toBe(
      'See [the docs](https://example.com/a) now',
    )
  })

  it('omit chrome and terminators, and separate tools from text', () => {
    const blocks = read([
      '❯ do it',
      '',
      '● Bash(npm test)',
      '  ⎿  ok',
      '     3 passed',
      '',
      '● Fine.',
      '  tip: use /help',
      '✻ Done',
    ])
    expect(kinds(blocks)).toEqual(['user', 'tool_call', 'tool_result', 'paragraph'])
    expect(blocks[2]).toMatchObject({ lines: ['ok', '3 passed'], ok: null })
  })

  it('keep equal lines: "ok" printed three times stays three lines', () => {
    expect(renderMarkdown(read(answer(['ok', '', 'ok', '', 'ok'])))).toBe('ok\n\nok\n\nok')
  })
})

describe('an incomplete answer', () => {
  it('leaves out its last row and has a provisional last block while it grows', () => {
    const lines = answer(['First paragraph.', '', 'Second par'])
    const open = read(lines, { isOpen: true })
    expect(renderMarkdown(open)).toBe('First paragraph.')
    expect(open.at(-1)).toMatchObject({ provisional: true })
    expect(renderMarkdown(read(lines, { isOpen: true, growingRows: 0 }))).toBe('First paragraph.\n\nSecond par')
  })

  it('marks the block above which rows are missing', () => {
    const rows = drawRows(answer(['one', '', 'two']))
    const blocks = extractBlocks([rows[0]!, rows[1]!, { ...rows[2]!, hasGap: true }], {
      pack: PACK,
      cols: 80,
      turn: 't',
      isOpen: false,
    })
    expect(blocks.map(block => block.missing)).toEqual([false, true])
  })

  it('may contain rows that were drawn at another width', () => {
    const text = 'This paragraph was drawn when the screen had forty columns, and nobody has drawn it again since then.'
    expect(renderMarkdown(read(answer(wrap(text, 40)), { cols: 120, widths: [120, 40] }))).toBe(text)
  })

  it('contains no line wraps of the terminal', () => {
    const text = 'x'.repeat(70)
    expect(renderMarkdown(read([`● ${text} and more`], { cols: 40 }))).toBe(`${text} and more`)
  })
})
