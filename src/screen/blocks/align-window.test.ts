import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type KeptRow, layWindow } from './align-window.js'
import { realignWindow } from './realign.js'
import { keptRows } from './testing/drawn-rows.js'

const START = { top: 0, head: [] }

function show(pictures: readonly (readonly string[])[]): KeptRow[] {
  let laid = { rows: [] as KeptRow[], top: 0, head: [] as string[] }
  for (const texts of pictures) laid = layWindow(laid.rows, keptRows(texts), laid)
  return laid.rows
}

const texts = (rows: readonly KeptRow[]) => rows.map(row => row.row.text.trimEnd())
const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `line number ${from + index}`)

describe('pictures of an alternate screen laid together', () => {
  it('gives back all that scrolled through, whatever the height and the steps', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 6, max: 20 }),
        fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 3, maxLength: 30 }),
        (height, steps) => {
          const pictures = [lines(1, height)]
          let top = 1
          for (const step of steps) {
            top += step
            pictures.push(lines(top, top + height - 1))
          }
          expect(texts(show(pictures))).toEqual(lines(1, top + height - 1))
        },
      ),
      { numRuns: 40, seed: 3 },
    )
  })

  it('lets the last rows grow and fold', () => {
    const rows = show([
      ['one one', 'two two', 'three three', '● Running', '  out 1', '  out 2'],
      ['one one', 'two two', 'three three', '● Ran 1 command', 'four'],
    ])
    expect(texts(rows)).toEqual(['one one', 'two two', 'three three', '● Ran 1 command', 'four'])
  })

  it('forgets nothing when someone scrolls back', () => {
    expect(texts(show([lines(1, 10), lines(5, 14), lines(2, 11)]))).toEqual(lines(1, 14))
  })

  it('takes back an end that vanished while the rest stood still', () => {
    expect(texts(show([lines(1, 8), lines(1, 5)]))).toEqual(lines(1, 5))
  })

  it('marks a jump instead of guessing', () => {
    const rows = show([lines(1, 8), lines(40, 47)])
    expect(texts(rows)).toEqual([...lines(1, 8), ...lines(40, 47)])
    expect(rows.map(row => row.row.hasGap ?? false).indexOf(true)).toBe(8)
  })

  it('finds the seam where only the last row or two are left', () => {
    const rows = show([
      [...lines(1, 6), 'This is the beginning of'],
      ['This is the beginning of a longer sentence', ...lines(8, 12)],
    ])
    expect(texts(rows)).toEqual([...lines(1, 6), 'This is the beginning of a longer sentence', ...lines(8, 12)])
    expect(rows.some(row => row.row.hasGap)).toBe(false)
  })

  it('leaves a prompt and a title that are pinned to the top where they were said', () => {
    const title = 'Current   Sessions'
    const rows = show([
      [title, '❯ a prompt', ...lines(1, 8)],
      [title, '❯ a prompt', ...lines(4, 11)],
      [title, '❯ a prompt', ...lines(7, 14)],
    ])
    expect(texts(rows)).toEqual([title, '❯ a prompt', ...lines(1, 14)])
  })

  it('keeps repeated lines', () => {
    const rows = show([
      ['start', 'ok', 'ok', 'a b c'],
      ['start', 'ok', 'ok', 'a b c', 'ok', 'ok', 'end'],
    ])
    expect(texts(rows)).toEqual(['start', 'ok', 'ok', 'a b c', 'ok', 'ok', 'end'])
  })

  it('keeps a row without the spinner that stands before it only at the top of the screen', () => {
    const first = ['● Start', '  one is here', '  two is here', '  three is here']
    const laid = layWindow([], keptRows(first), START)
    const spun = keptRows(['⠹ one is here', '  two is here', '  three is here', '  four is here']).map((row, index) =>
      index === 0 ? { ...row, key: 'one is here' } : row,
    )
    expect(texts(layWindow(laid.rows, spun, laid).rows)).toEqual([...first, '  four is here'])
  })
})

describe('a picture of another width', () => {
  const words = 'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi'.split(' ')

  it('replaces what was kept from the newest prompt on', () => {
    const kept = keptRows(['❯ old', 'x', '❯ new prompt', 'alpha beta gamma', 'delta'])
    const laid = realignWindow(kept, keptRows(['❯ new prompt', 'alpha beta', 'gamma delta epsilon']), [])
    expect(texts(laid!.rows)).toEqual(['❯ old', 'x', '❯ new prompt', 'alpha beta', 'gamma delta epsilon'])
  })

  it('goes on in the middle of a row, where the words do', () => {
    const kept = keptRows(['❯ new', words.slice(0, 8).join(' '), words.slice(8, 12).join(' ')])
    const laid = realignWindow(kept, keptRows([words.slice(5, 10).join(' '), words.slice(10).join(' ')]), [])!
    expect(texts(laid.rows).join(' ')).toBe(`❯ new ${words.join(' ')}`)
    expect(laid.rows.map(row => row.row.isContinued ?? false)).toEqual([false, false, true, false])
  })

  it('does not take a pinned prompt for the place where it was said', () => {
    const kept = keptRows(['❯ new', words.slice(0, 8).join(' '), words.slice(8, 12).join(' ')])
    const laid = realignWindow(kept, keptRows(['❯ new', words.slice(8).join(' ')]), [])!
    expect(texts(laid.rows).join(' ')).toBe(`❯ new ${words.join(' ')}`)
  })
})
