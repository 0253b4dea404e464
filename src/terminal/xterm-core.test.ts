import { expect, test } from 'vitest'
import { bytes } from './testing/drive.js'
import { coreOf, isBetweenSequences, openTerminal } from './xterm-core.js'

test('the installed xterm.js has every private part that we use, and parses synchronously', () => {
  const core = coreOf(openTerminal({ cols: 10, rows: 3, scrollback: 5 }))
  core._inputHandler.parse(bytes('now'))
  expect(core.buffers.active.lines.get(0)!.translateToString(true)).toBe('now')
  core._inputHandler.parse(bytes('\x1b[3'))
  expect(isBetweenSequences(core)).toBe(false)
})

test('a release of xterm.js without one of these parts is refused with the name of the part', () => {
  const terminal = openTerminal({ cols: 10, rows: 3, scrollback: 5 })
  const core = coreOf(terminal)
  Object.defineProperty(core._inputHandler, 'parse', { value: undefined })
  expect(() => coreOf(terminal)).toThrow('_inputHandler.parse')
})
