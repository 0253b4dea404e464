import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SimulatedClock } from '../clock/index.js'
import { SettingsWatch } from './settings-watch.js'

let directory: string
let file: string
let changes: { source: string; keys: string[] }[]
let watch: SettingsWatch

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-settings-'))
  file = join(directory, 'config.toml')
  changes = []
  watch = new SettingsWatch({
    file,
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

test('a setting that changes is told by its key, and gives another mark; a comment is none', async () => {
  write('[approvals]\ngrant_uses = 5\n')
  await watch.look()
  const before = watch.markOf(directory)
  write('# a comment that makes the file longer\n[approvals]\ngrant_uses = 5\n')
  await watch.look()
  expect([watch.markOf(directory), changes]).toEqual([before, []])
  write('[approvals]\ngrant_uses = 15\n')
  await watch.look()
  expect(changes).toEqual([{ source: file, keys: ['approvals.grant_uses'] }])
  expect(watch.markOf(directory)).not.toBe(before)
})

test('a project’s own settings count for that project', async () => {
  await watch.look()
  const elsewhere = watch.markOf('/nowhere')
  const before = watch.markOf(directory)
  write('[approvals]\ngrant_uses = 3\n', join(directory, '.signalbox.toml'))
  await watch.look()
  expect(changes).toEqual([{ source: join(directory, '.signalbox.toml'), keys: ['approvals.grant_uses'] }])
  expect(watch.markOf(directory)).not.toBe(before)
  expect(watch.markOf('/nowhere')).toBe(elsewhere)
})

test('a file that cannot be read is another one than any that can', async () => {
  write('[approvals]\ngrant_uses = 5\n')
  const before = watch.markOf(directory)
  write('[approvals\n')
  expect(watch.markOf(directory)).not.toBe(before)
})
