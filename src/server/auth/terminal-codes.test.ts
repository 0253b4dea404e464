import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { SimulatedClock } from '../../clock/index.js'
import { TerminalCodes } from './terminal-codes.js'

/** A file has everything of a terminal that a code needs: it can be written to. */
let directory: string
let path: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-codes-'))
  path = join(directory, 'tty')
  writeFileSync(path, '')
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

it('says what is confirmed before it shows the code, which works once', () => {
  const codes = new TerminalCodes(new SimulatedClock())
  const terminals = [{ path, client: process.pid }]
  expect(codes.show(1, terminals)).toBe(false)
  codes.refused(1, { key: 'approvals.decide apr_1', text: 'decide: Demo wants to run a command' })
  expect(codes.show(1, terminals)).toBe(true)
  const shown = readFileSync(path, 'utf8')
  const [, code] = /To confirm this, type (\d{6})/.exec(shown) ?? []
  expect(shown.indexOf('decide: Demo wants to run a command')).toBeGreaterThan(0)
  expect(shown.indexOf('decide: Demo wants to run a command')).toBeLessThan(shown.indexOf(code!))
  expect(codes.redeem(1, code!)?.key).toBe('approvals.decide apr_1')
  expect(codes.redeem(1, code!)).toBeNull()
})
