import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { editingOf, editSettings, type SettingValue } from './edit-settings.js'

let directory: string
let file: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-settings-'))
  file = join(directory, 'config.toml')
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const edit = (changes: Record<string, SettingValue>, isAtTerminal = false) =>
  editSettings(file, changes, { version: null, isAtTerminal })

describe('settings on the dashboard', () => {
  test('can be changed if that is safe or stricter; other changes need the terminal', () => {
    expect([editingOf('notify.done'), editingOf('approvals.step_up'), editingOf('server.bind')]).toEqual([
      'free',
      'tighten',
      'terminal',
    ])
    edit({ 'notify.next_s': 60 })
    edit({ 'approvals.step_up': 'on', 'approvals.decide_from': ['cli', 'web'], 'sandbox.use': 'auto' })
    expect(readFileSync(file, 'utf8')).toContain('step_up = "on"')
    expect(() => edit({ 'server.public': true })).toThrow('cannot be changed from the dashboard')
  })

  test.each([
    ['approvals.step_up', 'off'],
    ['approvals.step_up', null],
    ['approvals.decide_from', ['cli', 'web', 'telegram']],
    ['approvals.decide_from', null],
    ['sandbox.use', 'off'],
    ['sandbox.network', 'on'],
    ['telegram.group_detail', true],
  ] as const)('cannot loosen %s to %s, which the terminal can', (key, value) => {
    const before =
      '[approvals]\nstep_up = "on"\ndecide_from = ["cli", "web"]\n\n[sandbox]\nuse = "auto"\nnetwork = "filtered"\n'
    writeFileSync(file, before, { mode: 0o600 })
    expect(() => edit({ [key]: value as SettingValue })).toThrow('not looser')
    expect(readFileSync(file, 'utf8')).toBe(before)
    edit({ [key]: value as SettingValue }, true)
    expect(readFileSync(file, 'utf8')).not.toBe(before)
  })
})
