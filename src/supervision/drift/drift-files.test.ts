import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { DriftFiles, type DriftScreen } from './drift-files.js'

let data: string
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'signalbox-drift-'))
})
afterEach(() => rmSync(data, { recursive: true, force: true }))

const screen = (more: Partial<DriftScreen> = {}): DriftScreen => ({
  agent: 'claude',
  version: '9.0.0',
  pack: 'claude.toml',
  hash: 'abc',
  at: 5,
  reason: 'screen',
  cols: 80,
  rows: 24,
  view: 'unknown',
  rule: 'none',
  title: '',
  cursor: { x: 0, y: 0, visible: true },
  lines: ['', ' what is this'],
  ...more,
})

it('counts are added up, and each screen is kept once, readable only by its owner', () => {
  const files = new DriftFiles(data)
  files.add('claude', '9.0.0', { anchored: 5, structural: 1, unknown: 0, disagreements: 1 }, 100)
  files.add('claude', '9.0.0', { anchored: 1, structural: 0, unknown: 2, disagreements: 2 }, 200)
  expect([files.keep(screen()), files.keep(screen()), files.keep(screen({ hash: 'def' }))]).toEqual([true, false, true])
  expect(files.list()).toMatchObject([
    {
      agent: 'claude',
      version: '9.0.0',
      anchored: 6,
      structural: 1,
      disagreements: 3,
      unknown: 2,
      firstAt: 100,
      lastAt: 200,
      screens: [{ hash: 'abc', firstLine: 'what is this' }, { hash: 'def' }],
    },
  ])
  for (const name of readdirSync(join(data, 'drift/claude/9.0.0')))
    expect(statSync(join(data, 'drift/claude/9.0.0', name)).mode & 0o777).toBe(0o600)
})

it('drift files stay in their directory, whatever version a banner shows', () => {
  const files = new DriftFiles(data)
  files.keep(screen({ version: '../../../etc', agent: '..', hash: '../x' }))
  expect(readdirSync(data)).toEqual(['drift'])
  expect(files.list()).toMatchObject([{ agent: '_', version: '.._.._.._etc', screens: [{ hash: '../x' }] }])
})

it('at most 50 screens of a version are kept, and incomplete files are skipped', () => {
  const files = new DriftFiles(data)
  for (let n = 0; n < 70; n++) files.keep(screen({ hash: `h${n}` }))
  expect(files.list()[0]!.screens).toHaveLength(51)
  writeFileSync(join(data, 'drift/claude/9.0.0/h0.json'), '{"hash":')
  expect(files.list()[0]!.screens).toHaveLength(50)
})
