import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type SessionInfo, waitFor } from './harness.js'
import { InsideHome } from './inside.js'

let home: InsideHome
beforeEach(() => {
  home = new InsideHome()
})
afterEach(() => home.close())

describe('a restart of the machine', () => {
  /** All processes of a machine that stops end at once. */
  async function stopMachine(): Promise<void> {
    const { daemons, keepers, others } = home.processes()
    for (const pid of [...daemons, ...keepers, ...others]) await home.kill(pid).catch(() => undefined)
  }

  it('offers interrupted sessions, and one command resumes every conversation once', async () => {
    const first = await home.startDemo(['--scenario', 'chat'])
    await home.ok(['send', first.id, 'remember the number 4711', '--wait', '--timeout', '60'])
    const second = await home.startDemo(['--scenario', 'chat'])
    await stopMachine()
    await home.ok(['sessions'])
    expect((await home.ok(['status'])).stdout).toContain(
      '2 sessions ran when the machine stopped; resume: signalbox resume --lost',
    )

    const resumed = await home.json<(SessionInfo & { resumedFrom: string })[]>(['resume', '--lost', '--json'])
    expect(resumed.map(({ resumedFrom }) => resumedFrom)).toEqual([first.id, second.id])
    await home.ok(['wait', resumed[0]!.id, '--for', 'idle', '--timeout', '240'])
    expect((await home.ok(['read', resumed[0]!.id, '--screen'])).stdout).toContain('4711')
    expect(await home.json(['resume', '--lost', '--json'])).toEqual([])
    expect((await home.ok(['status'])).stdout).not.toContain('--lost')
  })

  it('resumes the sessions itself if the settings enable it', async () => {
    await home.ok(['config', 'set', 'sessions.resume_lost', 'true'])
    const session = await home.startDemo(['--scenario', 'chat'])
    await home.ok(['send', session.id, 'remember the number 4711', '--wait', '--timeout', '60'])
    await stopMachine()
    const [resumed] = await waitFor('the session to be resumed', async () => {
      const live = await home.json<(SessionInfo & { resumedFrom: string })[]>(['sessions', '--json'])
      return live.length > 0 ? live : null
    })
    expect(resumed).toMatchObject({ resumedFrom: session.id })
    await home.ok(['wait', resumed!.id, '--for', 'idle', '--timeout', '240'])
    expect((await home.ok(['read', resumed!.id, '--screen'])).stdout).toContain('4711')
  })
})

describe('the backup and export of a home directory', () => {
  let used: InsideHome
  let session: SessionInfo

  beforeAll(async () => {
    used = new InsideHome()
    session = await used.startDemo(['--scenario', 'chat'])
    await used.ok(['send', session.id, 'hello', '--wait', '--timeout', '60'])
  })
  afterAll(() => used.close())

  it('a backup of working agents restores everything elsewhere, and replaces nothing', async () => {
    await used.ok(['config', 'set', 'terminal.size', '100x30'])
    const file = join(used.work, 'one.tar.gz')
    const made = await used.json<{ events: number; files: number }>(['backup', file, '--json'])
    expect(made.events).toBeGreaterThan(5)
    await used.ok(['backup', '--verify', file])

    const elsewhere = { env: { SIGNALBOX_HOME: join(used.directory, 'elsewhere') } }
    const restored = await used.json<{ events: number }>(['restore', file, '--json'], elsewhere)
    expect(restored.events).toBe(made.events)
    expect((await used.ok(['config', 'get', 'terminal.size'], elsewhere)).stdout.trim()).toBe('100x30')
    const listed = await used.json<SessionInfo[]>(['sessions', '--all', '--json'], elsewhere)
    expect(listed.map(({ id, state }) => [id, state])).toEqual([[session.id, 'lost']])
    const recording = join(used.directory, 'elsewhere', 'data', 'recordings', `${session.id}.cast`)
    const original = readFileSync(session.recording, 'utf8')
    expect(original.startsWith(readFileSync(recording, 'utf8'))).toBe(true)
    await used.ok(['serve', '--stop'], elsewhere)

    const again = await used.run(['restore', file], elsewhere)
    expect([again.code, again.stderr]).toEqual([6, expect.stringContaining('a restore replaces nothing')])
  })

  it('a damaged backup is refused before anything is written', async () => {
    const file = join(used.work, 'two.tar.gz')
    await used.ok(['backup', file])
    const bytes = readFileSync(file)
    bytes[Math.floor(bytes.length / 2)]! ^= 0xff
    writeFileSync(file, bytes)
    const target = join(used.directory, 'damaged')
    const refused = await used.run(['restore', file], { env: { SIGNALBOX_HOME: target } })
    expect(refused.code).toBe(6)
    expect(existsSync(join(target, 'data', 'signalbox.db'))).toBe(false)
    expect(readdirSync(join(target, 'data'))).toEqual([])
  })

  it('a backup replaces only an older backup, and only if it is asked to', async () => {
    const file = join(used.work, 'three.tar.gz')
    await used.ok(['backup', file])
    const refused = await used.run(['backup', file])
    expect([refused.code, refused.stderr]).toEqual([6, expect.stringContaining('exists already')])
    await used.ok(['backup', '--replace', file])

    const notes = join(used.work, 'notes.txt')
    writeFileSync(notes, 'precious')
    for (const args of [
      ['backup', notes],
      ['backup', '--replace', notes],
    ])
      expect((await used.run(args)).code, args.join(' ')).toBe(6)
    expect(readFileSync(notes, 'utf8')).toBe('precious')
    const places = [used.work, join(used.directory, 'missing', 'b.tar.gz')]
    for (const place of places)
      expect((await used.run(['backup', place])).stderr).toMatch(/is a directory|does not exist/)
    expect(readdirSync(used.directory)).not.toContain('missing')
  })

  it('export --all writes formats that need no Signalbox', async () => {
    const directory = join(used.work, 'all')
    await used.ok(['export', '--all', '-o', directory])
    const events = readFileSync(join(directory, 'events.ndjson'), 'utf8').trimEnd().split('\n')
    const types = events.map(line => (JSON.parse(line) as { type: string }).type)
    expect(types).toContain('message.final')
    expect(readFileSync(join(directory, 'sessions', `${session.id}.md`), 'utf8')).toContain('> hello')
    expect(readdirSync(join(directory, 'recordings'))).toEqual([`${session.id}.cast`])
    expect((await used.run(['export', '--all', '-o', directory])).code).toBe(2)
    const file = await used.run(['export', '--all', '-o', join(directory, 'README.txt')])
    expect([file.code, file.stderr]).toEqual([2, expect.stringContaining('is a file')])
    expect((await used.run(['export', '--all', session.id])).stderr).toContain('-o names the directory')

    // One session for a person without access: a page, and a recording that other players read.
    const share = (format: string, file: string) => used.run(['export', session.id, '--format', format, '-o', file])
    expect((await share('html', 'shared.html')).code).toBe(0)
    const page = readFileSync(join(used.work, 'shared.html'), 'utf8')
    expect(page).toContain('hello')
    expect(page).not.toContain('<script')
    expect((await share('html', 'shared.html')).stderr).toContain('exists already')
    expect((await share('asciicast', 'shared.cast')).code).toBe(0)
    const [head] = readFileSync(join(used.work, 'shared.cast'), 'utf8').split('\n')
    expect(JSON.parse(head!)).toMatchObject({ version: 2 })
  })
})

