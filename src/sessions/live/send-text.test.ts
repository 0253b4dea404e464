import { describe, expect, test } from 'vitest'
import { parsePack } from '../../screen/index.js'
import { squash } from '../compare-text.js'
import { type TextMeaning, typingOf } from './send-text.js'

const packOf = (mode: string) =>
  parsePack(`pack = 1\nagent = "demo"\ninput = { mode = "${mode}", pace_ms = 2 }\n`, 'test.toml')

function way(text: string, mode: string, { isBracketedPaste = true, meaning = 'auto' as TextMeaning } = {}) {
  return typingOf(text, { pack: packOf(mode), isBracketedPaste, meaning })?.way
}

describe('how a text gets into the box', () => {
  test('short text as the pack says', () => {
    expect([way('do it', 'bulk'), way('do it', 'typed'), way('do it', 'paste')]).toEqual(['bulk', 'typed', 'paste'])
  })

  test('a program that takes every ? for a key while it lags behind is never typed a prompt, only its commands', () => {
    expect(way('Do you remember ?', 'paste')).toBe('paste')
    expect(way('/model', 'paste')).toBe('typed')
    expect(way('/model', 'paste', { meaning: 'text' })).toBe('paste')
  })

  test('nothing is pasted into a program that did not ask for it', () => {
    expect(way('Do you remember ?', 'paste', { isBracketedPaste: false })).toBe('typed')
  })

  test('marks, tabs and lines are pasted whatever the pack says', () => {
    expect(['# a heading', 'a\tb', 'a\nb'].map(text => way(text, 'typed'))).toEqual(['paste', 'paste', 'paste'])
  })
})

test('what has no width is no part of a text: some boxes draw it under their cursor', () => {
  expect(squash('about the PARTS \u200b\u2060')).toBe('aboutthePARTS')
})
