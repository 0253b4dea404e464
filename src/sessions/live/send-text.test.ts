import { describe, expect, test } from 'vitest'
import { parsePack } from '../../screen/index.js'
import { comparableText } from '../compare-text.js'
import { type TextMeaning, typingOf } from './send-text.js'

const packOf = (mode: string) =>
  parsePack(`pack = 1\nagent = "demo"\ninput = { mode = "${mode}", pace_ms = 2 }\n`, 'test.toml')

function way(text: string, mode: string, { isBracketedPaste = true, meaning = 'auto' as TextMeaning } = {}) {
  return typingOf(text, { pack: packOf(mode), isBracketedPaste, meaning })?.way
}

describe('typing or pasting text into the input box', () => {
  test('short text is typed in the input mode of the pack', () => {
    expect([way('do it', 'bulk'), way('do it', 'typed'), way('do it', 'paste')]).toEqual(['bulk', 'typed', 'paste'])
  })

  test('a program with input mode "paste" gets prompts pasted and commands typed', () => {
    expect(way('Do you remember ?', 'paste')).toBe('paste')
    expect(way('/model', 'paste')).toBe('typed')
    expect(way('/model', 'paste', { meaning: 'text' })).toBe('paste')
  })

  test('nothing is pasted without bracketed paste mode', () => {
    expect(way('Do you remember ?', 'paste', { isBracketedPaste: false })).toBe('typed')
  })

  test('marks, tabs, line breaks and characters of several parts are always pasted', () => {
    const texts = ['# a heading', 'a\tb', 'a\nb', 'e\u0301', '\u{1f469}\u200d\u{1f4bb}']
    expect(texts.map(text => way(text, 'typed'))).toEqual(texts.map(() => 'paste'))
    expect(way('Gr\u00fc\u00dfe', 'typed')).toBe('typed')
  })
})

test('a text loses its zero-width characters, which some boxes draw under the cursor', () => {
  expect(comparableText('about the PARTS \u200b\u2060')).toBe('aboutthePARTS')
})
