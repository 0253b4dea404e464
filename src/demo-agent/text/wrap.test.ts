import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lineText } from './style.js'
import { lineWidth, wrapSpans } from './wrap.js'

const wrap = (text: string, width: number, lead = '') =>
  wrapSpans([{ text, style: {} }], { width, first: [{ text: lead, style: {} }] }).map(lineText)

describe('wrapping text', () => {
  it('breaks at blanks and indents the following rows to the text', () => {
    expect(wrap('one two three', 9, '◆ ')).toEqual(['◆ one two', '  three'])
  })

  it('breaks between wide characters, and inside words that are too long', () => {
    expect(wrap('漢字漢字', 5)).toEqual(['漢字', '漢字'])
    expect(wrap('abcdefgh', 3)).toEqual(['abc', 'def', 'gh'])
  })

  it('keeps line breaks', () => {
    expect(wrap('a\nb', 9)).toEqual(['a', 'b'])
  })

  it('does not exceed the width and loses no character', () => {
    const text = fc.array(fc.constantFrom('a', 'bc', ' ', '  ', '漢', '🚀', 'long-word', '\n'), { maxLength: 40 })
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 30 }), fc.boolean(), (parts, width, hard) => {
        const source = parts.join('')
        const lines = wrapSpans([{ text: source, style: {} }], { width, hard })
        for (const line of lines) expect(lineWidth(line)).toBeLessThanOrEqual(width)
        expect(lines.map(lineText).join('').replaceAll(' ', '')).toBe(source.replaceAll(/\s/g, ''))
      }),
    )
  })
})
