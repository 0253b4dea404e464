import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { firstRepository } from '../support/first-repository.js'
import { InsideHome } from './inside.js'

/** With a daemon that all tests share, except those of the settings. */
let shared: InsideHome
let home: InsideHome
beforeAll(() => {
  shared = new InsideHome()
})
beforeEach(() => {
  home = shared
})
afterEach(() => (home === shared ? home.clear() : home.close()))
afterAll(() => shared.close())

const startSleep = () => home.json<{ id: string; number: number }>(['new', '--json', '--', 'sleep', '600'])

describe('sessions', () => {
  it('are listed by ls, and renamed', async () => {
    const { id, number } = await startSleep()
    await home.ok(['rename', String(number), 'fix', 'the', 'login'])
    expect(await home.json(['ls', '--json'])).toMatchObject([{ id, label: 'fix the login' }])
  })

  it('show uncommitted changes without files that hold credentials', async () => {
    firstRepository(home.work, { 'a.txt': 'one\n' })
    const { id } = await startSleep()
    expect((await home.ok(['diff', id])).stderr).toContain('no changes')
    writeFileSync(join(home.work, 'a.txt'), 'two\n')
    writeFileSync(join(home.work, 'new.txt'), 'new\n')
    writeFileSync(join(home.work, '.env'), 'KEY=canary\n')
    const { stdout, stderr } = await home.ok(['diff', id])
    expect(stdout).toContain('-one\n+two')
    expect(stdout).toContain('+new')
    expect(stderr).toContain('.env')
    expect(stdout + stderr).not.toContain('canary')
  })

  it('have no diff outside a repository', async () => {
    const { id } = await startSleep()
    const { code, stderr } = await home.run(['diff', id])
    expect([code, stderr]).toEqual([1, expect.stringContaining('not in a git repository')])
  })
})

