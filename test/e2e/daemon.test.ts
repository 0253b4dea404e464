import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { errorLines, isRunning, TestHome, waitFor } from './harness.js'

let home: TestHome
beforeEach(() => {
  home = new TestHome()
})
afterEach(() => home.close())

const mode = (path: string) => (lstatSync(path).mode & 0o777).toString(8)

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

describe('the daemon', () => {
  it('starts by itself, once, however many commands need it at once', async () => {
    const results = await Promise.all(Array.from({ length: 10 }, () => home.run(['sessions', '--json'])))
    for (const { code, stdout, stderr } of results) expect([code, stdout.trim(), stderr]).toEqual([0, '[]', ''])
    // Those that came second give up as soon as they find the lock taken.
    await waitFor(
      'only the daemon and the keeper to be left',
      () => home.processes().daemons.length === 1 && home.processes().others.length === 0,
    )
    const { daemons, keepers } = home.processes()
    expect(keepers).toHaveLength(1)
    expect(readFileSync(home.path('state', 'daemon.log'), 'utf8').split('listening on').length - 1).toBe(1)
    const second = await home.run(['serve'])
    expect([second.code, errorLines(second.stderr).length]).toEqual([1, 1])
    expect(home.daemon).toBe(daemons[0])
  })

  it('keeps everything to its owner: directories 0700, files and sockets 0600', async () => {
    await home.startDemo()
    const walk = (path: string): void => {
      const isDirectory = statSync(path).isDirectory()
      expect(mode(path), path).toBe(isDirectory ? '700' : '600')
      if (isDirectory) for (const name of readdirSync(path)) walk(join(path, name))
    }
    walk(home.home)
    expect(existsSync(home.path('run', 'signalbox.sock'))).toBe(true)
  })

  it('stops when it is told to, sessions live on, and the next command finds them', async () => {
    const session = await home.startDemo(['--scenario', 'chat'])
    const first = home.daemon
    expect((await home.ok(['serve', '--stop'])).stdout).toContain('Your agents keep running.')
    expect(isRunning(first)).toBe(false)
    expect(home.processes().daemons).toEqual([])
    expect((await home.ok(['serve', '--stop'])).stdout).toContain('the daemon is not running')
    expect((await home.ok([])).stdout).toContain('Nothing needs you.')
    expect(home.processes().daemons).toEqual([])
    const { stdout } = await home.ok(['send', session.id, 'still there?', '--wait', '--timeout', '60'])
    expect(stdout).toContain('still')
    expect(isRunning(session.pid)).toBe(true)
    const health = await home.json<{ pid: number }>(['serve', '--background', '--json'])
    expect(health.pid).toBe(home.daemon)
  })

  it('commands that come while it stops are served by the next one', async () => {
    await home.ok(['serve', '--background'])
    const [stopped, ...listed] = await Promise.all([
      home.run(['serve', '--stop']),
      ...Array.from({ length: 3 }, (_, index) => pause(150 + index * 60).then(() => home.run(['sessions', '--json']))),
    ])
    expect(stopped?.code).toBe(0)
    // One that was in the middle of a request may be told that the daemon went away; none may hang or fail otherwise.
    for (const { code, stderr } of listed) if (code !== 0) expect(stderr).toContain('run the command again')
    expect(await home.json(['sessions', '--json'])).toEqual([])
    // Those that lost the race for the lock may take a moment to leave.
    await waitFor('one daemon', () => home.processes().daemons.length === 1)
  })

  it('takes the place of a socket file that a dead daemon left', async () => {
    mkdirSync(home.path('run'), { recursive: true, mode: 0o700 })
    const dead = createServer()
    await new Promise<void>(resolve => dead.listen(home.path('run', 'stale'), resolve))
    execFileSync('ln', [home.path('run', 'stale'), home.path('run', 'signalbox.sock')])
    await new Promise(resolve => dead.close(resolve))
    expect(lstatSync(home.path('run', 'signalbox.sock')).isSocket()).toBe(true)
    expect(await home.json(['sessions', '--json'])).toEqual([])
  })

  it('refuses requests that come from a web page', async () => {
    await home.ok(['serve', '--background'])
    const answer = execFileSync(
      'curl',
      [
        '-s',
        '--unix-socket',
        home.path('run', 'signalbox.sock'),
        '-H',
        'Origin: http://evil.example',
        'http://x/api/v1/sessions',
      ],
      { encoding: 'utf8' },
    )
    expect(JSON.parse(answer)).toMatchObject({ error: { code: 'E_ORIGIN' } })
  })
})
