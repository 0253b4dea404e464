import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeNeeding, itNeeding } from '../support/requirements.js'
import { CLI, type TestHome, waitFor } from './harness.js'
import { InsideHome } from './inside.js'
import { Watch } from './watch-stream.js'

/*
 * Settings that disable supervision, notifications to other programs, and shells that mark their
 * commands, all through the public entry point. One home, one daemon and one tmux server with a
 * window for each test.
 */
describeNeeding('tmux', 'supervision settings and notifications:', () => {
  let home: InsideHome
  let env: Record<string, string>
  let stream: Watch
  let count = 0
  let called: string
  let commanded: string

  const tmux = (...args: string[]) =>
    execFileSync('tmux', ['-f', '/dev/null', ...args], { env: { ...home.env, ...env }, encoding: 'utf8' }).trim()
  const at = (place: string) => stream.at(place)
  const wait = (place: string, ...wanted: string[]) => stream.wait(place, ...wanted)
  const type = (target: string, line: string) => {
    tmux('send-keys', '-t', target, '-l', '--', line)
    tmux('send-keys', '-t', target, 'Enter')
  }
  const window = (name: string, ...command: string[]) =>
    tmux('new-window', '-d', '-P', '-F', '#{session_name}:#{window_index}.0', '-n', name, '-t', 'main:', ...command)
  const bash = (name: string) => window(name, 'env', 'PS1=$ ', 'bash', '--norc', '--noprofile')
  const integrated = async (place: string) => {
    type(place, `eval "$('${process.execPath}' '${CLI}' shell-integration bash)"`)
    type(place, 'true')
    await waitFor('the marks', () => at(place)?.why.authority === 'shell')
  }
  /** The value of a counter in `stats panes`. */
  const counted = async (name: string, labels: Record<string, string>, at: TestHome = home) => {
    const { counters } = JSON.parse((await at.run(['stats', 'panes', '--json'], { env })).stdout) as {
      counters: { name: string; labels: Record<string, string>; value: number }[]
    }
    const isIt = (one: (typeof counters)[number]) =>
      one.name === name && Object.entries(labels).every(([label, value]) => one.labels[label] === value)
    return counters.filter(isIt).reduce((sum, { value }) => sum + value, 0)
  }
  /** A command that reads from `path` runs until `open` is called. */
  const barrier = () => {
    const path = join(home.work, `barrier-${++count}`)
    execFileSync('mkfifo', [path])
    return { path, open: () => writeFile(path, 'go\n') }
  }

  beforeAll(async () => {
    home = new InsideHome()
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
    stream = new Watch(home.start(['watch', '--json', '--tmux'], { env }))
    await wait('main:0.0', 'idle')
  })
  afterAll(() => home?.close())

  it('a shell with integration stays running while its program prints phrases and questions', async () => {
    const place = bash('hostile')
    await wait(place, 'idle')
    await integrated(place)
    const lines = ['All done!', 'exit code 0', '1. Yes', '[Y]es', 'esc to interrupt', 'ready', '>>> ', '$ ']
    const menu = `\\033[?25lDo you want to proceed?\\n\\n\\033[7m❯ 1. Yes\\033[0m\\n  2. No\\n\\nEnter to confirm · Esc to cancel`
    const screens = [`${lines.join('\\n')}\\nOverwrite all of it? [y/N] `, menu, '\\033[2J\\033[H\\033[?25hPassword: ']
    const barriers = screens.map(barrier)
    const script = join(home.work, 'hostile.sh')
    const draw = screens.map((screen, index) => `printf '${screen}'\ncat '${barriers[index]!.path}'`)
    await writeFile(script, `${draw.join('\n')}\nexit 9\n`)
    const mark = stream.mark
    type(place, `sh '${script}'`)
    const ran = await stream.since(mark, place, 'running')
    const reports = async () => {
      const { stdout } = await home.run(['explain', at(place)!.id, '--json'], { env })
      const all = stdout
        .trim()
        .split('\n')
        .map(line => JSON.parse(line) as { says?: string; at: number; count: number })
      return all.filter(({ says }) => says?.startsWith('reads the terminal: '))
    }
    for (const { open } of barriers) {
      const looks = async () => (await reports()).reduce((sum, { count }) => sum + count, 0)
      const before = await looks()
      // The screen was unchanged for long enough, and the program was inspected.
      await waitFor('a look at the program', async () => (await looks()) > before)
      await open()
    }
    const ended = await stream.since(ran, place, 'failed')
    expect(stream.reports[ended - 1]!.pane).toMatchObject({ exitCode: 9, why: { authority: 'shell' } })
    const during = stream.statuses(place, ran - 1, ended - 1)
    expect(during.filter(status => status !== 'running' && status !== 'long-running')).toEqual([])
    expect(new Set((await reports()).map(({ says }) => says))).toEqual(new Set(['reads the terminal: no']))
  })

  it.each([
    ['a question', 'x= ; read -p "Continue? [y/N] " x; echo "got $x"; exit_with() { return 3; }; exit_with', 'y', 3],
    ['a password', `python3 -c "import getpass; getpass.getpass('Password: ')"`, 'secret', 0],
  ])(
    'a shell with integration waits while its program reads %s, and runs again after the answer',
    async (what, line, answer, exit) => {
      const place = bash(`asks-${exit}`)
      await wait(place, 'idle')
      await integrated(place)
      const mark = stream.mark
      type(place, line)
      const asked = await stream.since(mark, place, 'waiting-approval')
      expect([what, stream.reports[asked - 1]!.pane.doing]).toEqual([what, expect.stringMatching(/Continue|Password/)])
      type(place, answer)
      const ended = await stream.since(asked, place, exit === 0 ? 'done' : 'failed')
      expect(stream.reports[ended - 1]!.pane).toMatchObject({ exitCode: exit, why: { authority: 'shell' } })
    },
  )

  it('a shell with integration waits while an unknown agent without reports shows a menu', async () => {
    const place = bash('agent')
    await wait(place, 'idle')
    await integrated(place)
    const scenario = join(home.work, 'ports.json')
    const ask = { question: 'Which port?', options: ['8080', '3000'] }
    await writeFile(scenario, JSON.stringify({ name: 'ports', osc7501: false, start: [{ ask }], turns: [] }))
    const mark = stream.mark
    const program = join(dirname(CLI), 'demo-agent', 'main.js')
    type(place, `SIGNALBOX_DEMO_HOME='${home.work}/demo' '${process.execPath}' '${program}' --scenario '${scenario}'`)
    const asked = await stream.since(mark, place, 'waiting-approval')
    expect(stream.reports[asked - 1]!.pane.doing).toContain('Which port?')
    tmux('kill-window', '-t', place)
  })

  it('a question calls the desktop notifier and the configured command, without a shell', async () => {
    const place = bash('asks')
    await wait(place, 'idle')
    type(place, 'SECRET_TOKEN=hunter2hunter2; read -p "Drop the table? [y/N] " x')
    await wait(place, 'waiting-approval')
    const read = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '')
    const words = await waitFor('the notifier', () => (read(called).includes('Drop the table?') ? read(called) : ''))
    expect(words).toContain('--app-name=signalbox')
    const own = `"pane":"${at(place)!.id}"`
    const heard = await waitFor('the command', () => (read(commanded).includes(own) ? read(commanded) : ''))
    expect(JSON.parse(heard.split('\n').find(line => line.includes(own))!)).toMatchObject({ kind: 'needs-you' })
    await waitFor('the kind in its environment', () => read(commanded).split('\n').includes('needs-you'))
    expect(words + heard).not.toContain('hunter2')
    type(place, 'n')
    await wait(place, 'done', 'idle')
  })

  it('a muted pane or a disabled notifier causes no notification', async () => {
    const place = bash('muted')
    await wait(place, 'idle')
    const words = () => [called, commanded].map(file => (existsSync(file) ? readFileSync(file, 'utf8') : '')).join()
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
    expect(words()).not.toContain('Really do it')
    await home.run(['switch', 'notify', 'on'], { env })
    const wrong = await home.run(['switch', 'nonsense', 'off'], { env })
    expect([wrong.code, wrong.stderr]).toEqual([expect.any(Number), expect.stringContaining('unknown switch')])
  })

  it('only the terminal of `watch` notifies while a person presses keys in it', async () => {
    const view = window('view', process.execPath, CLI, 'watch', '--tmux')
    await waitFor('the live screen', () => /nothing needs you|needs? you/.test(tmux('capture-pane', '-p', '-t', view)))
    const place = bash('present')
    await wait(place, 'idle')
    const before = await counted('notify.sent', { kind: 'needs-you', channel: 'terminal' })
    // A key counts as presence once the daemon knows it: press until the notification changes.
    tmux('send-keys', '-t', view, 'j')
    await waitFor('the key to be heard', async () => (await counted('notify.present', {})) > 0)
    type(place, 'read -p "Call only here? [y/N] " x')
    await wait(place, 'waiting-approval')
    await waitFor(
      'the notification of the terminal',
      async () => (await counted('notify.sent', { kind: 'needs-you', channel: 'terminal' })) > before,
    )
    expect(existsSync(called) ? readFileSync(called, 'utf8') : '').not.toContain('Call only here?')
    type(place, 'n')
    await wait(place, 'done', 'idle')
    tmux('send-keys', '-t', view, 'q')
  })

  it('quiet hours hold all notifications and count them', async () => {
    const night = new InsideHome()
    try {
      const hour = new Date().getHours()
      const quiet = `${String((hour + 23) % 24).padStart(2, '0')}:00-${String((hour + 2) % 24).padStart(2, '0')}:00`
      const log = join(night.directory, 'command.log')
      const command = join(night.directory, 'call')
      writeFileSync(command, `#!/bin/sh\ncat >> '${log}'\n`, { mode: 0o755 })
      mkdirSync(night.path('config'), { recursive: true })
      writeFileSync(
        night.path('config', 'config.toml'),
        `[notify]\nquiet = "${quiet}"\ndone_delay_s = 0\ncommand = ["${command}"]\n[panes]\nquiet_run_s = 0\n`,
      )
      const place = bash('night')
      const watch = new Watch(night.start(['watch', '--json', '--tmux'], { env }))
      await watch.wait(place, 'idle')
      const { path, open } = barrier()
      type(place, `cat '${path}'`)
      await watch.wait(place, 'running', 'long-running')
      await open()
      await watch.wait(place, 'done')
      await waitFor(
        'the held notification',
        async () => (await counted('notify.held', { reason: 'quiet_hours' }, night)) > 0,
      )
      type(place, 'read -p "Wake somebody? [y/N] " x')
      await watch.wait(place, 'waiting-approval')
      expect(await counted('notify.sent', {}, night)).toBe(0)
      expect(existsSync(log)).toBe(false)
    } finally {
      await night.close()
    }
  })

  it('disabled heuristics change no status of a listed program without reports; marks still do', async () => {
    const place = bash('silent')
    await wait(place, 'idle')
    await integrated(place)
    await home.run(['switch', 'heuristics', 'off'], { env })
    const emitted = async () => {
      const { counters } = JSON.parse((await home.run(['stats', 'panes', '--json'], { env })).stdout)
      return counters.filter((one: { name: string }) => one.name === 'heuristic.emitted')
    }
    const before = await emitted()
    const { path, open } = barrier()
    const bare = bash('bare')
    await wait(bare, 'idle')
    const phrases = `print('done'); print('esc to interrupt'); print('Continue? (y/n)')`
    type(bare, `python3 -c "${phrases}; input('Overwrite all of it ? ')"`)
    const mark = stream.mark
    type(place, `python3 -c "${phrases}; open('${path}').read()"`)
    const ran = await stream.since(mark, place, 'running')
    await open()
    const ended = await stream.since(ran, place, 'done')
    expect(stream.reports[ended - 1]!.pane).toMatchObject({
      exitCode: 0,
      heuristics: 'off',
      why: { authority: 'shell' },
    })
    expect(await emitted()).toEqual(before)
    // Screen and system decided about the program without integration, not a heuristic.
    expect(stream.reports.filter(({ pane }) => pane.place === bare && pane.why.authority === 'silence')).toEqual([])
    await home.run(['switch', 'heuristics', 'on'], { env })
    type(bare, '')
  })

  it('`watch --raw` lists panes without their status', async () => {
    const { stdout } = await home.run(['watch', '--raw', '--once', '--tmux', '--json'], { env })
    const listed = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(listed.length).toBe(stream.panes.size)
    expect(listed[0]).toMatchObject({ type: 'pane', pane: { place: 'main:0.0', job: 'bash' } })
    expect(Object.keys(listed[0].pane)).not.toContain('status')
    const plain = await home.run(['watch', '--raw', '--once', '--tmux'], { env })
    // Compares cells, not words: a command line may contain any of these words.
    const cells = plain.stdout.split('\n').flatMap(line => line.split(/ {2,}/))
    expect(cells.filter(cell => /^(?:idle|running|done|needs you)$/.test(cell.trim()))).toEqual([])
    expect(cells).toContain('main:0.0')
  })

  for (const [shell, args, load] of [
    ['zsh', ['-f'], `eval "$('${process.execPath}' '${CLI}' shell-integration zsh)"`],
    ['fish', ['--no-config'], `'${process.execPath}' '${CLI}' shell-integration fish | source`],
  ] as const) {
    itNeeding(shell, `${shell} marks its commands, with their exit codes`, async () => {
      const place = window(shell, shell, ...args)
      await waitFor('the shell', () => at(place)?.job === shell)
      type(place, load)
      type(place, 'true')
      await waitFor('the marks', () => at(place)?.why.authority === 'shell')
      const ends = async (command: string, status: string) => {
        const { path, open } = barrier()
        const mark = stream.mark
        type(place, command.replace('PIPE', path))
        const ran = await stream.since(mark, place, 'running')
        await open()
        return stream.reports[(await stream.since(ran, place, status)) - 1]!.pane
      }
      expect(await ends(`sh -c 'cat PIPE; exit 7'`, 'failed')).toMatchObject({
        exitCode: 7,
        why: { authority: 'shell' },
      })
      expect(await ends('cat PIPE', 'done')).toMatchObject({ exitCode: 0 })
    })
  }
})
