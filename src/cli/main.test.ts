import { expect, test } from 'vitest'
import { SignalboxError } from '../errors/index.js'
import { describeError } from './main.js'

test('an error is printed in one line with cause, place and next step', () => {
  const error = new SignalboxError('E_CONFIG', 'no such key', {
    place: { file: 'a.toml', line: 3, column: 7 },
    next: 'see docs',
  })
  expect(describeError(error, { isDebug: false })).toBe('signalbox: a.toml:3:7: no such key (see docs)')
  expect(describeError(error, { isDebug: false, columns: 22 })).toBe('signalbox: a.toml:3:7:\nno such key\n→ see docs')
  const nested = new SignalboxError('E_X', 'plain', { next: 'see docs (or ask)' })
  expect(describeError(nested, { isDebug: false })).toBe('signalbox: plain\n→ see docs (or ask)')
  expect(describeError(new SignalboxError('E_X', 'plain'), { isDebug: false })).toBe('signalbox: plain')
  expect(describeError(new SignalboxError('E_X', 'here', { place: { file: 'f' } }), { isDebug: false })).toBe(
    'signalbox: f: here',
  )
})

test('debug output contains the code, the stack and the cause', () => {
  const error = new SignalboxError('E_X', 'plain', { cause: new Error('deep') })
  const text = describeError(error, { isDebug: true })
  expect(text).toMatch(/^signalbox: plain\n\[E_X\] SignalboxError: plain\n/)
  expect(text).toContain('caused by Error: deep')
})
