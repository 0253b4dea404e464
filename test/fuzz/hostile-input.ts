/**
 * Hostile terminal input, generated from a seed. Everything is bounded: a chunk has at most about a
 * megabyte.
 */

export type Random = () => number

export type HostileStep =
  | { is: 'bytes'; bytes: Uint8Array }
  | { is: 'resize'; cols: number; rows: number }
  | { is: 'wait'; seconds: number }

const INTRODUCERS = [
  '\x1b',
  '\x1b[',
  '\x1b]',
  '\x1bP',
  '\x1b_',
  '\x1b^',
  '\x1bX',
  '\u009b',
  '\u009d',
  '\u0090',
  '\x1b[?',
  '\x1b[>',
]
const ENDS = ['\x07', '\x1b\\', '\u009c', '\x18', '\x1a', '', '\x1b', 'm', 'l', 'h', 'H', 'J', 'K']
const WHOLE = [
  '\x1b[2J\x1b[H',
  '\x1b[?1049h',
  '\x1b[?1049l',
  '\x1b[?2026h',
  '\x1b[?2026l',
  '\x1b[?7l',
  '\x1b[2;4r',
  '\x1b[r',
  '\x1b[9999S',
  '\x1b[9999T',
  '\x1b[2147483647L',
  '\x1b[99999999999b',
  '\x1b[65535;65535H',
  '\x1b[3J',
  '\x1bc',
  '\x1b[!p',
  '\x1bM',
  '\x1b(0',
  '\x1b[6n',
  '\x1b[c',
  '\x1b]11;?\x07',
  '\x1b]7501;?\x1b\\',
  '\x1b]7501;state=working\x1b\\',
  '\x1b]133;A\x07',
  '\x1b]133;C\x07',
  '\x1b]133;D;1\x07',
  '\x1b]0;✳ working\x07',
  '\x1b]9;4;1;50\x07',
  '\x1b]8;;http://a.example/\x07link\x1b]8;;\x07',
  '\x1b[7m',
  '\x1b[38;2;300;-1;9m',
  '\x1b[4:3m',
  '\x1b[0m',
  '\r\n',
  '\t',
  '\b',
]
const TEXT = [
  '❯ ',
  '› ',
  '● ',
  '│ ',
  '╭────╮',
  '╰────╯',
  '1. Yes',
  '2. No (esc)',
  '```',
  '- item',
  '| a | b |',
  '漢字',
  '👩‍💻',
  '🇫🇷',
  '❤️',
  'e\u0301\u0301',
]
const MORE_TEXT = [
  '✻ Thinking… (3s · esc to interrupt)',
  '\u200b\u200d',
  '\ufeff',
  '\u202e',
  '+ added',
  '- removed',
  '@@ -1 +1 @@',
  'word ',
  '   ',
  '$ ',
  '> ',
  '☐ ',
  '⏺ ',
  '⎿  ',
]
const INVALID = [
  [0xc3],
  [0xe2, 0x80],
  [0xf0, 0x9f],
  [0xff, 0xfe],
  [0xc0, 0xaf],
  [0xed, 0xa0, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
  [0x80],
  [0xf8, 0x88],
]

const encoder = new TextEncoder()
const GENERATORS = [
  noise,
  soup,
  mutated,
  mutated,
  mutated,
  mutated,
  truncated,
  hugePayload,
  longLine,
  nested,
  invalid,
  manyLines,
]

/** `slices`: real output to cut up. `longest`: bytes of one line or payload. */
export function hostileStep(random: Random, slices: readonly Uint8Array[], longest: number): HostileStep {
  const choice = random()
  if (choice < 0.12) return { is: 'resize', ...randomSize(random) }
  if (choice < 0.25) return { is: 'wait', seconds: random() * 3 }
  return { is: 'bytes', bytes: pick(GENERATORS, random)(random, slices, longest) }
}

export function randomSize(random: Random): { cols: number; rows: number } {
  if (random() < 0.7) return { cols: 20 + below(180, random), rows: 5 + below(60, random) }
  return { cols: pick([0, 1, 2, 3, 500, 9999, -4], random), rows: pick([0, 1, 2, 3, 300, 9999, -4], random) }
}

function noise(random: Random): Uint8Array {
  return Uint8Array.from({ length: below(4096, random) }, () => below(256, random))
}

function soup(random: Random): Uint8Array {
  const lists = [INTRODUCERS, ENDS, WHOLE, WHOLE, TEXT, MORE_TEXT, TEXT, MORE_TEXT]
  const parts = Array.from({ length: below(300, random) }, () => pick(pick(lists, random), random))
  return encoder.encode(parts.join(''))
}

/** Real output with bytes changed, dropped and doubled, and other pieces inserted. */
function mutated(random: Random, slices: readonly Uint8Array[]): Uint8Array {
  const parts = Array.from({ length: 1 + below(6, random) }, () => slice(random, slices))
  const whole = Buffer.concat(parts)
  const changes = random() < 0.3 ? 0 : below(40, random)
  for (let n = 0; n < changes && whole.length > 0; n++) {
    const at = below(whole.length, random)
    const kind = below(3, random)
    if (kind === 0) whole[at] = below(256, random)
    else if (kind === 1) whole.copyWithin(at, at + 1 + below(20, random))
    else whole.set(encoder.encode(pick(WHOLE, random)).subarray(0, whole.length - at), at)
  }
  return whole
}

function truncated(random: Random, slices: readonly Uint8Array[]): Uint8Array {
  const whole = slice(random, slices)
  return Buffer.concat([whole.subarray(0, below(whole.length + 1, random)), encoder.encode(pick(INTRODUCERS, random))])
}

function hugePayload(random: Random, _slices: readonly Uint8Array[], longest: number): Uint8Array {
  const start = pick(
    [
      '\x1b]0;',
      '\x1b]8;;',
      '\x1b]7501;',
      '\x1b]52;c;',
      '\x1b]99999;',
      '\x1bP+q',
      '\x1bP$q',
      '\x1bPq',
      '\x1b_G',
      '\x1b[',
    ],
    random,
  )
  const fill = pick(['a', '漢', '0;', ';', '\x00', ' '], random)
  return encoder.encode(start + fill.repeat(below(Math.min(longest, 300_000), random)) + pick(ENDS, random))
}

function longLine(random: Random, _slices: readonly Uint8Array[], longest: number): Uint8Array {
  const fill = pick(['x', '漢', 'word ', 'e\u0301', '👩‍💻', '│', '\u0301', ' ', '1. Yes '], random)
  return encoder.encode(
    fill.repeat(Math.floor((random() < 0.15 ? longest : Math.min(longest, 2e4)) / Buffer.byteLength(fill))),
  )
}

function nested(random: Random): Uint8Array {
  return encoder.encode(
    Array.from({ length: below(2000, random) }, () => pick(INTRODUCERS, random)).join(
      pick(['', '1;', '?', 'a'], random),
    ),
  )
}

function invalid(random: Random): Uint8Array {
  const parts = Array.from({ length: below(400, random) }, () =>
    random() < 0.6
      ? Uint8Array.from(pick(INVALID, random))
      : encoder.encode(pick(random() < 0.5 ? TEXT : WHOLE, random)),
  )
  return Buffer.concat(parts)
}

/** Rows that look like an agent's, in random order. */
function manyLines(random: Random): Uint8Array {
  const rows = Array.from({ length: below(200, random) }, () =>
    Array.from({ length: below(8, random) }, () => pick(random() < 0.5 ? TEXT : MORE_TEXT, random)).join(''),
  )
  return encoder.encode(rows.join('\r\n'))
}

function slice(random: Random, slices: readonly Uint8Array[]): Uint8Array {
  const whole = pick(slices, random)
  const start = below(whole.length, random)
  return whole.subarray(start, start + 1 + below(6000, random))
}

function below(limit: number, random: Random): number {
  return Math.floor(random() * limit)
}

function pick<T>(list: readonly T[], random: Random): T {
  return list[below(list.length, random)]!
}
