import { type ChildProcess, execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { PaneInfo } from '../../src/host/index.js'
import { CLI, TestHome, waitFor } from './harness.js'
import { hasTmux } from './tmux.js'

/** tmux servers of a test's own, in a directory of its own. */
class Tmux {
  readonly directory: string
  readonly env: Record<string, string>

  constructor(home: TestHome) {
    this.directory = join(home.directory, 'tmux')
    mkdirSync(this.directory, { recursive: true })
    this.env = { TMUX_TMPDIR: this.directory, TMUX: '', TMUX_PANE: '' }
    this.#base = { ...home.env, TMUX_TMPDIR: this.directory }
  }

  readonly #base: Record<string, string>

  run(...args: string[]): string {
    return execFileSync('tmux', ['-f', '/dev/null', ...args], { env: this.#base, encoding: 'utf8' }).trim()
  }

  shell(...args: string[]): string {
    return this.run(...args, 'env', 'PS1=$ ', 'bash', '--norc', '--noprofile')
  }

  start(name = 'main', ...server: string[]): void {
    this.shell(...server, 'new-session', '-d', '-s', name, '-x', '100', '-y', '30')
  }

  type(target: string, line: string): void {
    this.run('send-keys', '-t', target, '-l', '--', line)
    this.run('send-keys', '-t', target, 'Enter')
  }
}

/** `signalbox watch --json`, as a program reads it. */
class Watch {
  readonly panes = new Map<string, PaneInfo>()
  readonly changes: { type: string; pane: PaneInfo }[] = []
  isListed = false
  #rest = ''

  constructor(child: ChildProcess) {
    child.stdout!.on('data', chunk => {
      this.#rest += String(chunk)
      const lines = this.#rest.split('\n')
      this.#rest = lines.pop()!
      for (const line of lines) this.#take(JSON.parse(line))
    })
  }

  at(place: string): PaneInfo | undefined {
    return [...this.panes.values()].find(pane => pane.place === place)
  }

  wait(place: string, ...statuses: string[]): Promise<PaneInfo> {
    return waitFor(`${place} to be ${statuses.join(' or ')}`, () => {
      const pane = this.at(place)
      return pane && statuses.includes(pane.status) && pane.why.authority !== 'none' ? pane : null
    })
  }

  #take(line: { type: string; pane: PaneInfo }): void {
    if (line.type === 'listed') this.isListed = true
    if (line.type === 'pane') this.panes.set(line.pane.id, line.pane)
    if (line.type === 'gone') this.panes.delete(line.pane.id)
    if (line.type === 'pane' || line.type === 'gone') this.changes.push(line)
  }
}

if (!hasTmux) console.warn('tmux is not installed: the tests of panes in tmux are skipped')

describe.skipIf(!hasTmux)('watch', () => {
  let home: TestHome
  let tmux: Tmux
  beforeEach(() => {
    home = new TestHome()
    tmux = new Tmux(home)
  })
  afterEach(() => home.close())
  const watch = async (...args: string[]) => {
    const stream = new Watch(home.start(['watch', '--json', ...args], { env: tmux.env }))
    await waitFor('the list', () => stream.isListed)
    return stream
  }

  it('finds panes in tmux by itself, and follows commands, splits, renames and ends', async () => {
    tmux.start()
    const stream = await watch('--tmux')
    await stream.wait('main:0.0', 'idle')
    tmux.type('main:0.0', 'sleep 3')
    await stream.wait('main:0.0', 'running')
    await waitFor('the job', () => stream.at('main:0.0')?.job === 'sleep')
    await stream.wait('main:0.0', 'done')
    tmux.shell('split-window', '-t', 'main')
    const split = await stream.wait('main:0.1', 'idle')
    tmux.run('rename-session', '-t', 'main', 'other')
    expect((await stream.wait('other:0.1', 'idle')).id).toBe(split.id)
    tmux.run('kill-pane', '-t', 'other:0.1')
    await waitFor('the pane to go', () => !stream.panes.has(split.id))
    expect(stream.panes.size).toBe(1)
  })

  it('sees a question within a second or so, and that it was answered', async () => {
    tmux.start()
    const stream = await watch()
    await stream.wait('main:0.0', 'idle')
    tmux.type('main:0.0', 'read -p "Overwrite it? [y/N] " x; sleep 1')
    const asking = await stream.wait('main:0.0', 'waiting-approval')
    expect(asking).toMatchObject({ needsYou: true, doing: expect.stringContaining('Overwrite it?') })
    tmux.type('main:0.0', 'y')
    await stream.wait('main:0.0', 'done', 'running')
    await stream.wait('main:0.0', 'done')
  })

  it('believes the shell’s own marks: the exit code, and no look-alike', async () => {
    tmux.start()
    const stream = await watch()
    await stream.wait('main:0.0', 'idle')
    tmux.type('main:0.0', `eval "$('${process.execPath}' '${CLI}' shell-integration bash)"`)
    tmux.type('main:0.0', 'true')
    await waitFor('the marks', () => stream.at('main:0.0')?.why.authority === 'shell')
    tmux.type('main:0.0', "printf 'All done!\\n$ \\n>>> '; sleep 3; exit_with() { return $1; }; exit_with 7")
    await stream.wait('main:0.0', 'running')
    const from = stream.changes.length
    const failed = await stream.wait('main:0.0', 'failed')
    expect(failed).toMatchObject({ exitCode: 7, why: { authority: 'shell' } })
    const between = stream.changes.slice(from).map(({ pane }) => pane.status)
    expect(between.filter(status => status === 'done' || status === 'waiting-approval')).toEqual([])
  })

  it('goes on through copy mode, a resize, and the death and return of the server', async () => {
    tmux.start()
    const stream = await watch()
    const first = await stream.wait('main:0.0', 'idle')
    tmux.run('copy-mode', '-t', 'main:0.0')
    await waitFor('copy mode', () => stream.at('main:0.0')?.isInMode)
    tmux.run('send-keys', '-t', 'main:0.0', '-X', 'cancel')
    await waitFor('copy mode to end', () => stream.at('main:0.0')?.isInMode === false)
    tmux.run('resize-window', '-t', 'main', '-x', '70', '-y', '20')
    tmux.type('main:0.0', 'sleep 1')
    await stream.wait('main:0.0', 'running')
    await stream.wait('main:0.0', 'done')
    tmux.run('kill-server')
    await waitFor('the pane to go', () => stream.panes.size === 0)
    tmux.start()
    const second = await stream.wait('main:0.0', 'idle')
    expect(second.id).not.toBe(first.id)
  })

  it('watches several servers at once, and a pane of our own sessions beside them', async () => {
    tmux.start('one')
    tmux.start('two', '-L', 'second')
    await home.run(['start', 'demo'], { env: { SIGNALBOX_DEMO_SCENARIO: 'tour' } })
    const stream = await watch()
    await stream.wait('one:0.0', 'idle')
    await stream.wait('two:0.0', 'idle')
    await waitFor('the session', () =>
      [...stream.panes.values()].some(pane => pane.source === 'session' && pane.agent === 'demo'),
    )
    const sockets = new Set([...stream.panes.values()].flatMap(pane => pane.socket ?? []))
    expect(sockets.size).toBe(2)
  })

  it('hears hooks of an agent in a pane that somebody else started, and says why', async () => {
    tmux.start()
    const stream = await watch()
    const { id, tmuxPane, socket } = await stream.wait('main:0.0', 'idle')
    const hook = (event: string, more: object) =>
      home.run(['hook', 'claude', event], {
        input: JSON.stringify({ session_id: 's', hook_event_name: event, cwd: '/', ...more }),
        env: { TMUX: `${socket},1,0`, TMUX_PANE: tmuxPane! },
      })
    await hook('PreToolUse', { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't1' })
    expect((await stream.wait('main:0.0', 'running')).why.authority).toBe('hook')
    await hook('Stop', {})
    await stream.wait('main:0.0', 'done')
    const explained = await home.run(['explain', id], { env: tmux.env })
    expect(explained.stdout).toMatch(/hook/)
    expect(explained.stdout).toContain('running → done')
    const stats = JSON.parse((await home.run(['stats', 'panes', '--json'])).stdout)
    expect(stats.counters.map((count: { name: string }) => count.name)).toContain('status.changed')
  })

  it('holds a hundred panes, and lists them for a pipe', async () => {
    tmux.start()
    for (let n = 1; n < 100; n++) tmux.shell('new-window', '-t', 'main:')
    const stream = await watch()
    await waitFor('all panes', () => stream.panes.size === 100)
    tmux.type('main:57.0', 'read -p "Continue? [y/N] " x')
    await stream.wait('main:57.0', 'waiting-approval')
    const { stdout } = await home.run(['watch', '--once', '--plain'], { env: tmux.env })
    expect(stdout.trim().split('\n')).toHaveLength(100)
    expect(stdout.split('\n')[0]).toMatch(/needs you .*main:57\.0.*Continue\?/)
  })

  it('draws one live screen and leaves the terminal as it was', async () => {
    tmux.start()
    tmux.type('main:0.0', 'read -p "Overwrite it? [y/N] " x')
    tmux.start('view', '-L', 'view')
    const view = (...args: string[]) => tmux.run('-L', 'view', ...args)
    const screen = () => view('capture-pane', '-p', '-t', 'view')
    view(
      'send-keys',
      '-t',
      'view',
      '-l',
      '--',
      `SIGNALBOX_HOME='${home.home}' '${process.execPath}' '${CLI}' watch --tmux`,
    )
    view('send-keys', '-t', 'view', 'Enter')
    await waitFor('the pane on screen', () => /needs you.*Overwrite it\?/.test(screen()))
    expect(screen()).toContain('1 needs you')
    view('send-keys', '-t', 'view', 'w')
    await waitFor('the reasons', () => screen().includes('reports, newest first'))
    view('send-keys', '-t', 'view', 'x')
    view('send-keys', '-t', 'view', 'q')
    await waitFor('the shell', () => !screen().includes('signalbox watch   ') && /\$ $|\$$/.test(screen().trimEnd()))
    view('send-keys', '-t', 'view', '-l', '--', 'echo still $((40+2))')
    view('send-keys', '-t', 'view', 'Enter')
    await waitFor('an echo', () => screen().includes('still 42'))
  })
})
