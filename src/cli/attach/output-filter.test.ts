import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { OutputFilter, withoutReplies } from './output-filter.js'

const latin = (text: string) => Buffer.from(text, 'latin1')

function filtered(text: string | Buffer, cuts: readonly number[] = []): string {
  const bytes = typeof text === 'string' ? latin(text) : text
  const filter = new OutputFilter()
  const places = [...new Set(cuts.map(cut => cut % (bytes.length + 1)))].sort((a, b) => a - b)
  const pieces = [0, ...places].map((from, index) => bytes.subarray(from, places[index] ?? bytes.length))
  return Buffer.concat(pieces.map(piece => filter.push(piece))).toString('latin1')
}

const QUERIES = [
  '\u0005',
  '\u001bZ',
  '\u001b[c',
  '\u001b[0c',
  '\u001b[>c',
  '\u001b[=c',
  '\u001b[5n',
  '\u001b[6n',
  '\u001b[?6n',
  '\u001b[?996n',
  '\u001b[x',
  '\u001b[>q',
  '\u001b[>0q',
  '\u001b[?u',
  '\u001b[?2026$p',
  '\u001b[4$p',
  '\u001b[2$w',
  '\u001b[1;1;1;1;1;1*y',
  '\u001b[11t',
  '\u001b[14t',
  '\u001b[18t',
  '\u001b[21t',
  '\u001b[?4m',
  '\u001bP+q544e\u001b\\',
  '\u001bP$qm\u001b\\',
  '\u001b]10;?\u0007',
  '\u001b]11;?\u001b\\',
  '\u001b]10;#ffffff;?\u0007',
  '\u001b]4;7;?\u0007',
  '\u001b]21;foreground=?\u001b\\',
  '\u001b]52;c;aGVsbG8=\u0007',
  '\u001b]52;c;?\u001b\\',
  '\u001b]7501;?\u0007',
  '\u001b]1337;RequestAttention=1\u0007',
  '\u001b_Gi=31,a=q;AAAA\u001b\\',
  '\u001b[?1049h',
  '\u001b[?1049l',
  '\u001b[?47h',
]

const HARMLESS = [
  'plain text',
  'grüße 👍 日本',
  '\r\n\t\b\u0007',
  '\u001b[31;1mred\u001b[0m',
  '\u001b[10;5H',
  '\u001b[2J\u001b[K',
  '\u001b[?2026h',
  '\u001b[?25l',
  '\u001b[?1000;1006h',
  '\u001b[>1u',
  '\u001b[<u',
  '\u001b[3 q',
  '\u001b[22;0t',
  '\u001b[8;24;80t',
  '\u001b7\u001b8\u001bM\u001b(B\u001b=',
  '\u001b]0;a title\u0007',
  '\u001b]8;;https://example.org\u001b\\link\u001b]8;;\u001b\\',
  '\u001b]4;7;rgb:00/11/22\u0007',
  '\u001b]11;#000000\u0007',
  '\u001b]9;4;1;50\u0007',
  '\u001bPq#0;2;0;0;0~\u001b\\',
]