describe('the dashboard', () => {
  it('keeps its address over restarts, and gets another one while its port is taken', async () => {
    const address = async () => (await home.json<{ address: string }>(['open', '--json'])).address
    const first = await address()
    await home.ok(['serve', '--stop'])
    expect(await address()).toBe(first)
    await home.ok(['serve', '--stop'])
    const { createServer } = await import('node:net')
    const other = createServer().listen(Number(new URL(first).port), '127.0.0.1')
    await new Promise(resolve => other.once('listening', resolve))
    try {
      expect(await address()).not.toBe(first)
    } finally {
      other.close()
    }
  })

  it('is opened in the browser where there is a display; otherwise its link is printed', async () => {
    const bin = join(home.directory, 'browser')
    mkdirSync(bin)
    const opened = join(home.directory, 'opened')
    for (const name of ['xdg-open', 'open'])
      writeFileSync(join(bin, name), `#!/bin/sh\nprintf %s "$1" > '${opened}'\n`, { mode: 0o755 })
    const env = { PATH: `${bin}:${process.env.PATH}`, DISPLAY: ':1' }
    expect((await home.ok(['open'], { env })).stdout).toMatch(/^opened http:/)
    await expect.poll(() => readFileSync(opened, 'utf8')).toContain('/login#')
    expect((await home.ok(['open', '--print'], { env })).stdout).toMatch(/^http:.*\/login#/)
  })
})

describe('settings', () => {
  beforeEach(() => {
    home = new InsideHome()
  })

  it('are read and changed one by one; comments stay', async () => {
    const file = home.path('config', 'config.toml')
    mkdirSync(home.path('config'), { recursive: true, mode: 0o700 })
    writeFileSync(file, '# mine\n[terminal]\nsize = "100x30" # wide\n', { mode: 0o600 })
    expect((await home.ok(['config', 'get', 'terminal.size'])).stdout).toBe('100x30\n')
    await home.ok(['config', 'set', 'terminal.size', '120x40'])
    expect((await home.ok(['config', 'get', 'terminal.size'])).stdout).toBe('120x40\n')
    await home.ok(['config', 'set', 'sessions.max_total', '7'])
    expect(await home.json(['config', 'get', 'sessions.max_total', '--json'])).toBe(7)
    expect(await home.json(['config', 'show', 'terminal', '--json'])).toMatchObject({ 'terminal.size': '120x40' })
    expect(readFileSync(file, 'utf8')).toContain('# mine')
    await home.ok(['config', 'set', 'sessions.max_total'])
    expect(await home.json(['config', 'get', 'sessions.max_total', '--json'])).not.toBe(7)
  })

  it('wrong or unknown settings change nothing', async () => {
    for (const [args, message] of [
      [['set', 'sessions.max_total', 'many'], 'signalbox: `sessions.max_total` must be'],
      [['set', 'sessions.max_totl', '3'], 'did you mean "sessions.max_total"?'],
      [['set'], 'no setting was given'],
      [['frob'], 'unknown action'],
    ] as const) {
      const { code, stderr } = await home.run(['config', ...args])
      expect([code === 0, stderr], args.join(' ')).toEqual([false, expect.stringContaining(message)])
    }
    expect(await home.json(['config', 'show', 'sessions.max_total', '--origin', '--json'])).toMatchObject({
      'sessions.max_total': { origin: { source: 'default' } },
    })
  })

  it('are edited in the editor; a mistake is reported with its place', async () => {
    const editor = join(home.directory, 'editor')
    writeFileSync(editor, '#!/bin/sh\nprintf "[terminal]\\nsize = 3\\n" > "$1"\n', { mode: 0o755 })
    const { code, stderr } = await home.run(['config', 'edit'], { env: { EDITOR: editor, VISUAL: '' } })
    expect([code, stderr]).toEqual([6, expect.stringContaining('terminal.size')])
  })

  it('are not changed by an agent', async () => {
    const { code, stderr } = await home.run(['config', 'set', 'sessions.max_total', '7'], {
      env: { SIGNALBOX_SESSION: 'ses_1' },
    })
    expect([code === 0, stderr]).toEqual([false, expect.stringContaining('an agent cannot change settings')])
  })
})

describe('standing approvals', () => {
  it('are previewed, created by pattern, listed and revoked; a too wide pattern is refused', async () => {
    const refused = await home.run(['grants', 'add', 'npm', '--yes'])
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('would allow every command')])
    expect((await home.run(['grants', 'add', 'npm test'])).code).toBe(4)
    expect(await home.json(['grants', 'add', 'npm test', '--preview', '--json'])).toMatchObject({ count: 0, denied: 0 })
    const made = await home.json<{ id: string }>(['grants', 'add', 'npm test', '--yes', '--json'])
    expect(made).toMatchObject({ standing: true, project: home.work, match: { words: ['npm', 'test'] } })
    expect((await home.ok(['grants'])).stdout).toMatch(
      /standing, 0 uses so far\n.*begin with npm test · every agent in/,
    )
    await home.ok(['grants', 'revoke', made.id])
    expect(await home.json(['grants', '--json'])).toMatchObject({ items: [] })
    // A process of its own: the daemon reads the environment of the caller from the kernel.
    const env = { SIGNALBOX_SESSION: 'ses_x' }
    const inside = await home.finish(home.start(['grants', 'add', 'npm test', '--yes'], { env }))
    expect(inside.stderr).toContain('an agent may not do this')
  })
})

describe('adopt', () => {
  it('continues a conversation of Claude Code from the disk, once', async () => {
    const id = '01665219-c2b9-4318-9abe-fe3788a45c6c'
    const env = { HOME: join(home.directory, 'person'), PATH: `${join(home.directory, 'bin')}:${home.env.PATH}` }
    mkdirSync(join(env.HOME, '.claude', 'projects', 'x'), { recursive: true })
    mkdirSync(join(home.directory, 'bin'))
    writeFileSync(join(home.directory, 'bin', 'claude'), '#!/bin/sh\nexec sleep 600\n', { mode: 0o755 })
    const record = { type: 'user', cwd: home.work, message: { content: 'Fix the cart' } }
    writeFileSync(join(env.HOME, '.claude', 'projects', 'x', `${id}.jsonl`), `${JSON.stringify(record)}\n`)
    expect((await home.ok(['adopt'], { env })).stdout).toMatch(/^01665219-c2b9 +claude .*Fix the cart/)
    const session = await home.json<{ number: number }>(['adopt', '0166', '--json'], { env })
    expect(session).toMatchObject({ agent: 'claude', agentSessionId: id, cwd: home.work, label: 'Fix the cart' })
    const again = await home.run(['adopt', '0166'], { env })
    expect(again.stderr).toContain(`is running as session ${session.number}`)
  })
})
