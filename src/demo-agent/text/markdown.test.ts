import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diffRows, diffStat } from './diff.js'
import { markdownLines, stableLength } from './markdown.js'
import { COLOR, lineText } from './style.js'
import { lineWidth } from './wrap.js'

const draw = (markdown: string, width = 40) => markdownLines(markdown, width).map(lineText)

describe('Markdown drawn by the demo agent', () => {
  it('has every kind of block', () => {
    const source =
      '# Title\ntext **bold** `code`\n- one\n  - two\n- [x] three\n1. first\n\n> quoted\n\n```js\nlet a = 1\n```\n\n| a | b |\n|---|--:|\n| x | 1 |'
    expect(draw(source)).toEqual([
      'Title',
      '',
      'text bold code',
      '• one',
      '  ◦ two',
      '• ☒ three',
      '1. first',
      '',
      '▎ quoted',
      '',
      '  let a = 1',
      '',
      '┌───┬───┐',
      '│ a │ b │',
      '├───┼───┤',
      '│ x │ 1 │',
      '└───┴───┘',
    ])
  })

  it('has colours in code by its language', () => {
    const [line] = markdownLines("```js\nconst name = 'x' // why\n```", 60)
    expect(line!.map(part => part.style.fg).filter(Boolean)).toEqual([COLOR.violet, COLOR.green, COLOR.steel])
  })

  it('keeps unclosed marks and underscores inside words', () => {
    expect(draw('a * b, snake_case_name, 2 ** 3, `open')).toEqual(['a * b, snake_case_name, 2 ** 3, `open'])
  })

  it('wraps table cells with little room, and has no frame without room', () => {
    const table = '| name | what it means |\n|---|---|\n| red | stop at once |'
    expect(draw(table, 22).every(line => line.length <= 22)).toBe(true)
    expect(draw(table, 8)[0]).toBe('name:')
  })

  it('does not exceed the width for any text', () => {
    const piece = fc.constantFrom(
      '# ',
      '- ',
      '1. ',
      '> ',
      '```js\n',
      '```\n',
      '| a | b |\n',
      '|---|---|\n',
      '**',
      '`',
      'word ',
      '漢字',
      '\n',
      '\n\n',
      '[t](u)',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.integer({ min: 2, max: 50 }), (pieces, width) => {
        for (const line of markdownLines(pieces.join(''), width)) expect(lineWidth(line)).toBeLessThanOrEqual(width)
      }),
    )
  })

  it('may be split after a blank line, but not inside a fence', () => {
    expect(stableLength('a\n\nb')).toBe(3)
    expect(stableLength('```\na\n\nb')).toBe(0)
    expect(stableLength('```\na\n\nb\n```\n\nc')).toBe(14)
  })
})

describe('a diff drawn by the demo agent', () => {
  it('shows the changes with two lines of context', () => {
    const rows = diffRows('1\n2\n3\n4\n5\n6\n7\n', '1\n2\n3\nfour\n5\n6\n7\n')
    expect(rows.map(row => (row.kind === 'gap' ? 'gap' : `${row.kind} ${row.number} ${row.text}`))).toEqual([
      'same 2 2',
      'same 3 3',
      'removed 4 4',
      'added 4 four',
      'same 5 5',
      'same 6 6',
    ])
    expect(diffStat(rows)).toEqual({ added: 1, removed: 1 })
  })

  it('is consistent with both texts', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 })
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const rows = diffRows(before.map(line => `${line}\n`).join(''), after.map(line => `${line}\n`).join(''))
        const { added, removed } = diffStat(rows)
        expect(before.length - removed + added).toBe(after.length)
        for (const row of rows) if (row.kind === 'added') expect(after[row.number - 1]).toBe(row.text)
        for (const row of rows) if (row.kind === 'removed') expect(before[row.number - 1]).toBe(row.text)
      }),
    )
  })
})
