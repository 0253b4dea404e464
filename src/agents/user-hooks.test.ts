import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { loadAgent } from './index.js'
import { applyHooks, changeLines, planHooks } from './user-hooks.js'

const hooks = (await loadAgent('claude')).hooks!.user!

const directory = mkdtempSync(join(tmpdir(), 'signalbox-user-hooks-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

function setUp(content?: string) {
  const home = mkdtempSync(join(directory, 'home-'))
  const file = join(home, '.claude', 'settings.json')
  mkdirSync(join(home, '.claude'))
  if (content !== undefined) writeFileSync(file, content)
  const backupDirectory = join(home, 'backup')
  const options = { env: { HOME: home }, relay: ['/usr/bin/node', "/opt/it's/cli.js"], backupDirectory }
  const does = (action: 'install' | 'remove') => {
    const change = planHooks('claude', hooks, { ...options, action })
    applyHooks(change, { agent: 'claude', action, backupDirectory })
    return change
  }
  return { file, does, plan: (action: 'install' | 'remove') => planHooks('claude', hooks, { ...options, action }) }
}

const OWN =
  '{\n    "model": "x",\n    "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}], "PreCompact": []},\n    "z": [1,2]\n}'

describe('hooks in an agent’s settings file', () => {
  it.each([
    ['no file', undefined],
    ['an empty table', '{}'],
    ['hooks of the person, in another format', OWN],
    ['tabs and no last line break', '{\n\t"a": 1\n}'],
  ])('are removed without changes to the rest: %s', (_, content) => {
    const { file, does, plan } = setUp(content)
    does('install')
    expect(plan('install')).toMatchObject({ installed: plan('install').wanted })
    expect(plan('install').before).toBe(plan('install').after)
    does('remove')
    if (content === undefined) expect(() => statSync(file)).toThrow()
    else expect(readFileSync(file, 'utf8')).toBe(content)
  })

  it('leave everything else in the file unchanged, including later additions', () => {
    const { file, does } = setUp(OWN)
    does('install')
    const settings = JSON.parse(readFileSync(file, 'utf8'))
    expect(settings).toMatchObject({ model: 'x', z: [1, 2] })
    expect(settings.hooks.Stop[0].hooks[0].command).toBe('say done')
    expect(settings.hooks.Stop[1].hooks[0].command).toContain("'/opt/it'\\''s/cli.js' hook claude Stop")
    writeFileSync(file, JSON.stringify({ ...settings, later: true }, null, 2))
    does('remove')
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ ...JSON.parse(OWN), later: true })
  })

  it('are not written into an invalid file, nor over a concurrent change', () => {
    const broken = setUp('{ // comment\n}')
    expect(() => broken.plan('install')).toThrow(/not plain JSON/)
    const raced = setUp('{}')
    const change = raced.plan('install')
    writeFileSync(raced.file, '{"a":1}')
    expect(() => applyHooks(change, { agent: 'claude', action: 'install', backupDirectory: '/tmp' })).toThrow(
      /has changed in the meantime/,
    )
  })

  it('keep the file’s mode', () => {
    const { file, does } = setUp('{}')
    chmodSync(file, 0o640)
    does('install')
    expect(statSync(file).mode & 0o777).toBe(0o640)
  })

  it('show removed and added lines', () => {
    expect(changeLines('a\nb\nc\n', 'a\nx\nc\n').map(({ sign, text }) => sign + text)).toEqual([' a', '-b', '+x', ' c'])
  })
})
