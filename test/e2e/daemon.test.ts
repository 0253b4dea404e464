import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { firstRepository } from '../support/first-repository.js'
import { errorLines, isRunning, type SessionInfo, TestHome, waitFor } from './harness.js'
import { InsideHome } from './inside.js'

let home: TestHome
beforeEach(() => {
  home = new TestHome()
})
afterEach(() => home.close())

const commandOf = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8')
const mode = (path: string) => (lstatSync(path).mode & 0o777).toString(8)

describe('the daemon', () => {
  it('is started once, however many commands need it at the same time', async () => {
    const results = await Promise.all(Array.from({ length: 5 }, () => home.run(['sessions', '--json'])))
    for (const { code, stdout, stderr } of results) expect([code, stdout.trim(), stderr]).toEqual([0, '[]', ''])
    // The other daemons exit when they find the lock held.
    await waitFor(
      'only the daemon and the keeper to be left',
      () => home.processes().daemons.length === 1 && home.processes().others.length === 0,
    )
    const { daemons, keepers } = home.processes()
    expect(keepers).toHaveLength(1)
    expect(readFileSync(home.path('state', 'daemon.log'), 'utf8').split('listening on').length - 1).toBe(1)
    const second = await home.ok(['serve'])
    expect(second.stdout).toContain('/login#')
    const other = await home.run(['serve', '--port', '0'])
    expect([other.code, errorLines(other.stderr).length]).toEqual([1, 1])
    expect(home.daemon).toBe(daemons[0])
  })

  it('is replaced by the next daemon, which serves commands while the first one stops', async () => {
    await home.ok(['serve', '--background'])
    let isStopped = false
    const stopping = home.run(['serve', '--stop']).finally(() => {
      isStopped = true
    })
    const listUntilStopped = async () => {
      const runs = []
      do runs.push(await home.run(['sessions', '--json']))
      while (!isStopped)
      return runs
    }
    const listed = (await Promise.all([listUntilStopped(), listUntilStopped()])).flat()
    expect((await stopping).code).toBe(0)
    // A command may report that the daemon stopped during its request, but no other error.
    for (const { code, stderr } of listed) if (code !== 0) expect(stderr).toContain('run the command again')
    expect(await home.json(['sessions', '--json'])).toEqual([])
    // Daemons that did not get the lock need a moment to exit.
    await waitFor('one daemon', () => home.processes().daemons.length === 1)
  })

  it('lets a helper start its commands, which ends with it', async () => {
    firstRepository(home.work)
    await home.ok(['start', 'demo', '--worktree', '--json'])
    const helpers = () => home.processes().others.filter(pid => /^signalbox-commands/.test(commandOf(pid)))
    const [helper] = helpers()
    expect(helpers()).toEqual([helper])
    await home.kill(home.daemon)
    await waitFor('the helper to end', () => !isRunning(helper!))
  })

  it('replaces the socket file of a dead daemon', async () => {
    mkdirSync(home.path('run'), { recursive: true, mode: 0o700 })
    const dead = createServer()
    await new Promise<void>(resolve => dead.listen(home.path('run', 'stale'), resolve))
    execFileSync('ln', [home.path('run', 'stale'), home.path('run', 'signalbox.sock')])
    await new Promise(resolve => dead.close(resolve))
    expect(lstatSync(home.path('run', 'signalbox.sock')).isSocket()).toBe(true)
    expect(await home.json(['sessions', '--json'])).toEqual([])
  })
})

describe('a daemon with a session', () => {
  let used: InsideHome
  let session: SessionInfo
  beforeAll(async () => {
    used = new InsideHome()
    session = await used.startDemo(['--scenario', 'chat'])
  })
  afterAll(() => used.close())

  it('restricts its files to their owner: directories 0700, files and sockets 0600', async () => {
    const walk = (path: string): void => {
      const isDirectory = statSync(path).isDirectory()
      expect(mode(path), path).toBe(isDirectory ? '700' : '600')
      if (isDirectory) for (const name of readdirSync(path)) walk(join(path, name))
    }
    walk(used.home)
    expect(existsSync(used.path('run', 'signalbox.sock'))).toBe(true)
  })

  it('refuses requests that come from a web page', async () => {
    const answer = execFileSync(
      'curl',
      [
        '-s',
        '--unix-socket',
        used.path('run', 'signalbox.sock'),
        '-H',
        'Origin: http://evil.example',
        'http://x/api/v1/sessions',
      ],
      { encoding: 'utf8' },
    )
    expect(JSON.parse(answer)).toMatchObject({ error: { code: 'E_ORIGIN' } })
  })

  it('stops on serve --stop; its sessions survive, and the next command finds them', async () => {
    const first = used.daemon
    expect((await used.ok(['serve', '--stop'])).stdout).toContain('Your agents keep running.')
    expect(isRunning(first)).toBe(false)
    expect(used.processes().daemons).toEqual([])
    expect((await used.ok(['serve', '--stop'])).stdout).toContain('the daemon is not running')
    expect((await used.ok([])).stdout).toContain('Nothing needs you.')
    expect(used.processes().daemons).toEqual([])
    const { stdout } = await used.ok(['send', session.id, 'still there?', '--wait', '--timeout', '60'])
    expect(stdout).toContain('still')
    expect(isRunning(session.pid)).toBe(true)
    const health = await used.json<{ pid: number }>(['serve', '--background', '--json'])
    expect(health.pid).toBe(used.daemon)
  })
})
