import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { TerminalEmulator } from './emulator.js'
import { PAYLOAD_MAX } from './parser-hooks.js'
import { byteByByte, bytes, emulator, framesOf, randomPieces, screenOf, seededRandom } from './testing/drive.js'

const LIVE = { live: true }

/** The terminal still draws, whatever came before. */
function expectAlive(terminal: TerminalEmulator): void {
  terminal.feed(bytes('\x18\x1b\\\x1bcstill here'), 1e5, LIVE)
  expect(screenOf(terminal)[0]).toBe('still here')
  expect(terminal.counters.parserFaults).toBe(0)
  expect(terminal.counters.hookFaults).toBe(0)
}

/** Bytes that programs never send, rich in starts and ends of sequences. */
const hostileBytes = fc
  .array(
    fc.oneof(
      fc.uint8Array({ maxLength: 8 }),
      fc.constantFrom(
        '\x1b[',
        '\x1b]',
        '\x1bP',
        '\x1b_',
        '\x9b',
        '\x1b\\',
        '\x07',
        '\x18',
        '?2026h',
        '?2026l',
        '\x1b[?2026l',
      ),
      fc.constantFrom(
        '\x1b[?7l',
        '\x1b[?1049h',
        '\x1b[?1049l',
        '\x1b[2;4r',
        '\x1bc',
        '\x1b[!p',
        '\n',
        '\r',
        '\t',
        '\x1bM',
      ),
      fc.constantFrom('…', '漢', '👩‍💻', '🇫🇷', '❤️', 'e\u0301', 'hello', '\x1b]0;t\x07', '\x1b]7501;?\x1b\\', '\x1b[3S'),
      fc.constantFrom('\x1b[9999999999b', '\x1b[2147483647L', '\x1b[6n', '\x1b]8;;http://x\x07', '\x1b]8;;\x07'),
    ),
    { maxLength: 60 },
  )
  .map(parts => Buffer.concat(parts.map(part => (typeof part === 'string' ? bytes(part) : part))))

function run(input: Uint8Array, cut: (whole: Uint8Array) => Iterable<Uint8Array>): string {
  const terminal = emulator({ cols: 12 })
  const events = [...cut(input)].flatMap(piece => terminal.feed(piece, 1, LIVE))
  events.push(...terminal.tick(2))
  return JSON.stringify(events)
}

