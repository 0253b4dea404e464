import { createRequire } from 'node:module'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { itNeeding } from '../../test/support/requirements.js'
import { ByteParser } from './byte-parser.js'
import { ByteSplitter } from './byte-splitter.js'
import { captureGrid } from './grid-state.js'
import { shareLineMemory } from './line-memory.js'
import { printPlainTextFast } from './print-plain-text.js'
import { readRecording, recordingNames } from './testing/corpus.js'
import { bytes } from './testing/drive.js'
import { createWidthProvider, WIDTH_VERSION } from './width-provider.js'
import { coreOf, eraseAboveLastRow, openTerminal, type XtermCore, type XtermTerminal } from './xterm-core.js'

/*
 * byte-parser.ts, print-plain-text.ts and line-memory.ts replace parts of xterm. The same input
 * must leave the same cells in a terminal of an unmodified copy of xterm.
 */

const untouched = freshXterm()

function freshXterm(): { Terminal: new (options: object) => XtermTerminal } {
  const require = createRequire(import.meta.url)
  delete require.cache[require.resolve('@xterm/headless')]
  return require('@xterm/headless')
}

type Step = { write: string } | { bytes: Uint8Array } | { resize: [number, number] }

function pair(cols: number, rows: number, scrollback = 30) {
  const options = { cols, rows, scrollback, allowProposedApi: true, logLevel: 'off' }
  const [plain, ours] = [new untouched.Terminal(options), openTerminal({ cols, rows, scrollback })]
  for (const terminal of [plain, ours]) {
    terminal.unicode.register(createWidthProvider())
    terminal.unicode.activeVersion = WIDTH_VERSION
  }
  printPlainTextFast(coreOf(ours), createWidthProvider())
  shareLineMemory(coreOf(ours))
  // Without it, xterm throws.
  for (const terminal of [plain, ours]) eraseAboveLastRow(coreOf(terminal))
  return { plain, ours }
}

function run(terminal: XtermTerminal, steps: readonly Step[]) {
  const core = coreOf(terminal)
  const splitter = new ByteSplitter()
  const parser = terminal instanceof untouched.Terminal ? core._inputHandler : new ByteParser(core)
  for (const step of steps) {
    if ('write' in step) parser.parse(bytes(step.write))
    // As in the emulator, no piece ends inside a character.
    else if ('bytes' in step) splitter.split(step.bytes, piece => parser.parse(piece))
    else terminal.resize(...step.resize)
  }
  const { currentState, precedingJoinState } = core._inputHandler._parser
  return { grid: captureGrid(core), cells: rawCells(core), currentState, precedingJoinState }
}

/** Word by word: a stored grid omits cells that were never written. */
function rawCells(core: XtermCore): string[] {
  const { lines } = core.buffers.active
  return Array.from({ length: lines.length }, (_, index) => {
    const line = lines.get(index)!
    return `${line.isWrapped} ${line.length} ${line._data.join()} ${JSON.stringify(line._combined)}`
  })
}

function expectSameCells(cols: number, rows: number, steps: readonly Step[]): void {
  const { plain, ours } = pair(cols, rows)
  expect(run(ours, steps)).toEqual(run(plain, steps))
}

