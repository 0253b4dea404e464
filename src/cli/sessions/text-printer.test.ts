import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { TextPrinter } from './text-printer.js'

function printed(output: string | readonly string[], size = { cols: 40, rows: 5 }): string {
  let text = ''
  const printer = new TextPrinter(size, part => {
    text += part
  })
  for (const chunk of typeof output === 'string' ? [output] : output) printer.push(Buffer.from(chunk))
  printer.finish()
  return text
}

describe('plain output', () => {
  test('is printed line by line', () => {
    expect(printed('one\r\ntwo\r\n')).toBe('one\ntwo\n')
    expect(printed('no newline')).toBe('no newline\n')
    expect(printed('')).toBe('')
    expect(printed('\r\n\r\n')).toBe('')
  })

  test('keeps blank lines and indents', () => {
    expect(printed('a\r\n\r\n  b\r\n\r\n\r\nc\r\n')).toBe('a\n\n  b\n\n\nc\n')
    expect(printed('\r\n\r\nlate')).toBe('\n\nlate\n')
  })

  test('joins wrapped rows and loses nothing for any chunk boundaries', () => {
    // No blank before a wide character: at the edge it looks like the cell that was too
    // narrow.
    const narrow = fc.string({ unit: fc.constantFrom('a', 'b', ' ', 'é'), maxLength: 100 }).map(text => text.trimEnd())
    const line = fc.oneof(narrow, fc.string({ unit: fc.constantFrom('a', 'é', '日', '👍'), maxLength: 60 }))
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), fc.integer({ min: 1, max: 50 }), (lines, size) => {
        const bytes = Buffer.from(lines.map(text => `${text}\r\n`).join(''))
        let text = ''
        const printer = new TextPrinter({ cols: 20, rows: 4 }, part => {
          text += part
        })
        for (let at = 0; at < bytes.length; at += size) printer.push(bytes.subarray(at, at + size))
        printer.finish()
        expect(text.trimEnd()).toBe(lines.join('\n').trimEnd())
      }),
      { numRuns: 150 },
    )
  })

  test('is complete and in order for 20 000 lines', () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index}`)
    expect(printed(`${lines.join('\r\n')}\r\n`)).toBe(`${lines.join('\n')}\n`)
    expect(printed('\n'.repeat(20_000).concat('end')).match(/\n/g)).toHaveLength(20_001)
  })

  test('is printed when it scrolls off the screen', () => {
    const parts: string[] = []
    const printer = new TextPrinter({ cols: 40, rows: 5 }, part => parts.push(part))
    printer.push(Buffer.from(Array.from({ length: 50 }, (_, index) => `line ${index}\r\n`).join('')))
    expect(parts.join('')).toContain('line 40\n')
    expect(parts.join('')).not.toContain('line 49')
  })

  test('keeps blanks at the edge of a wrapped line', () => {
    const text = `${'x'.repeat(38)}    ${'y'.repeat(10)}`
    expect(printed(text)).toBe(`${text}\n`)
    expect(printed(`${'x'.repeat(39)}日本`)).toBe(`${'x'.repeat(39)}日本\n`)
  })

  test('is one line even if the line is longer than the screen', () => {
    const text = 'abcdefghij'.repeat(100)
    expect(printed(`${text}\r\nnext\r\n`)).toBe(`${text}\nnext\n`)
  })
})

describe('drawn output', () => {
  test('applies progress bars, colours and cursor moves', () => {
    const bar = Array.from({ length: 100 }, (_, percent) => `\r\u001b[K\u001b[32m[${percent}%]\u001b[0m`)
    expect(printed([...bar, '\r\u001b[Kdone\r\n'])).toBe('done\n')
    expect(printed('abc\b\b\bxyz\r\n\u001b[1A\u001b[2Cq')).toBe('xyq\n')
  })

  test('applies progress bars of several lines', () => {
    const step = (n: number) => `${n > 0 ? '\u001b[2A' : ''}a ${n}\r\nb ${n}\r\n`
    expect(printed(Array.from({ length: 20 }, (_, n) => step(n)))).toBe('a 19\nb 19\n')
  })

  test('is not printed for a full-screen program, unlike text before and after it', () => {
    const drawing = Array.from({ length: 30 }, (_, n) => `row ${n}\r\n`).join('')
    expect(
      printed(['before\r\n', `\u001b[?1049h\u001b[H${drawing}`, 'more drawing', '\u001b[?1049l', 'after\r\n']),
    ).toBe('before\nafter\n')
  })

  test('is printed completely after a full-screen program', () => {
    const lines = Array.from({ length: 300 }, (_, n) => `line ${n}`)
    expect(printed(['\u001b[?1049hdrawing', '\u001b[?1049l', `${lines.join('\r\n')}\r\n`])).toBe(
      `${lines.join('\n')}\n`,
    )
  })

  test('is printed for a full-screen program that is still open at the end', () => {
    expect(printed(['before\r\n', '\u001b[?1049h\u001b[H\u001b[2Jpicture\r\nof it'])).toBe('before\npicture\nof it\n')
  })

  test('contains neither query replies nor titles', () => {
    expect(printed('\u001b]0;title\u0007\u001b[6n\u001b[cok')).toBe('ok\n')
  })
})
