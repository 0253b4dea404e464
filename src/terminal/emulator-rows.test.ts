import { describe, expect, test } from 'vitest'
import { TerminalEmulator } from './emulator.js'
import { ALTERNATE_FIRST_ID } from './row-ids.js'
import { bytes, emulator, framesOf } from './testing/drive.js'

const LIVE = { live: true }
let clock = 0

function draw(terminal: TerminalEmulator, text: string) {
  clock += 1
  terminal.feed(bytes(text), clock, LIVE)
  return framesOf(terminal.tick(clock + 0.5)).at(-1)!
}

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `row ${from + index}`).join('\r\n')

describe('row ids', () => {
  test('stay with their text while it scrolls, also when the scrollback is full', () => {
    const terminal = emulator({ scrollback: 3 })
    const ids = new Map<string, number>()
    for (let row = 1; row <= 40; row++) {
      const frame = draw(terminal, `row ${row}\r\n`)
      for (const { id, text } of frame.lines) {
        if (text === '') continue
        expect(ids.get(text) ?? id).toBe(id)
        ids.set(text, id)
      }
    }
    expect(ids.get('row 40')).toBe(39)
    expect(ids.size).toBe(40)
  })

  test('identify rows of the history as long as they exist', () => {
    const terminal = emulator({ scrollback: 10 })
    const { history } = draw(terminal, numbered(1, 30))
    expect(history).toEqual({ firstId: 15, lastId: 24 })
    expect(terminal.readRows(0, 16).map(row => [row.id, row.text])).toEqual([
      [15, 'row 16'],
      [16, 'row 17'],
    ])
    expect(terminal.readRows(100, 1e12)).toEqual([])
  })

  test('are new each time in the alternate buffer, while the normal ones return', () => {
    const terminal = emulator()
    const before = draw(terminal, 'shell')
    const first = draw(terminal, '\x1b[?1049hone')
    expect(first.lines[0]!.id).toBe(ALTERNATE_FIRST_ID)
    expect(first.history.lastId).toBeLessThan(first.history.firstId)
    const after = draw(terminal, '\x1b[?1049l')
    expect(after.lines).toEqual(before.lines)
    expect(draw(terminal, '\x1b[?1049htwo').lines[0]!.id).toBe(ALTERNATE_FIRST_ID + 5)
  })

  test('continue after a reset and after the scrollback was cleared', () => {
    const terminal = emulator()
    const before = draw(terminal, numbered(1, 8))
    expect(draw(terminal, '\x1b[3J').lines.map(row => row.id)).toEqual(before.lines.map(row => row.id))
    expect(draw(terminal, '\x1bc').lines[0]!.id).toBeGreaterThan(before.lines.at(-1)!.id)
  })

  test('follow their text through a change of width', () => {
    const terminal = emulator({ cols: 30, rows: 6 })
    const before = draw(terminal, `${'long '.repeat(5)}\r\n${numbered(1, 4)}\r\n$ `)
    terminal.resize(12, 6, ++clock)
    const narrow = framesOf(terminal.tick(clock + 1)).at(-1)!
    const idOf = (lines: typeof before.lines, text: string) => lines.find(row => row.text === text)?.id
    for (const text of ['row 2', 'row 3', 'row 4', '$']) expect(idOf(narrow.lines, text)).toBe(idOf(before.lines, text))
    terminal.resize(30, 6, ++clock)
    const wide = framesOf(terminal.tick(clock + 1)).at(-1)!
    for (const text of ['row 2', 'row 3', 'row 4', '$']) expect(idOf(wide.lines, text)).toBe(idOf(before.lines, text))
  })
})

describe('a row', () => {
  test('gets a new changedSeq only when something visible differs', () => {
    const terminal = emulator()
    const first = draw(terminal, 'a\r\nb')
    const same = draw(terminal, '\x1b[Ha\x1b[2;1Hb ')
    expect(same.lines[0]).toBe(first.lines[0])
    expect(same.lines[1]!.changedSeq).toBe(first.seq)
    const red = draw(terminal, '\x1b[H\x1b[31ma\x1b[m')
    expect(red.lines[0]).toMatchObject({ changedSeq: red.seq, hash: first.lines[0]!.hash })
    expect(red.lines[1]!.changedSeq).toBe(first.seq)
  })

  test('has spans of one style each, without gaps', () => {
    const [row] = draw(emulator({ cols: 40 }), 'ab\x1b[1;31mcd\x1b[0;38;2;1;2;255m漢\x1b[0;2;3;4;9mx\x1b[m').lines
    expect(row!.spans.map(({ x, width, text, fg }) => [x, width, text, fg])).toEqual([
      [0, 2, 'ab', null],
      [2, 2, 'cd', 1],
      [4, 2, '漢', '#0102ff'],
      [6, 1, 'x', null],
    ])
    expect(row!.spans[1]).toMatchObject({ bold: true, dim: false })
    expect(row!.spans[3]).toMatchObject({ dim: true, italic: true, underline: true, strike: true, inverse: false })
  })

  test('has no trailing blanks in its text, but visible ones as columns, and no-break spaces', () => {
    const { lines } = draw(emulator(), 'a  \r\nb\x1b[7m \x1b[m  \r\nc\u00a0 \r\n \u200b')
    expect(lines.map(row => [row.text, row.width])).toEqual([
      ['a', 1],
      ['b', 2],
      ['c\u00a0', 2],
      ['', 0],
      ['', 0],
    ])
    expect(lines[1]!.spans.at(-1)).toMatchObject({ x: 1, inverse: true, text: ' ' })
  })

  test('has the links of OSC 8, without their underline', () => {
    const [row] = draw(emulator({ cols: 40 }), 'see \x1b]8;id=1;https://x.test/a;b\x1b\\here\x1b]8;;\x1b\\ now').lines
    expect(row!.spans.map(span => [span.text, span.link, span.underline])).toEqual([
      ['see ', undefined, false],
      ['here', 'https://x.test/a;b', false],
      [' now', undefined, false],
    ])
  })

  test('has a mark for soft wraps, and blanks for hidden text', () => {
    const { lines } = draw(emulator({ cols: 10 }), 'wraps at ten\r\n\x1b[8msecret\x1b[mx')
    expect(lines.slice(0, 3).map(row => [row.text, row.wrapped])).toEqual([
      ['wraps at t', false],
      ['en', true],
      ['      x', false],
    ])
  })

  test('is cut to a narrower width in the alternate buffer', () => {
    const terminal = emulator()
    draw(terminal, '\x1b[?1049h0123456789abcdef')
    terminal.resize(8, 5, ++clock)
    expect(framesOf(terminal.tick(clock + 1)).at(-1)!.lines[0]).toMatchObject({ text: '01234567', width: 8 })
  })
})

test('a restored emulator continues in the middle of a sequence and of a character', () => {
  for (const cut of [1, 3, 5, 9, 14, 17]) {
    const output = bytes('\x1b[31m…\x1b]0;title\x07x\x1b[1;3r\n')
    let terminal = emulator()
    terminal.feed(output.subarray(0, cut), 0, LIVE)
    terminal = TerminalEmulator.restore(JSON.parse(JSON.stringify(terminal.serialize())))
    terminal.feed(output.subarray(cut), 0, LIVE)
    expect(framesOf(terminal.tick(1))[0]).toMatchObject({
      seq: 1,
      title: 'title',
      lines: [{ text: '…x', spans: [{ fg: 1 }] }, {}, {}, {}, {}],
    })
  }
})
