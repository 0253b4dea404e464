import { expect, test } from 'vitest'
import { ByteSplitter } from './byte-splitter.js'
import { bytes } from './testing/drive.js'
import { PIECE_MAX } from './xterm-core.js'

const text = (piece: Uint8Array) => new TextDecoder().decode(piece)

/** The pieces of some calls; a piece that ends with the BEL of a query is marked with `!`. */
function cut(...calls: (string | Uint8Array)[]): string[] {
  const cutter = new ByteSplitter()
  const pieces: string[] = []
  for (const call of calls) {
    cutter.split(typeof call === 'string' ? bytes(call) : call, (piece, endsQuestion) => {
      pieces.push(`${text(piece)}${endsQuestion ? '!' : ''}`)
    })
  }
  return pieces
}

test('a piece ends after a byte that may end a synchronized update', () => {
  expect(cut('\x1b[?2026hall\x1b[?2026lnext')).toEqual(['\x1b[?2026hall\x1b[?2026l', 'next'])
  expect(cut('\x1b[?25;2026la')).toEqual(['\x1b[?25;2026l', 'a'])
  expect(cut('\x1b[?20\r26lnext')).toEqual(['\x1b[?20\r26l', 'next'])
  expect(cut('\x1b[?20\x7f26lnext')).toEqual(['\x1b[?20\x7f26l', 'next'])
})

test('an update may end with the bytes of two calls', () => {
  expect(cut('\x1b[?20', '26lnext')).toEqual(['\x1b[?20', '26l', 'next'])
  expect(cut('\x1b[?2026', 'lnext')).toEqual(['\x1b[?2026', 'l', 'next'])
  expect(cut('\x1b[?202', '\r6lnext')).toEqual(['\x1b[?202', '\r6l', 'next'])
})

test('other modes and text do not end a piece', () => {
  expect(cut('hello 2026 all\x1b[?25lx\x1b[?1006ly\x1b[?2004lz')).toHaveLength(1)
})

test('a BEL that may end a query ends a piece that starts after the last ESC', () => {
  expect(cut('ab\x1b]10;?\x07c')).toEqual(['ab\x1b', ']10;?\x07!', 'c'])
  expect(cut('\x1b]11;?\x1b\\\x1b]10;?\x07c')).toEqual(['\x1b]11;?\x1b\\\x1b', ']10;?\x07!', 'c'])
  expect(cut('\x1b]10;', '?\x07c')).toEqual(['\x1b]10;', '?\x07!', 'c'])
  expect(cut('\x1b]10;?', '\x07c')).toEqual(['\x1b]10;?', '\x07!', 'c'])
})

test('a BEL after a title ends no piece, and does not count as the end of an earlier query', () => {
  expect(cut('\x1b]0;title\x07text')).toHaveLength(1)
  expect(cut('\x1b]10;?\x1b\\\x1b]0;title\x07')).toEqual(['\x1b]10;?\x1b\\\x1b]0;title\x07'])
})

test('characters are never split, and an incomplete one stays pending', () => {
  const whole = bytes('a…b')
  expect(cut(whole.subarray(0, 2), whole.subarray(2, 3), whole.subarray(3))).toEqual(['a', '…b'])
  const long = `x${'…'.repeat(PIECE_MAX)}`
  const pieces = cut(long)
  expect(pieces.join('') === long).toBe(true)
  expect(pieces.length).toBeGreaterThan(2)
  expect(Math.max(...pieces.map(piece => bytes(piece).length))).toBeLessThanOrEqual(PIECE_MAX)
})
