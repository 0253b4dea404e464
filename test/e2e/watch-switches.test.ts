import { type ChildProcess, execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PaneInfo } from '../../src/host/index.js'
import { CLI, TestHome, waitFor } from './harness.js'
import { hasTmux } from './tmux.js'

/*
 * One home, one daemon, one tmux server with a window for each test: off switches, calls that leave the program, and shells that mark their
 * commands, all through the public entry.
 */
describe.skipIf(!hasTmux)('supervision that is switched, and calls that are made', () => {
  let home: TestHome
  let env: Record<string, string>
  let panes: Map<string, PaneInfo>
  let statuses: Map<string, string[]>
  let called: string
  let commanded: string

  const tmux = (...args: string[]) =>
    execFileSync('tmux', ['-f', '/dev/null', ...args], { env: { ...home.env, ...env }, encoding: 'utf8' }).trim()
  const at = (place: string) => [...panes.values()].find(pane => pane.place === place)
  const type = (target: string, line: string) => {
    tmux('send-keys', '-t', target, '-l', '--', line)
    tmux('send-keys', '-t', target, 'Enter')
  }
  const wait = (place: string, ...wanted: string[]) =>
    waitFor(`${place} to be ${wanted.join(' or ')}`, () => {
      const pane = at(place)
      return pane && wanted.includes(pane.status) && pane.why.authority !== 'none' ? pane : null
    })
  const window = (name: string, ...command: string[]) =>
    tmux('new-window', '-d', '-P', '-F', '#{session_name}:#{window_index}.0', '-n', name, '-t', 'main:', ...command)
  const bash = (name: string) => window(name, 'env', 'PS1=$ ', 'bash', '--norc', '--noprofile')
  const integrated = async (place: string) => {
    type(place, `eval "$('${process.execPath}' '${CLI}' shell-integration bash)"`)
    type(place, 'true')
    await waitFor('the marks', () => at(place)?.why.authority === 'shell')
  }
  const follow = (child: ChildProcess) => {
    let rest = ''
    child.stdout!.on('data', chunk => {
      rest += String(chunk)
      const lines = rest.split('\n')
      rest = lines.pop()!
      for (const { type: kind, pane } of lines.map(line => JSON.parse(line) as { type: string; pane: PaneInfo })) {
        if (kind === 'gone') panes.delete(pane.id)
        if (kind !== 'pane') continue
        panes.set(pane.id, pane)
        statuses.set(pane.place, [...(statuses.get(pane.place) ?? []), pane.status])
      }
    })
  }

  beforeAll(async () => {
    home = new TestHome()
    panes = new Map()
    statuses = new Map()
    const tools = join(home.directory, 'tools')
    for (const directory of [tools, join(home.directory, 'tmux'), home.path('config')])
      mkdirSync(directory, { recursive: true })
    called = join(home.directory, 'notify-send.log')
    commanded = join(home.directory, 'command.log')
    const script = (name: string, text: string) => {
      writeFileSync(join(tools, name), `#!/bin/sh\n${text}\n`)
      chmodSync(join(tools, name), 0o755)
      return join(tools, name)
    }
    script('notify-send', `printf '%s\\n' "$@" >> '${called}'`)
    const command = script('my-call', `cat >> '${commanded}'; echo "$SIGNALBOX_NOTICE" >> '${commanded}'`)
    writeFileSync(home.path('config', 'config.toml'), `[notify]\ncommand = ["${command}"]\n`)
    env = {
      PATH: `${tools}:${home.env.PATH}`,
      DISPLAY: ':99',
      TMUX_TMPDIR: join(home.directory, 'tmux'),
      TMUX: '',
      TMUX_PANE: '',
    }
    tmux('new-session', '-d', '-s', 'main', '-x', '100', '-y', '30', 'env', 'PS1=$ ', 'bash', '--norc', '--noprofile')
    follow(home.start(['watch', '--json', '--tmux'], { env }))
    await wait('main:0.0', 'idle')
  })
  afterAll(() => home?.close())

  it('a program that prints every phrase cannot end or stop a command of a shell with integration', async () => {
    const place = bash('hostile')
    await wait(place, 'idle')
    await integrated(place)
    const phrases = [
      'All done!',
      'exit code 0',
      '1. Yes',
      '[Y]es',
      'Do you want to proceed?',
      'esc to interrupt',
      '>>> ',
    ]
    const lines = phrases.map(phrase => `printf '%s\\n' '${phrase}'; sleep 0.4`).join('; ')
    writeFileSync(join(home.work, 'hostile.sh'), `${lines}; printf '$ '; sleep 1.5; exit 9\n`)
    type(place, `sh '${join(home.work, 'hostile.sh')}'`)
    await wait(place, 'running')
    const from = statuses.get(place)!.length
    const failed = await wait(place, 'failed')
    expect(failed).toMatchObject({ exitCode: 9, why: { authority: 'shell' } })
    expect(
      statuses
        .get(place)!
        .slice(from, -1)
        .filter(status => status !== 'running'),
    ).toEqual([])
  })

  it('calls the desktop’s notifier and the person’s own command for a question, without a shell and without the command line', async () => {
    const place = bash('asks')
    await wait(place, 'idle')
    type(place, 'SECRET_TOKEN=hunter2hunter2; read -p "Drop the table? [y/N] " x')
    await wait(place, 'waiting-approval')
    const words = await waitFor('the notifier', () => (existsSync(called) ? readFileSync(called, 'utf8') : ''))
    expect(words).toContain('--app-name=signalbox')
    expect(words).toContain('Drop the table?')
    const heard = await waitFor('the command', () => {
      const text = existsSync(commanded) ? readFileSync(commanded, 'utf8') : ''
      return text.endsWith('needs-you\n') ? text : ''
    })
    expect(JSON.parse(heard.split('\n')[0]!)).toMatchObject({ kind: 'needs-you', pane: at(place)!.id })
    expect(words + heard).not.toContain('hunter2')
    type(place, 'n')
    await wait(place, 'done', 'idle')
  })

  it('a muted pane and a switched-off notifier call nobody', async () => {
    const place = bash('muted')
    await wait(place, 'idle')
    const count = () => (existsSync(called) ? readFileSync(called, 'utf8').split('--app-name').length : 0)
    const before = count()
    expect((await home.run(['switch', 'notify', 'off', '--pane', place], { env })).stdout).toContain('notify off')
    type(place, 'read -p "Really do it? [y/N] " x')
    await wait(place, 'waiting-approval')
    type(place, 'n')
    await wait(place, 'done', 'idle')
    const { stdout } = await home.run(['switch', 'notify', 'off', '--json'], { env })
    expect(JSON.parse(stdout).items).toContainEqual({ switch: 'notify', isOn: false })
    type(place, 'read -p "Really do it now? [y/N] " x')
    await wait(place, 'waiting-approval')
    type(place, 'n')
    await wait(place, 'done', 'idle')
    expect(count()).toBe(before)
    await home.run(['switch', 'notify', 'on'], { env })
    const wrong = await home.run(['switch', 'nonsense', 'off'], { env })
    expect([wrong.code, wrong.stderr]).toEqual([expect.any(Number), expect.stringContaining('there is no switch')])
  })

  it('with heuristics off a listed program that reports nothing changes no status; marks still do', async () => {
    const place = bash('silent')
    await wait(place, 'idle')
    await integrated(place)
    await home.run(['switch', 'heuristics', 'off'], { env })
    type(place, `python3 -c "import time; print('done'); print('esc to interrupt'); time.sleep(2)"`)
    await wait(place, 'running')
    const done = await wait(place, 'done')
    expect(done).toMatchObject({ exitCode: 0, heuristics: 'off', why: { authority: 'shell' } })
    await home.run(['switch', 'heuristics', 'on'], { env })
    const stats = JSON.parse((await home.run(['stats', 'panes', '--json'], { env })).stdout)
    const emitted = stats.counters.filter((one: { name: string }) => one.name === 'heuristic.emitted')
    expect(emitted).toEqual([])
  })

  it('`watch --raw` lists panes without a word about their status', async () => {
    const { stdout } = await home.run(['watch', '--raw', '--once', '--tmux', '--json'], { env })
    const listed = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(listed.length).toBe(panes.size)
    expect(listed[0]).toMatchObject({ type: 'pane', pane: { place: 'main:0.0', job: 'bash' } })
    expect(Object.keys(listed[0].pane)).not.toContain('status')
    const plain = await home.run(['watch', '--raw', '--once', '--tmux'], { env })
    expect(plain.stdout).not.toMatch(/idle|running|done|needs you/)
  })

  for (const [shell, args, load] of [
    ['zsh', ['-f'], `eval "$('${process.execPath}' '${CLI}' shell-integration zsh)"`],
    ['fish', ['--no-config'], `'${process.execPath}' '${CLI}' shell-integration fish | source`],
  ] as const) {
    const isThere = spawnSync(shell, ['--version']).status === 0
    if (!isThere) console.warn(`${shell} is not installed: its integration is not run`)
    it.skipIf(!isThere)(`${shell} marks its commands, with their exit codes`, async () => {
      const place = window(shell, shell, ...args)
      await waitFor('the shell', () => at(place)?.job === shell)
      type(place, load)
      type(place, 'true')
      await waitFor('the marks', () => at(place)?.why.authority === 'shell')
      type(place, `sh -c 'sleep 1; exit 7'`)
      await wait(place, 'running')
      expect(await wait(place, 'failed')).toMatchObject({ exitCode: 7, why: { authority: 'shell' } })
      type(place, 'sleep 1')
      await wait(place, 'running')
      expect(await wait(place, 'done')).toMatchObject({ exitCode: 0 })
    })
  }
})