describe('the byte parser draws the same cells as xterm alone', () => {
  test.each([
    ['text over the second half of a wide character', '漢字漢字\x1b[1;2Hab'],
    ['text over the first half of a wide character', '漢字漢字\x1b[1;3Hx'],
    ['a wide character over text and over halves', 'abcdefgh\x1b[1;3H漢\x1b[1;4Hy\x1b[1;6H字'],
    ['marks after fast text, and text after marks', 'cafe\u0301s e\u0301\u0302x\x1b[1;3H\u0301'],
    ['a keycap, a flag and an emoji after fast text', 'ab1\ufe0f\u20e3x🇫🇷y👩‍💻z❤️'],
    ['a run that wraps in the middle, and one that just fits', 'abcdefghijklmno\r\n1234567890\r\nx'],
    ['insert mode', 'abcdefgh\r\x1b[4hXY'],
    ['wrap switched off', '\x1b[?7l0123456789abc'],
    ['the line-drawing set', 'ab\x1b(0qqx\x1b(Bq'],
    [
      'links, underline styles, colours',
      '\x1b]8;;http://a\x07abc\x1b]8;;\x07d\x1b[4:3me\x1b[0;31;48;2;1;2;3mf\x1b[K\n\n\n\n\n',
    ],
    ['repeat, insert and delete cells', 'abc\x1b[3bde\x1b[2D\x1b[2@xy\x1b[1;1H\x1b[2P漢\x1b[2b'],
    ['the alternate screen and back, twice', 'one\x1b[?1049h\x1b[44mtwo\x1b[2J\x1b[?1049l\x1b[?1049hthree'],
    ['scrolling in a region, and a reset', 'a\r\nb\r\nc\r\nd\x1b[2;3r\x1b[3;1H\n\n\nx\x1bM\x1bM\x1bcy\n\n\n\n\n'],
  ])('for %s', (_, text) => expectSameCells(10, 4, [{ write: text }]))

  test('for lines that share memory, after the terminal grows, shrinks and grows', () => {
    const numbered = Array.from({ length: 60 }, (_, index) => `line ${index} ${'x'.repeat(index)}\r\n`).join('')
    expectSameCells(20, 5, [
      { write: numbered },
      { resize: [70, 9] },
      { write: numbered },
      { resize: [11, 3] },
      { write: `\x1b[?1049h${numbered}` },
      { resize: [33, 6] },
      { write: `${numbered}\x1b[?1049l${numbered}` },
      { resize: [80, 24] },
      { write: numbered },
    ])
  })

  test('for any input', () => {
    const text = fc.stringMatching(/^[ -~]{1,15}$/)
    const special = fc.constantFrom(
      '漢',
      '🚀',
      'e\u0301',
      '─',
      '❯',
      '❤\ufe0f',
      '🇫🇷',
      '\u200d',
      '\r',
      '\n',
      '\t',
      '\b',
      '\x1bM',
    )
    const number = fc.integer({ min: 0, max: 12 })
    const sequence = fc
      .tuple(number, number, fc.constantFrom(...'ABCDGHJKLMPST@XrbmdE'))
      .map(([a, b, final]) => `\x1b[${a};${b}${final}`)
    const mode = fc.constantFrom(
      '\x1b[4h',
      '\x1b[4l',
      '\x1b[?7l',
      '\x1b[?7h',
      '\x1b[?1049h',
      '\x1b[?1049l',
      '\x1b(0',
      '\x1b(B',
      '\x1bc',
    )
    const write = fc
      .oneof({ weight: 4, arbitrary: text }, special, special, sequence, sequence, mode)
      .map(part => ({ write: part }))
    const resize = fc
      .tuple(fc.integer({ min: 2, max: 30 }), fc.integer({ min: 1, max: 8 }))
      .map(size => ({ resize: size }) satisfies Step)
    const steps = fc.array(fc.oneof({ weight: 20, arbitrary: write }, resize), { maxLength: 60 })
    fc.assert(
      fc.property(steps, all => expectSameCells(12, 5, all)),
      { numRuns: 150, seed: 5 },
    )
  })

  test('for any control sequences, complete, cut or broken', () => {
    const part = fc.constantFrom(
      ...[
        '\x1b',
        '[',
        ']',
        '?',
        '>',
        ';',
        ':',
        '4',
        '12',
        '38',
        '999999999999',
        'm',
        'H',
        'K',
        'h',
        'l',
        'b',
        '$p',
        ' q',
      ],
      ...[
        '\x1b[',
        '\x1b[?',
        '\x1b]0;',
        '\x1bP',
        '\x1b_',
        '\x1b(0',
        '\x1b(B',
        '\x1bN',
        '\x1b7',
        '\x1b8',
        '\x07',
        '\x1b\\',
      ],
      ...['\x18', '\x1a', '\x7f', '\0', '\r', '\n', '\t', '\u009b', '\u0085', '\u009d', '\ufeff', 'ab', 'é', '漢', '…'],
    )
    const raw = fc.constantFrom([0xe2], [0xe2, 0x80], [0x80], [0xff], [0xc2], [0xf0, 0x9f])
    const piece = fc.oneof({ weight: 20, arbitrary: part.map(text => [...bytes(text)]) }, raw)
    const pieces = fc.array(fc.array(piece, { maxLength: 12 }), { maxLength: 6 })
    fc.assert(
      fc.property(pieces, all => {
        const steps = all.map(list => ({ bytes: Uint8Array.from(list.flat()) }))
        expectSameCells(12, 5, steps)
      }),
      { numRuns: 400, seed: 7 },
    )
  })

  itNeeding('corpus', 'for recordings of real agents', () => {
    for (const name of recordingNames().filter((_, index) => index % 10 === 3)) {
      const { cols, rows, events } = readRecording(name)
      const steps = events.filter(({ kind }) => kind === 'o').map(({ data }) => ({ write: data }))
      const { plain, ours } = pair(cols, rows, 2000)
      expect(JSON.stringify(run(ours, steps)) === JSON.stringify(run(plain, steps)), name).toBe(true)
    }
  })
})
