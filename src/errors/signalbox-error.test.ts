import { expect, test } from 'vitest'
import { EXIT, exitCodeOf, SignalboxError, toSignalboxError } from './index.js'

test('the exit code follows from the error code; other errors have the general failure code', () => {
  expect(exitCodeOf(new SignalboxError('E_INPUT', 'x'))).toBe(EXIT.usage)
  expect(exitCodeOf(new SignalboxError('E_ROLE', 'x'))).toBe(EXIT.rejected)
  expect(exitCodeOf(new SignalboxError('E_NEEDS_HUMAN', 'x'))).toBe(EXIT.needsHuman)
  expect(exitCodeOf(new SignalboxError('E_TIMEOUT', 'x'))).toBe(EXIT.timeout)
  expect(exitCodeOf(new SignalboxError('E_CONFIG', 'x'))).toBe(EXIT.config)
  expect(exitCodeOf(new SignalboxError('E_AGENT_MISSING', 'x'))).toBe(EXIT.programMissing)
  expect(exitCodeOf(new SignalboxError('E_PROGRAM_MISSING', 'x'))).toBe(EXIT.programMissing)
  expect(exitCodeOf(new SignalboxError('E_NOT_SIGNED_IN', 'x'))).toBe(EXIT.programMissing)
  expect(exitCodeOf(new SignalboxError('E_SOMETHING_NEW', 'x'))).toBe(EXIT.failed)
  expect(exitCodeOf(new Error('x'))).toBe(EXIT.failed)
  expect(exitCodeOf(undefined)).toBe(EXIT.failed)
})

test('wrapping keeps a SignalboxError, and the cause of other errors', () => {
  const own = new SignalboxError('E_INPUT', 'x')
  expect(toSignalboxError(own, 'E_OTHER')).toBe(own)
  const cause = new TypeError('bad')
  expect(toSignalboxError(cause)).toMatchObject({ code: 'E_INTERNAL', message: 'bad', cause })
  expect(toSignalboxError('just text', 'E_OTHER')).toMatchObject({ code: 'E_OTHER', message: 'just text' })
})