describe('a home directory without a store', () => {
  it('has no backup, and can be used afterwards', async () => {
    const env = { SIGNALBOX_HOME: join(home.directory, 'new') }
    const refused = await home.run(['backup', 'b.tar.gz'], { env })
    expect([refused.code, refused.stderr]).toEqual([6, expect.stringContaining('there is nothing to back up')])
    expect(readdirSync(home.work)).not.toContain('b.tar.gz')
    expect((await home.run(['runs'], { env })).code).toBe(0)
  })
})

describe('a service', () => {
  it('is created for systemd, enabled, reported and removed', async () => {
    const programs = join(home.directory, 'bin')
    const calls = join(home.directory, 'calls')
    mkdirSync(programs)
    writeFileSync(join(programs, 'systemctl'), `#!/bin/sh\necho "$@" >> ${calls}\n`, { mode: 0o755 })
    const env = { PATH: `${programs}:${process.env.PATH}`, XDG_CONFIG_HOME: join(home.directory, 'config') }
    const unit = join(home.directory, 'config', 'systemd', 'user', 'signalbox.service')

    expect((await home.ok(['service'], { env })).stdout).toContain('no service is installed')
    await home.ok(['service', 'install'], { env })
    expect(readFileSync(unit, 'utf8')).toContain(`Environment="SIGNALBOX_HOME=${home.home}"`)
    expect((await home.ok(['service', 'status'], { env })).stdout).toContain('running')
    await home.ok(['service', 'remove'], { env })
    expect(existsSync(unit)).toBe(false)
    expect(readFileSync(calls, 'utf8').trimEnd().split('\n')).toEqual([
      '--user show-environment',
      '--user daemon-reload',
      '--user enable signalbox.service',
      '--user restart signalbox.service',
      '--user is-active --quiet signalbox.service',
      '--user disable --now signalbox.service',
      '--user daemon-reload',
    ])
  })

  it('changes nothing where its manager does not answer', async () => {
    await home.ok(['runs'])
    await home.startDemo(['--scenario', 'chat'])
    const config = join(home.directory, 'config')
    const env = { PATH: join(home.directory, 'none'), XDG_CONFIG_HOME: config }
    const before = home.processes().daemons
    const result = await home.run(['service', 'install'], { env })
    expect([result.code, result.stderr]).toEqual([1, expect.stringContaining('systemd does not answer for your user')])
    expect(result.stderr).toContain('nothing was changed')
    expect(existsSync(config)).toBe(false)
    expect(home.processes().daemons).toEqual(before)
  })
})
