import { expect, test } from 'vitest'
import { displayWidth, stripAnsi } from '../../text/index.js'
import { drawStatus, hintText, statusText } from './attach.js'

const KEYS = { isViewOnly: false, detach: 'ctrl-]', take: 'ctrl-t' }

test('only terminals that watch show who types and how to take over', () => {
  expect(statusText({ holder: 'person', isYours: true, name: 'ann' }, KEYS)).toBeNull()
  expect(statusText({ holder: 'person', isYours: false, name: 'ann' }, KEYS)).toMatch(
    /ann is typing · ctrl-t takes over/,
  )
  expect(statusText({ holder: 'person', isYours: false, name: 'ann' }, { ...KEYS, isViewOnly: true })).not.toContain(
    'takes over',
  )
  expect(statusText({ holder: 'signalbox', isYours: false }, KEYS)).toContain('Signalbox is typing')
})

test('a name in the status line contains no escape sequences', () => {
  const text = statusText({ holder: 'person', isYours: false, name: 'a\u001b[2Jb' }, KEYS)!
  expect(text).not.toContain('\u001b')
})

test('the status line fits into a row of a narrow terminal, and restores the cursor', () => {
  const drawn = drawStatus(' watching · 漢字 types · and more words than fit ', { cols: 14, rows: 7 })
  expect(drawn).toMatch(/^\u001b7\u001b\[7;1H.*\u001b8$/s)
  expect(displayWidth(stripAnsi(drawn.slice(2, -2)))).toBeLessThanOrEqual(14)
})

test('the hint of an attached terminal names the key that detaches it', () => {
  expect(hintText('ctrl-]')).toBe(' ctrl-] detaches; the agent keeps running ')
})
