import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { stripAnsi } from './strip-ansi.js'
import { visibleText } from './visible-text.js'
import { lookAlikes, visibleValue } from './visible-value.js'

const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/
const BIDI_OR_INVISIBLE = /[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/u

const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 10 }),
      fc.constantFrom(
        '\u001b[31m',
        '\u001b]0;title\u0007',
        '\u001b]8;;http://evil\u001b\\',
        '\u001bP',
        '\u009b31m',
        '\u009d52;c;AAAA\u009c',
        '\u001b',
        '\r',
        '\r\n',
        '\b\b',
        '\u202e',
        '\u200b',
        '\u200d',
        '\ufe0f',
        '\u{e0041}',
        '👩‍💻',
        '❤️',
        '1️⃣',
        'ok\n',
        '\t',
        '\ud800',
      ),
    ),
    { maxLength: 12 },
  )
  .map(parts => parts.join(''))

describe('visible text', () => {
  test('shows escape sequences instead of passing them on', () => {
    expect(visibleText('\u001b[31mred\u001b[0m')).toBe('␛[31mred␛[0m')
    expect(visibleText('\u001b[31mred\u001b[0m', { escapes: 'remove' })).toBe('red')
    expect(visibleText('a\u0007b\u009bc\u007f')).toBe('a⟦U+0007⟧b⟦U+009B⟧c⟦U+007F⟧')
  })

  test('names characters that hide or reorder text', () => {
    expect(visibleText('a\u202eb')).toBe('a⟦U+202E⟧b')
    expect(visibleText('pay\u200bpal')).toBe('pay⟦U+200B⟧pal')
    expect(visibleText('x\u{e0041}')).toBe('x⟦U+E0041⟧')
    expect(visibleText('lone \ud800')).toBe('lone ⟦U+D800⟧')
  })

  test('keeps emoji whole and shows their joiners elsewhere', () => {
    for (const emoji of ['👩‍💻', '❤️', '1️⃣', '🇫🇷', '👩🏽‍🚒', '🏳️‍🌈']) expect(visibleText(emoji)).toBe(emoji)
    expect(visibleText('a\u200db')).toBe('a⟦U+200D⟧b')
    expect(visibleText('a\ufe0f')).toBe('a⟦U+FE0F⟧')
    expect(visibleText('1\ufe0f')).toBe('1⟦U+FE0F⟧')
  })

  test('handles line ends and tabs as the options say', () => {
    expect(visibleText('a\tb\r\nc')).toBe('a b\nc')
    expect(visibleText('a\tb\nc', { newlines: 'blank', tabs: 'keep' })).toBe('a\tb c')
    expect(visibleText('a\tb\nc', { newlines: 'show', tabs: 'show' })).toBe('a→b␊c')
    expect(visibleText('50%\r100%')).toBe('50%␍100%')
  })

  test('leaves no control character, escape or invisible character', () => {
    fc.assert(
      fc.property(hostile, text => {
        const shown = visibleText(text)
        expect(shown).not.toMatch(CONTROL)
        expect(shown).not.toMatch(BIDI_OR_INVISIBLE)
        expect(shown).not.toMatch(/\p{Cs}/u)
        expect(visibleText(shown)).toBe(shown)
        expect(visibleText(text, { newlines: 'blank' })).not.toContain('\n')
        expect(visibleText(text, { escapes: 'remove' })).not.toMatch(CONTROL)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('stripAnsi', () => {
  test.each([
    ['\u001b[1;31mred\u001b[0m', 'red'],
    ['\u001b]0;title\u0007text', 'text'],
    ['\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['\u001bPq#0\u001b\\after', 'after'],
    ['\u001b_Gf=1\u001b\\after', 'after'],
    ['\u001b(Bplain', 'plain'],
    ['\u001b7save\u001b8', 'save'],
    ['\u009b31mred', 'red'],
    ['\u001b]0;torn\nnext line', '\nnext line'],
    ['end\u001b', 'end'],
    ['\u001b\u001b[31mx', 'x'],
    ['no escapes', 'no escapes'],
  ])('turns %j into %j', (text, expected) => {
    expect(stripAnsi(text)).toBe(expected)
  })

  test('leaves no start of a sequence, and keeps every line', () => {
    fc.assert(
      fc.property(hostile, text => {
        const stripped = stripAnsi(text)
        expect(stripped).not.toMatch(/[\u001b\u0080-\u009f]/)
        expect(stripped.split('\n').length).toBe(text.split('\n').length)
      }),
    )
  })
})

describe('the visible values of approvals', () => {
  const findingsOf = (value: string) =>
    Object.fromEntries(visibleValue(value).findings.map(({ what, count }) => [what, count]))

  test('show ordinary commands and code unchanged', () => {
    for (const value of ['npm test', 'if (a) {\n  b()\n}', 'grüße 你好 привет мир', 'echo "👩‍💻 ❤️ 1️⃣"']) {
      expect(visibleValue(value)).toEqual({ text: value, pieces: [{ text: value }], findings: [] })
    }
  })

  test('show padding as a count', () => {
    expect(visibleValue(`ls${' '.repeat(40)}; rm -rf x`).text).toBe('ls⟦40 spaces⟧; rm -rf x')
    expect(visibleValue('a        b').text).toBe('a        b')
    expect(visibleValue(`a${'\n'.repeat(13)}b`).text).toBe('a\n⟦12 empty lines⟧\nb')
    expect(visibleValue('a\n \n\t\n\u00a0\n \nb').text).toBe('a\n⟦4 empty lines⟧\nb')
    expect(visibleValue('a\n\n\n\nb').text).toBe('a\n\n\n\nb')
    expect(visibleValue('a\tb').text).toBe('a→b')
  })

  test('show the text that a carriage return would overwrite', () => {
    expect(visibleValue('rm -rf /\rls').text).toBe('rm -rf /␍ls')
    expect(findingsOf('rm -rf /\rls\u001b[2K')).toEqual({ 'control characters': 2 })
  })

  test('name and count hidden characters', () => {
    expect(visibleValue('a\u202eb\u200bc\u00add').text).toBe('a⟦U+202E⟧b⟦U+200B⟧c⟦U+00AD⟧d')
    expect(findingsOf('a\u202eb\u200bc\u3164')).toEqual({ 'hidden characters': 3 })
    expect(findingsOf('rm\u00a0x')).toEqual({ 'unusual blanks': 1 })
  })

  test('show words of look-alikes with the ASCII text that they imitate', () => {
    const { text, pieces } = visibleValue('curl pаypal.com')
    expect(text).toBe('curl pаypal⟦reads paypal⟧.com')
    expect(pieces).toContainEqual({ text: 'pаypal', finding: 'mixed-script words', reading: 'paypal' })
    expect(findingsOf('ѕсоре')).toEqual({ 'mixed-script words': 1 })
    expect(visibleValue('ｒm –rf').text).toBe('ｒ⟦reads r⟧m –⟦reads -⟧rf')
    expect(findingsOf('echo “hi”')).toEqual({ 'look-alike characters': 2 })
  })

  test('have their look-alikes at their places, the same that are marked in pieces', () => {
    const text = 'curl pаypal.com 𝐫m –rf привет'
    expect(lookAlikes(text).map(({ from, to, reading }) => [text.slice(from, to), reading])).toEqual([
      ['pаypal', 'paypal'],
      ['𝐫', 'r'],
      ['–', '-'],
    ])
    fc.assert(
      fc.property(hostile, value => {
        const { pieces } = visibleValue(value)
        const readings = pieces.flatMap(({ reading }) => (reading === undefined ? [] : [reading]))
        const plain = pieces.map(piece => piece.text).join('')
        expect(lookAlikes(plain).map(({ reading }) => reading)).toEqual(readings)
      }),
    )
  })

  test('show our own marks as code points', () => {
    expect(visibleValue('⟦40 spaces⟧ ␛').text).toBe('⟦U+27E6⟧40 spaces⟦U+27E7⟧ ⟦U+241B⟧')
  })

  test('contain nothing invisible, and every finding has its piece', () => {
    fc.assert(
      fc.property(hostile, value => {
        const { text, pieces, findings } = visibleValue(value)
        expect(text).not.toMatch(CONTROL)
        expect(text).not.toMatch(/\t/)
        expect(text).not.toMatch(BIDI_OR_INVISIBLE)
        for (const { what, count } of findings) {
          expect(pieces.filter(piece => piece.finding === what)).toHaveLength(count)
        }
      }),
      { numRuns: 2000 },
    )
  })
})