describe('the emulator with hostile input', () => {
  test('gives the same events for any split of any bytes, and still works', () => {
    fc.assert(
      fc.property(hostileBytes, fc.integer(), (input, seed) => {
        const whole = run(input, all => [all])
        expect(run(input, byteByByte)).toBe(whole)
        expect(run(input, randomPieces(seed, 5))).toBe(whole)
        const terminal = emulator()
        terminal.feed(input, 1, LIVE)
        expectAlive(terminal)
      }),
      { numRuns: 300, seed: 4242 },
    )
  })

  test('executes any control sequence at any place of a small screen', () => {
    const number = fc.oneof(fc.integer({ min: 0, max: 12 }), fc.constantFrom(80, 1049, 2147483647))
    const sequence = fc
      .tuple(fc.constantFrom('', '?', '>', '!'), number, number, fc.constantFrom('', '', ' ', '$', "'"), fc.nat(62))
      .map(([prefix, a, b, between, final]) => `\x1b[${prefix}${a};${b}${between}${String.fromCharCode(64 + final)}`)
    const text = fc.constantFrom(
      'a',
      '漢',
      '        ',
      '\t',
      '\n',
      '\r',
      '\b',
      '0123456789',
      '\x1bM',
      '\x1bD',
      '\x1b7',
      '\x1b8',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(sequence, text), { maxLength: 30 }), parts => {
        const terminal = emulator({ cols: 10, rows: 3 })
        terminal.feed(bytes(parts.join('')), 1, LIVE)
        expect(terminal.counters.parserFaults).toBe(0)
      }),
      { numRuns: 300 },
    )
  })

  test('erases up to the last cell of the screen, and shows what follows', () => {
    const terminal = emulator({ cols: 10, rows: 3 })
    terminal.feed(bytes('top\x1b[3;1H0123456789\x1b[1J\rafter'), 1, LIVE)
    expect(screenOf(terminal)).toEqual(['', '', 'after'])
    expect(terminal.counters.parserFaults).toBe(0)
  })

  test('survives random bytes', () => {
    const random = seededRandom(5)
    const terminal = emulator({ cols: 80, rows: 24 })
    for (let round = 0; round < 50; round++) {
      terminal.feed(
        Uint8Array.from({ length: 20_000 }, () => random() * 256),
        round,
        LIVE,
      )
    }
    expectAlive(terminal)
  })

  test('drops and counts an OSC of ten megabytes', () => {
    const terminal = emulator()
    const block = bytes('x'.repeat(1 << 20))
    terminal.feed(bytes('\x1b]0;'), 0, LIVE)
    for (let block10 = 0; block10 < 9; block10++) terminal.feed(block, 0, LIVE)
    const events = terminal.feed(bytes('\x07'), 0, LIVE)
    expect(events.filter(event => event.type === 'evidence')).toEqual([])
    expect(terminal.counters.oversizedPayloads).toBe(1)
    expect(JSON.stringify(terminal.serialize()).length).toBeLessThan(2 * PAYLOAD_MAX)
    expectAlive(terminal)
  })

  test('prints nothing for nested and unfinished strings', () => {
    const terminal = emulator()
    terminal.feed(bytes('\x1bP+q\x1bP$q\x1bP1;2q\x1b_Gi=1;AAAA\x1b\\'.repeat(1000)), 0, LIVE)
    expect(screenOf(terminal, 0).join('')).toBe('')
    expectAlive(terminal)
  })

  test('keeps a line of ten megabytes within the scrollback', () => {
    const terminal = emulator({ cols: 80, rows: 24, scrollback: 100 })
    const block = bytes('y'.repeat(1 << 20))
    for (let round = 0; round < 10; round++) terminal.feed(block, round, LIVE)
    const frame = framesOf(terminal.endFrame(100)).at(-1)!
    expect(frame.history.lastId - frame.history.firstId + 1).toBe(100)
    expect(frame.lines.at(-1)!.wrapped).toBe(true)
    expectAlive(terminal)
  })

  test('survives a hundred thousand resizes', () => {
    const terminal = emulator({ scrollback: 10 })
    terminal.feed(bytes('one two three four\r\nfive'), 0, LIVE)
    for (let round = 0; round < 100_000; round++) terminal.resize(5 + (round % 7), 2 + (round % 3), round / 1000)
    terminal.resize(20, 5, 200)
    expectAlive(terminal)
  })

  test('clamps sizes', () => {
    const terminal = emulator()
    terminal.resize(1e9, Number.NaN, 0)
    expect(terminal.size).toEqual({ cols: 500, rows: 1 })
  })

  test('returns at once from repeat counts of two billion', () => {
    const terminal = emulator()
    for (const final of [...'@ILMPSTXZb', "'}", "'~", ' @', ' A'])
      terminal.feed(bytes(`ab\x1b[2147483647${final}`), 0, LIVE)
    expectAlive(terminal)
  })

  test('does not grow a cell for endless combining marks', () => {
    const terminal = emulator()
    terminal.feed(bytes(`e${'\u0301'.repeat(100_000)}`), 0, LIVE)
    const longest = Math.max(...screenOf(terminal, 0).map(text => text.length))
    expect(longest).toBeLessThanOrEqual(20 * 33)
    expectAlive(terminal)
  })

  test('refuses endless links, and scrolls fast', () => {
    const terminal = emulator()
    for (let link = 0; link < 20_000; link++) terminal.feed(bytes(`\x1b]8;;http://x/${link}\x07a`), link, LIVE)
    const { lines } = framesOf(terminal.endFrame(1e5)).at(-1)!
    expect(lines.every(row => new Set(row.spans.map(span => span.link)).size <= 101)).toBe(true)
    expectAlive(terminal)
  })

  test('completes a character that is split after a continuation byte 0x80', () => {
    const terminal = emulator()
    for (const piece of byteByByte(bytes('… — “q” 漢 👩‍💻'))) terminal.feed(piece, 0, LIVE)
    expect(screenOf(terminal, 0)[0]).toBe('… — “q” 漢 👩‍💻')
  })
})
