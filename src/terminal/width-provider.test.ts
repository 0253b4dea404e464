import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { displayWidth } from '../text/index.js'
import { bytes, emulator, framesOf } from './testing/drive.js'
import { createWidthProvider } from './width-provider.js'

/** How many columns the cursor moves in the emulator. */
function columns(text: string, ambiguous: 1 | 2 = 1): number {
  const terminal = emulator({ cols: 200, ambiguous })
  terminal.feed(bytes(text), 0, { live: true })
  return framesOf(terminal.tick(1))[0]!.cursor.x
}

describe('the width in columns', () => {
  test.each([...'🚀✅☕漢。ｆ한ゔ'])('is two for %s', char => expect(columns(char)).toBe(2))
  test.each([...'●○◐⏺✳✻⚠⏸⏵▣△❯…─ｱﾞé←│█☑✔⎿'])('is one for %s', char => expect(columns(char)).toBe(1))
  test.each(['👩‍💻', '🇫🇷', '❤️', '1️⃣', '👍🏽', '👨‍👩‍👧‍👦', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '☝🏽', '⚠️', '❤️‍🔥', '각'])(
    'is two for the cluster %s',
    cluster => expect(columns(cluster)).toBe(2),
  )
  test.each(['e\u0301', 'नि', 'a\u200d', 'x\ufe0f', 'ก็', 'a\u200b'])('is one for %j', text =>
    expect(columns(text)).toBe(1),
  )

  test('two regional indicators are one flag', () => {
    expect(columns('🇫🇷🇩🇪')).toBe(4)
    expect(columns('🇫🇷🇩')).toBe(3)
  })

  test('a cluster is one cell of the row', () => {
    const terminal = emulator({ cols: 10 })
    terminal.feed(bytes('a👩‍💻❤️\r\nnaı̈ve 12345❤️x'), 0, { live: true })
    const { lines } = framesOf(terminal.tick(1))[0]!
    expect(lines[0]).toMatchObject({ text: 'a👩‍💻❤️', width: 5 })
    expect(lines[1]!.text).toBe('naı̈ve 1234')
    expect(lines[2]!.text).toBe('5❤️x')
  })

  test('a pictograph that becomes wide in the last column moves to the next row', () => {
    const terminal = emulator({ cols: 4 })
    terminal.feed(bytes('abc❤️'), 0, { live: true })
    expect(framesOf(terminal.tick(1))[0]!.lines.slice(0, 2)).toMatchObject([
      { text: 'abc' },
      { text: '❤️', wrapped: true },
    ])
  })

  test('equals displayWidth', () => {
    const part = fc.oneof(
      fc.constantFrom('1', '\u0301', '\u200d', '\ufe0f', '\u1160', '🏽', '🇫', '❤', '👩', '漢', 'ｱ', 'ﾞ'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).filter(char => !/[\p{Cc}\p{Cs}]/u.test(char)),
    )
    fc.assert(
      // At most 20 code points after a letter: the emulator gives a column to a mark that cannot
      // join.
      fc.property(fc.array(fc.array(part, { maxLength: 20 }), { minLength: 1, maxLength: 4 }), lists => {
        const text = lists.map(list => `a${list.join('')}`).join('')
        expect(columns(text)).toBe(displayWidth(text))
      }),
      { numRuns: 500 },
    )
  })

  test('follows the configuration for ambiguous characters', () => {
    expect(columns('●─…', 2)).toBe(6)
    expect(columns('abcé', 2)).toBe(5)
  })
})

test('single code points have their width in columns', () => {
  const { wcwidth } = createWidthProvider()
  expect(['\u0301', '\u200d', '\ufe0f', '\u00ad', 'a', '漢'].map(char => wcwidth(char.codePointAt(0)!))).toEqual([
    0, 0, 0, 1, 1, 2,
  ])
})
