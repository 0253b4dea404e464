import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type KeptRow, mergeWindow } from './merge-window.js'
import { realignWindow } from './realign.js'
import { keptRows } from './testing/drawn-rows.js'

const START = { top: 0, head: [] }

function show(windows: readonly (readonly string[])[]): KeptRow[] {
  let merged = { rows: [] as KeptRow[], top: 0, head: [] as string[] }
  for (const texts of windows) merged = mergeWindow(merged.rows, keptRows(texts), merged)
  return merged.rows
}

const texts = (rows: readonly KeptRow[]) => rows.map(row => row.row.text.trimEnd())
const gaps = (rows: readonly KeptRow[]) => texts(rows.filter(({ row }) => row.hasGap))
const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `line number ${from + index}`)

describe('successive windows of an alternate screen', () => {
  it('restore all text that scrolled by, for any height and step', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 6, max: 20 }),
        fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 3, maxLength: 30 }),
        (height, steps) => {
          const windows = [lines(1, height)]
          let top = 1
          for (const step of steps) {
            top += step
            windows.push(lines(top, top + height - 1))
          }
          expect(texts(show(windows))).toEqual(lines(1, top + height - 1))
        },
      ),
      { numRuns: 40, seed: 3 },
    )
  })

  it('accept changes of the last rows by growing and folding', () => {
    const rows = show([
      ['one one', 'two two', 'three three', '● Running', '  out 1', '  out 2'],
      ['one one', 'two two', 'three three', '● Ran 1 command', 'four'],
    ])
    expect(texts(rows)).toEqual(['one one', 'two two', 'three three', '● Ran 1 command', 'four'])
  })

  it('match the row above a redrawn call after a menu has pushed all other rows away', () => {
    const rows = show([
      ['▷ run the tests', '', '  Thought for 1s', '', '● I will run the test suite.', '', '● Running 1 command…'],
      ['● I will run the test suite.', '', '● Running the test suite', '  ⎿  $ npm test'],
    ])
    expect(texts(rows).filter(text => text !== '')).toEqual([
      '▷ run the tests',
      '  Thought for 1s',
      '● I will run the test suite.',
      '● Running the test suite',
      '  ⎿  $ npm test',
    ])
    expect(gaps(rows)).toEqual([])
  })

  it('do not match a repeated row, or one far above', () => {
    const again = '● I will run the test suite.'
    const twice = show([
      [again, '', '● two', '', again, '', '● four'],
      [again, '', '● Running', '  ⎿  $ npm test'],
    ])
    expect(gaps(twice)).toEqual([again])
    const before = show([
      [again, ...lines(1, 6)],
      [again, '', '● Running', '  ⎿  $ npm test'],
    ])
    expect(gaps(before)).toEqual([again])
  })

  it('lose nothing when the user scrolls back', () => {
    expect(texts(show([lines(1, 10), lines(5, 14), lines(2, 11)]))).toEqual(lines(1, 14))
  })

  it('remove rows at the end that disappeared while the others stayed', () => {
    expect(texts(show([lines(1, 8), lines(1, 5)]))).toEqual(lines(1, 5))
  })

  it('mark a gap instead of guessing', () => {
    const rows = show([lines(1, 8), lines(40, 47)])
    expect(texts(rows)).toEqual([...lines(1, 8), ...lines(40, 47)])
    expect(rows.map(row => row.row.hasGap ?? false).indexOf(true)).toBe(8)
  })

  it('are joined if only the last row or two are left', () => {
    const rows = show([
      [...lines(1, 6), 'This is the beginning of'],
      ['This is the beginning of a longer sentence', ...lines(8, 12)],
    ])
    expect(texts(rows)).toEqual([...lines(1, 6), 'This is the beginning of a longer sentence', ...lines(8, 12)])
    expect(rows.some(row => row.row.hasGap)).toBe(false)
  })

  it('keep a pinned prompt and title at the place where they were printed', () => {
    const title = 'Current   Sessions'
    const rows = show([
      [title, '❯ a prompt', ...lines(1, 8)],
      [title, '❯ a prompt', ...lines(4, 11)],
      [title, '❯ a prompt', ...lines(7, 14)],
    ])
    expect(texts(rows)).toEqual([title, '❯ a prompt', ...lines(1, 14)])
  })

  it('keep repeated lines', () => {
    const rows = show([
      ['start', 'ok', 'ok', 'a b c'],
      ['start', 'ok', 'ok', 'a b c', 'ok', 'ok', 'end'],
    ])
    expect(texts(rows)).toEqual(['start', 'ok', 'ok', 'a b c', 'ok', 'ok', 'end'])
  })

  it('lose no rows to a half-drawn window', () => {
    const whole = lines(1, 15)
    const jumped = show([whole, lines(1, 2), lines(1, 2), lines(94, 108)])
    expect(texts(jumped)).toEqual([...whole, ...lines(94, 108)])
    expect(gaps(jumped)).toEqual(['line number 94'])
    expect(texts(show([whole, lines(1, 2), lines(10, 20)]))).toEqual(lines(1, 20))
  })

  it('drop rows that others have replaced', () => {
    const replaced = [...lines(1, 4), 'another end', 'and one more']
    expect(texts(show([lines(1, 15), lines(1, 4), replaced, lines(94, 99)]))).toEqual([...replaced, ...lines(94, 99)])
  })

  it('insert rows that scrolling back showed, where they were missing', () => {
    const rows = show([lines(1, 10), lines(30, 40), lines(25, 35)])
    expect(texts(rows)).toEqual([...lines(1, 10), ...lines(25, 40)])
    expect(gaps(rows)).toEqual(['line number 25'])
  })

  it('have no gap after one window showed both of its sides', () => {
    const jumped = [lines(1, 6), lines(7, 14)]
    expect(gaps(show(jumped))).toEqual(['line number 7'])
    expect(gaps(show([...jumped, lines(4, 14)]))).toEqual([])
  })

  it('match a row behind a spinner with the earlier row at the top of the screen', () => {
    const first = ['● Start', '  one is here', '  two is here', '  three is here']
    const merged = mergeWindow([], keptRows(first), START)
    const spun = keptRows(['⠹ one is here', '  two is here', '  three is here', '  four is here']).map((row, index) =>
      index === 0 ? { ...row, key: 'one is here' } : row,
    )
    expect(texts(mergeWindow(merged.rows, spun, merged).rows)).toEqual([...first, '  four is here'])
  })
})

