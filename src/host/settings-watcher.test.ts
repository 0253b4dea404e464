import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SimulatedClock } from '../clock/index.js'
import { SettingsFiles } from './settings-files.js'
import { SettingsWatcher } from './settings-watcher.js'

let directory: string
let file: string
let changes: { source: string; keys: string[] }[]
let files: SettingsFiles
let watcher: SettingsWatcher

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-settings-'))
  file = join(directory, 'config.toml')
  changes = []
  files = new SettingsFiles(file)
  watcher = new SettingsWatcher({
    files,
    clock: new SimulatedClock(0),
    projects: async () => [directory],
    onChanged: change => changes.push(change as never),
    onError: error => {
      throw error
    },
  })
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const write = (text: string, path = file) => writeFileSync(path, text, { mode: 0o600 })

test('a changed setting is reported by its key and changes the hash; a changed comment does not', async () => {
  write('[approvals]\ngrant_uses = 5\n')
  await watcher.check()
  const before = files.hashOf(directory)
  write('# a comment that makes the file longer\n[approvals]\ngrant_uses = 5\n')
  await watcher.check()
  expect([files.hashOf(directory), changes]).toEqual([before, []])
  write('[approvals]\ngrant_uses = 15\n')
  await watcher.check()
  expect(changes).toEqual([{ source: file, keys: ['approvals.grant_uses'] }])
  expect(files.hashOf(directory)).not.toBe(before)
})

test('the settings of a project apply only to that project', async () => {
  await watcher.check()
  const elsewhere = files.hashOf('/nowhere')
  const before = files.hashOf(directory)
  write('[approvals]\ngrant_uses = 3\n', join(directory, '.signalbox.toml'))
  await watcher.check()
  expect(changes).toEqual([{ source: join(directory, '.signalbox.toml'), keys: ['approvals.grant_uses'] }])
  expect(files.hashOf(directory)).not.toBe(before)
  expect(files.hashOf('/nowhere')).toBe(elsewhere)
})

test('a file that cannot be read changes the hash', () => {
  write('[approvals]\ngrant_uses = 5\n')
  const before = files.hashOf(directory)
  write('[approvals\n')
  expect(files.hashOf(directory)).not.toBe(before)
})