describe('output for an attached terminal', () => {
  test.each(QUERIES.map(query => [JSON.stringify(query), query]))(
    'does not contain %s, alone and between text, split anywhere',
    (_, query) => {
      const bytes = Buffer.from(`before${query}after`)
      expect(filtered(Buffer.from(query))).toBe('')
      for (let cut = 0; cut <= bytes.length; cut++) expect(filtered(bytes, [cut])).toBe('beforeafter')
    },
  )

  test.each(HARMLESS.map(text => [JSON.stringify(text), text]))('contains %s unchanged, split anywhere', (_, text) => {
    const bytes = Buffer.from(`${text}.`)
    for (let cut = 0; cut <= bytes.length; cut++) expect(filtered(bytes, [cut])).toBe(bytes.toString('latin1'))
  })

  test('loses screen switches in a list of modes', () => {
    expect(filtered('\u001b[?1049;2004h')).toBe('\u001b[?2004h')
    expect(filtered('\u001b[?25;47;1047l')).toBe('\u001b[?25l')
  })

  test('does not depend on chunk boundaries', () => {
    const part = fc.oneof(
      fc.constantFrom(...QUERIES, ...HARMLESS),
      fc.string(),
      fc.uint8Array({ maxLength: 5 }).map(bytes => Buffer.from(bytes).toString('latin1')),
      fc.constantFrom('\u001b', '\u001b[', '\u001b]', '\u001bP', '\u0018', '\\'),
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), fc.array(fc.nat(300), { maxLength: 10 }), (parts, cuts) => {
        const text = `${parts.join('')}\u0018\u0018 end`
        expect(filtered(text, cuts)).toBe(filtered(text))
      }),
      { numRuns: 1000 },
    )
  })

  test('is neither changed nor buffered if it has no escapes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), bytes => {
        const plain = Buffer.from(bytes.filter(byte => byte !== 0x1b && byte !== 0x05))
        expect(new OutputFilter().push(plain)).toEqual(plain)
      }),
    )
  })

  test('loses a clipboard sequence that is longer than the buffer', () => {
    const text = `a\u001b]52;c;${'QUJD'.repeat(3000)}\u001b\\b`
    expect(filtered(text)).toBe('ab')
    expect(filtered(text, [100, 5000, 9000])).toBe('ab')
    expect(
      filtered(
        text,
        Array.from({ length: text.length }, (_, at) => at),
      ),
    ).toBe('ab')
    expect(filtered(text.replace('\u001b\\', '\u0007'), [6000])).toBe('ab')
  })

  test('contains an image that is longer than the buffer', () => {
    const text = `a\u001bPq${'~'.repeat(20_000)}\u001b\\b`
    expect(filtered(text, [100, 5000, 5001, 19_000])).toBe(text)
  })

  test('is filtered by the content of a string that another escape ends', () => {
    expect(filtered('\u001b]52;c;QUJD\u001b[31mred')).toBe('\u001b[31mred')
    expect(filtered('\u001b]0;title\u001b[31mred')).toBe('\u001b]0;title\u001b[31mred')
    expect(filtered('\u001b]52;c;QUJD\u0018text')).toBe('text')
    const followed = '\u001b]52;c;QUJD\u001b]0;title\u0007text'
    for (let cut = 0; cut <= followed.length; cut++) expect(filtered(followed, [cut])).toBe('\u001b]0;title\u0007text')
  })

  test('loses an endless parameter list and shows the rest', () => {
    const text = `a\u001b[${'1;'.repeat(5000)}mb`
    expect(filtered(text)).toBe('ab')
    expect(filtered(text, [3000, 6000, 9000])).toBe('ab')
  })
})

describe("input from a person's terminal", () => {
  test.each([
    '\u001b[?62;22c',
    '\u001b[>1;10;0c',
    '\u001b[?2026;2$y',
    '\u001b[?1u',
    '\u001b]11;rgb:00/00/00\u001b\\',
    '\u001b]4;7;rgb:0/0/0\u0007',
    '\u001bP>|xterm(390)\u001b\\',
    '\u001b[?997;1n',
  ])('is not forwarded if it is the reply %j', reply => {
    expect(withoutReplies(latin(`a${reply}b`)).toString()).toBe('ab')
  })

  test.each([
    'text',
    '\u001b',
    '\u001b[A',
    '\u001bOP',
    '\u001b[1;5C',
    '\u001b[27;5;13~',
    '\u001b[97;5u',
    '\u001b[200~paste\u001b[201~',
    '\u001b[<0;10;10M',
    '\u001b[I',
    'ä',
  ])('is forwarded if it is the key %j', keys => {
    expect(withoutReplies(Buffer.from(keys)).toString()).toBe(keys)
  })
})