describe('a window of another width', () => {
  const words = 'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi'.split(' ')

  it('replaces the rows from the newest prompt on', () => {
    const kept = keptRows(['❯ old', 'x', '❯ new prompt', 'alpha beta gamma', 'delta'])
    const merged = realignWindow(kept, keptRows(['❯ new prompt', 'alpha beta', 'gamma delta epsilon']), [])
    expect(texts(merged!.rows)).toEqual(['❯ old', 'x', '❯ new prompt', 'alpha beta', 'gamma delta epsilon'])
  })

  it('continues at the right word in the middle of a row', () => {
    const kept = keptRows(['❯ new', words.slice(0, 8).join(' '), words.slice(8, 12).join(' ')])
    const merged = realignWindow(kept, keptRows([words.slice(5, 10).join(' '), words.slice(10).join(' ')]), [])!
    expect(texts(merged.rows).join(' ')).toBe(`❯ new ${words.join(' ')}`)
    expect(merged.rows.map(row => row.row.isContinued ?? false)).toEqual([false, false, true, false])
  })

  it('redraws the upper edge of a table of which only rows are visible', () => {
    const [wide, narrow] = [6, 3].map(width => {
      const row = (cells: string[]) => `│${cells.map(cell => cell.padEnd(width)).join('│')}│`
      const edge = (marks: string) => marks[0] + '─'.repeat(width) + marks[1] + '─'.repeat(width) + marks[2]
      return [edge('┌┬┐'), row(['a1', 'b1']), edge('├┼┤'), row(['a2', 'b2']), edge('└┴┘')]
    }) as [string[], string[]]
    const spaced = (rows: string[]) => rows.map(row => row.replace(/│(?=\w)/gu, '│ '))
    const merged = realignWindow(keptRows(['❯ new', ...spaced(wide)]), keptRows(spaced(narrow).slice(1)), [])!
    expect(texts(merged.rows)).toEqual(['❯ new', ...spaced(narrow)])
  })

  it('does not match a pinned prompt with the place where it was printed', () => {
    const kept = keptRows(['❯ new', words.slice(0, 8).join(' '), words.slice(8, 12).join(' ')])
    const merged = realignWindow(kept, keptRows(['❯ new', words.slice(8).join(' ')]), [])!
    expect(texts(merged.rows).join(' ')).toBe(`❯ new ${words.join(' ')}`)
  })
})
