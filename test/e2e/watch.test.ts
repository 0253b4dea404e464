import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { describeNeeding } from '../support/requirements.js'
import { CLI, ROOT, waitFor } from './harness.js'
import { InsideHome } from './inside.js'
import { isRead, Watch } from './watch-stream.js'

/*
 * Panes in real tmux servers, through the public entry point: one home, one daemon and one
 * `watch --json` for all tests, and a separate tmux session for each. Nothing here depends on
 * speed: commands end when the test writes to the pipe that they read, and waits search all
 * reports so far, not only the current state.
 */

const BASH = ['env', 'PS1=$ ', 'bash', '--norc', '--noprofile']

describeNeeding('tmux', 'watch', () => {
  let home: InsideHome
  let env: Record<string, string>
  let stream: Watch
  let count = 0

  const tmux = (...args: string[]) =>
    execFileSync('tmux', ['-f', '/dev/null', ...args], { env: { ...home.env, ...env }, encoding: 'utf8' }).trim()
  const type = (target: string, line: string, ...server: string[]) => {
    tmux(...server, 'send-keys', '-t', target, '-l', '--', line)
    tmux(...server, 'send-keys', '-t', target, 'Enter')
  }
  /** A session with a shell, with a name that no other test and no earlier attempt used. */
  const start = (...server: string[]) => {
    const name = `s${++count}`
    tmux(...server, 'new-session', '-d', '-s', name, '-x', '100', '-y', '30', ...BASH)
    return name
  }
  /** A command that reads from `path` runs until `open` is called. */
  const barrier = () => {
    const path = join(home.work, `barrier-${++count}`)
    execFileSync('mkfifo', [path])
    return { path, open: () => writeFile(path, 'go\n') }
  }

  beforeAll(async () => {
    home = new InsideHome()
    mkdirSync(join(home.directory, 'tmux'))
    env = { TMUX_TMPDIR: join(home.directory, 'tmux'), TMUX: '', TMUX_PANE: '' }
    tmux('new-session', '-d', '-s', 'keep', '-x', '100', '-y', '30', ...BASH)
    stream = new Watch(home.start(['watch', '--json'], { env }))
    await waitFor('the list', () => stream.isListed)
    await stream.wait('keep:0.0', 'idle')
  })
  afterEach(() => tmux('kill-session', '-a', '-t', 'keep'))
  afterAll(() => home?.close())

  it('finds panes in tmux and follows commands, splits, renames and ends', async () => {
    const name = start()
    const place = `${name}:0.0`
    await stream.wait(place, 'idle')
    const { path, open } = barrier()
    type(place, `cat '${path}'`)
    await stream.wait(place, 'running', 'long-running')
    await waitFor('the job', () => stream.at(place)?.job === 'cat')
    await open()
    await stream.wait(place, 'done')
    tmux('split-window', '-t', name, ...BASH)
    const split = await stream.wait(`${name}:0.1`, 'idle')
    tmux('rename-session', '-t', name, `${name}-other`)
    expect((await stream.wait(`${name}-other:0.1`, 'idle')).id).toBe(split.id)
    tmux('kill-pane', '-t', `${name}-other:0.1`)
    await waitFor('the pane to go', () => !stream.panes.has(split.id))
    expect(stream.at(`${name}-other:0.0`)).toBeDefined()
  })

  it('reads the conversation of an agent that another program started earlier', async () => {
    // A server without `watch`: Signalbox sees the agent only when the test reads it.
    const late = { TMUX_TMPDIR: join(home.directory, `late-${++count}`), TMUX: '', TMUX_PANE: '' }
    mkdirSync(late.TMUX_TMPDIR)
    const inside = (...args: string[]) =>
      execFileSync('tmux', ['-f', '/dev/null', ...args], { env: { ...home.env, ...late }, encoding: 'utf8' })
    const answers = ['The **first** answer.', '- one\n- two']
    const scenario = join(home.work, `late-${count}.json`)
    const turns = answers.map(markdown => ({ steps: [{ say: { markdown } }] }))
    await writeFile(scenario, JSON.stringify({ name: 'late', description: 'two answers', turns }))
    const program = join(home.work, `late-${count}`, 'signalbox-demo')
    mkdirSync(dirname(program))
    symlinkSync(join(ROOT, 'dist', 'demo-agent', 'main.js'), program)
    const agent = [process.execPath, program, '--speed', '0', '--scenario', scenario]
    const finished = (times: number) =>
      waitFor(`answer ${times}`, () => inside('capture-pane', '-p', '-t', 'late').split('◈ Finished').length > times)
    const ask = async (prompt: string, times: number) => {
      inside('send-keys', '-t', 'late', '-l', '--', prompt)
      await waitFor('the prompt', () => inside('capture-pane', '-p', '-t', 'late').includes(`▷ ${prompt}`))
      inside('send-keys', '-t', 'late', 'Enter')
      await finished(times)
    }
    const options = { env: late }
    const said = async (...args: string[]) => (await home.ok(['read', 'late:0.0', ...args], options)).stdout.trim()
    try {
      inside('new-session', '-d', '-s', 'late', '-x', '100', '-y', '40', ...agent)
      inside('set-option', '-g', 'remain-on-exit', 'on')
      await waitFor('its input', () => /^▷/mu.test(inside('capture-pane', '-p', '-t', 'late')))
      await ask('say one thing', 1)
      await waitFor('the first turn', async () => (await said()) === 'The first answer.')
      await ask('and another', 2)
      await waitFor('the second turn', async () => (await said('--since', '1')) === '• one\n• two')
      inside('resize-window', '-t', 'late', '-x', '80', '-y', '30')
      await waitFor('the other size', async () => {
        const { stdout } = await home.ok(['read', 'late:0.0', '--screen'], options)
        return Math.max(...stdout.split('\n').map(row => row.length)) === 80
      })
      const messages = (await said('--json')).split('\n').map(line => JSON.parse(line) as Record<string, unknown>)
      expect(messages.map(({ markdown }) => markdown)).toEqual(answers)
      const unknown = await home.run(['read', 'late:7.0'], options)
      expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('late:7.0')])
    } finally {
      inside('kill-server')
    }
  })

  it('is running while a shell runs programs one after the other, and after a cleared screen', async () => {
    const place = `${start()}:0.0`
    await stream.wait(place, 'idle')
    const [program, builtin, last] = [barrier(), barrier(), barrier()]
    const mark = stream.mark
    type(
      place,
      `for n in 1; do clear; cat '${program.path}'; date; read x <'${builtin.path}'; cat '${last.path}'; done`,
    )
    const ran = await stream.since(mark, place, 'running')
    await waitFor('the first program', () => stream.at(place)?.job === 'cat')
    expect(stream.at(place)).toMatchObject({ status: 'running' })
    await program.open()
    // The shell owns the terminal, and is not at its prompt.
    await waitFor('the shell', () => stream.at(place)?.job === 'bash')
    await builtin.open()
    await waitFor('the last program', () => stream.at(place)?.job === 'cat')
    await last.open()
    const ended = await stream.since(ran, place, 'done')
    const between = new Set(stream.statuses(place, ran - 1, ended - 1))
    between.delete('long-running')
    expect([...between]).toEqual(['running'])
  })

  it('names a program by its own name after it was executed in place of another', async () => {
    const name = `s${++count}`
    const [first, second] = [barrier(), barrier()]
    const script = join(home.work, `${name}.sh`)
    await writeFile(script, `echo a row that says nothing; cat '${first.path}'; exec cat '${second.path}'\n`)
    tmux('new-session', '-d', '-s', name, '-x', '100', '-y', '30', 'sh', script)
    const place = `${name}:0.0`
    await waitFor('the script', () => stream.at(place)?.status === 'running' && stream.at(place)?.doing === name)
    await first.open()
    await waitFor('the next program', () => stream.at(place)?.doing === 'cat')
    await second.open()
  })

  it('does not report an agent as done that a shell with integration has just started', async () => {
    const place = `${start()}:0.0`
    await stream.wait(place, 'idle')
    type(place, `eval "$('${process.execPath}' '${CLI}' shell-integration bash)"`)
    // The end of the first line may be marked, too: this one ends differently.
    type(place, '(exit 3)')
    await waitFor('the marks', () => stream.at(place)?.why.authority === 'shell' && stream.at(place)?.exitCode === 3)
    const program = join(home.work, `started-${++count}`, 'signalbox-demo')
    mkdirSync(dirname(program))
    symlinkSync(join(ROOT, 'dist', 'demo-agent', 'main.js'), program)
    const mark = stream.mark
    type(place, `'${process.execPath}' '${program}' --speed 0`)
    const ran = await stream.since(mark, place, 'running')
    await waitFor('the agent', () => stream.at(place)?.agent === 'demo')
    const rested = await stream.since(ran, place, 'idle')
    expect(stream.statuses(place, ran - 1, rested)).not.toContain('done')
  })

  it('detects a question and its answer', async () => {
    const place = `${start()}:0.0`
    await stream.wait(place, 'idle')
    type(place, 'read -p "Overwrite it? [y/N] " x')
    const asking = await stream.wait(place, 'waiting-approval')
    expect(asking).toMatchObject({ needsYou: true, doing: expect.stringContaining('Overwrite it?') })
    type(place, 'y')
    await stream.wait(place, 'done', 'idle')
  })

  it('uses the marks of the shell for the exit code, and ignores text that looks like marks', async () => {
    const place = `${start()}:0.0`
    await stream.wait(place, 'idle')
    type(place, `eval "$('${process.execPath}' '${CLI}' shell-integration bash)"`)
    type(place, 'true')
    await waitFor('the marks', () => stream.at(place)?.why.authority === 'shell')
    const { path, open } = barrier()
    const script = join(home.work, `look-alike-${++count}.sh`)
    await writeFile(script, `printf 'All done!\\n$ \\n>>> '; cat '${path}'; exit 7\n`)
    const mark = stream.mark
    type(place, `sh '${script}'`)
    const ran = await stream.since(mark, place, 'running')
    await open()
    const ended = await stream.since(ran, place, 'failed')
    expect(stream.reports[ended - 1]!.pane).toMatchObject({ exitCode: 7, why: { authority: 'shell' } })
    expect(new Set(stream.statuses(place, ran - 1, ended - 1))).toEqual(new Set(['running']))
  })

  it('continues through copy mode, a resize, and a restart of the tmux server', async () => {
    const server = ['-L', `mortal${++count}`]
    const name = start(...server)
    const place = `${name}:0.0`
    const first = await stream.wait(place, 'idle')
    tmux(...server, 'copy-mode', '-t', place)
    await waitFor('copy mode', () => stream.at(place)?.isInMode)
    tmux(...server, 'send-keys', '-t', place, '-X', 'cancel')
    await waitFor('copy mode to end', () => stream.at(place)?.isInMode === false)
    tmux(...server, 'resize-window', '-t', name, '-x', '70', '-y', '20')
    const { path, open } = barrier()
    type(place, `cat '${path}'`, ...server)
    await stream.wait(place, 'running', 'long-running')
    await open()
    await stream.wait(place, 'done')
    tmux(...server, 'kill-server')
    await waitFor('the pane to go', () => !stream.panes.has(first.id))
    tmux(...server, 'new-session', '-d', '-s', name, '-x', '100', '-y', '30', ...BASH)
    const second = await waitFor('the server again', () => stream.at(place))
    expect(second.id).not.toBe(first.id)
    tmux(...server, 'kill-server')
  })

  it('supervises several servers at the same time, and panes of Signalbox sessions', async () => {
    const server = ['-L', `second${++count}`]
    const [one, two] = [start(), start(...server)]
    await home.run(['start', 'demo'], { env: { SIGNALBOX_DEMO_SCENARIO: 'tour' } })
    const panes = [await stream.wait(`${one}:0.0`, 'idle'), await stream.wait(`${two}:0.0`, 'idle')]
    await waitFor('the session', () =>
      [...stream.panes.values()].some(pane => pane.source === 'session' && pane.agent === 'demo'),
    )
    expect(new Set(panes.map(({ socket }) => socket)).size).toBe(2)
    tmux(...server, 'kill-server')
  })

  it('receives hooks of an agent in a pane that another program started, and explains its status', async () => {
    const place = `${start()}:0.0`
    const { id, tmuxPane, socket } = await stream.wait(place, 'idle')
    const hook = (event: string, more: object) =>
      home.run(['hook', 'claude', event], {
        input: JSON.stringify({ session_id: `session of ${place}`, hook_event_name: event, cwd: '/', ...more }),
        env: { TMUX: `${socket},1,0`, TMUX_PANE: tmuxPane! },
      })
    // A hook gives up after two seconds. On a busy machine a later report arrives.
    const callUntil = async (status: string, call: (nth: number) => Promise<unknown>) => {
      const from = stream.mark
      const isReported = () => stream.reports.slice(from).some(({ pane }) => pane.id === id && pane.status === status)
      for (let nth = 0; !isReported() && nth < 40; nth++) {
        await call(nth)
        await waitFor('the report', isReported, 5_000).catch(() => undefined)
      }
      return stream.wait(place, status)
    }
    const tool = { tool_name: 'Bash', tool_input: { command: 'ls' } }
    const running = await callUntil('running', nth => hook('PreToolUse', { ...tool, tool_use_id: `${place} ${nth}` }))
    expect(running.why.authority).toBe('hook')
    await callUntil('done', () => hook('Stop', {}))
    const explained = await home.run(['explain', id], { env })
    expect(explained.stdout).toMatch(/hook/)
    expect(explained.stdout).toMatch(/(?:long-)?running → done/)
    const stats = JSON.parse((await home.run(['stats', 'panes', '--json'])).stdout)
    expect(stats.counters.map((counter: { name: string }) => counter.name)).toContain('status.changed')
  })

  it('supports a hundred panes and lists them on a pipe', async () => {
    const server = ['-L', `hundred${++count}`]
    const name = start(...server)
    const windows = Array.from({ length: 99 }, () => [';', 'new-window', '-d', '-t', `${name}:`, ...BASH]).flat()
    tmux(...server, ...windows.slice(1))
    const own = () => [...stream.panes.values()].filter(pane => pane.place.startsWith(`${name}:`))
    await waitFor('all panes', () => own().length === 100 && own().every(isRead))
    type(`${name}:57.0`, 'read -p "Continue? [y/N] " x', ...server)
    await stream.wait(`${name}:57.0`, 'waiting-approval')
    const { stdout } = await home.run(['watch', '--once', '--plain', '--filter', `${name}:`], { env })
    expect(stdout.trim().split('\n')).toHaveLength(100)
    expect(stdout.split('\n')[0]).toMatch(new RegExp(`needs you .*${name}:57\\.0.*Continue\\?`))
    tmux(...server, 'kill-server')
    await waitFor('all of them to go', () => own().length === 0)
  })

  it('draws one live screen, does not list itself, and restores the terminal', async () => {
    const asking = `${start()}:0.0`
    await stream.wait(asking, 'idle')
    type(asking, 'read -p "Overwrite it? [y/N] " x')
    await stream.wait(asking, 'waiting-approval')
    const server = ['-L', `view${++count}`]
    const view = start(...server)
    const press = (...keys: string[]) => tmux(...server, 'send-keys', '-t', view, ...keys)
    const screen = () => tmux(...server, 'capture-pane', '-p', '-t', view)
    type(view, `SIGNALBOX_HOME='${home.home}' '${process.execPath}' '${CLI}' watch --tmux`, ...server)
    await waitFor('the pane on screen', () => screen().includes('needs you') && screen().includes('Overwrite it?'))
    await waitFor('itself to be left out', () => !screen().includes(`${view}:0.0`))
    press('/')
    press('-l', 'needs')
    press('Enter')
    await waitFor('the filter', () => screen().includes('filter: needs') && !screen().includes('keep:0.0'))
    press('w')
    await waitFor('the reasons', () => screen().includes('reports, newest first'))
    press('x')
    press('q')
    await waitFor('the shell', () => !screen().includes('filter: needs') && /\$$/.test(screen().trimEnd()))
    type(view, 'echo still $((40+2))', ...server)
    await waitFor('an echo', () => screen().includes('still 42'))
    tmux(...server, 'kill-server')
  })
})
