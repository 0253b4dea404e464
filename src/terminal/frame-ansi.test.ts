import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Frame } from './frame.js'
import { frameToAnsi } from './frame-ansi.js'
import { bytes, emulator } from './testing/drive.js'

const COLS = 24
const ROWS = 6

/** The visible part of a frame, without wrap flags and ids. */
function seen({ lines, cursor }: Frame) {
  return { cursor, rows: lines.map(({ text, width, spans }) => ({ text, width, spans })) }
}

function drawnAgain(frame: Frame): Frame {
  const copy = emulator({ cols: frame.cols, rows: frame.rows })
  copy.feed(bytes(frameToAnsi(frame)), 1, { live: false })
  return copy.currentFrame()
}

const style = fc
  .array(
    fc.oneof(
      fc.constantFrom('1', '2', '3', '4', '7', '9', '22', '23', '24', '27', '29', '39', '49', '0'),
      fc.integer({ min: 30, max: 37 }).map(String),
      fc.integer({ min: 100, max: 107 }).map(String),
      fc.nat(255).map(n => `38;5;${n}`),
      fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255)).map(rgb => `48;2;${rgb.join(';')}`),
    ),
    { maxLength: 3 },
  )
  .map(codes => `\u001b[${codes.join(';')}m`)

const drawing = fc.array(
  fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.constantFrom(
      '日本',
      'é',
      'e\u0301',
      '👍',
      '👩‍👩‍👧',
      '🇩🇪',
      'ｶﾞ',
      '\u00a0',
      '  ',
      '░▒▓',
      '\t',
      '\r\n',
      '\b',
      '\u001b[K',
      '\u001b[2J',
      '\u001b[1@',
      '\u001b[2P',
      '\u001b[L',
    ),
    style,
    fc.tuple(fc.integer({ min: 1, max: ROWS }), fc.integer({ min: 1, max: COLS })).map(([y, x]) => `\u001b[${y};${x}H`),
    fc.constantFrom('\u001b[?25l', '\u001b[?25h', '\u001b]8;;https://example.org/a?b=1\u001b\\', '\u001b]8;;\u001b\\'),
  ),
  { maxLength: 25 },
)

describe('a frame drawn on an empty terminal', () => {
  test('looks the same: text, styles, links and cursor', () => {
    fc.assert(
      fc.property(drawing, parts => {
        const terminal = emulator({ cols: COLS, rows: ROWS })
        terminal.feed(bytes(parts.join('')), 0, { live: false })
        const frame = terminal.currentFrame()
        expect(seen(drawnAgain(frame))).toEqual(seen(frame))
      }),
      { numRuns: 400 },
    )
  })

  test('shows nothing in place of the rest of a wide character', () => {
    const terminal = emulator({ cols: 8, rows: 2 })
    terminal.feed(bytes('日本\b\u001b[1@'), 0, { live: false })
    const frame = terminal.currentFrame()
    expect(frame.lines[0]).toMatchObject({ text: '日', width: 2 })
    expect(seen(drawnAgain(frame))).toEqual(seen(frame))
  })

  test('fills the last column of the last row without scrolling', () => {
    const terminal = emulator({ cols: 5, rows: 2 })
    terminal.feed(bytes('\u001b[41mabcde\u001b[2;1Hfghij'), 0, { live: false })
    const frame = terminal.currentFrame()
    expect(seen(drawnAgain(frame))).toEqual(seen(frame))
  })

  test('keeps visible blanks', () => {
    const terminal = emulator({ cols: 8, rows: 2 })
    terminal.feed(bytes('\u001b[7m  \u001b[0m x \u001b[44m   '), 0, { live: false })
    const frame = terminal.currentFrame()
    expect(seen(drawnAgain(frame))).toEqual(seen(frame))
  })
})
