import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { spawn } from '@lydell/node-pty'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CLI, TestHome, waitFor } from '../e2e/harness.js'
import type { Loose } from '../server/support.js'
import { describeNeeding, itNeeding } from '../support/requirements.js'

describeNeeding('bubblewrap', 'a session in a sandbox', () => {
  const home = new TestHome()
  let server: Server
  let port = 0
  beforeAll(async () => {
    server = createServer((_, response) => response.end('the page')).listen(0, '127.0.0.1')
    await new Promise(resolve => server.once('listening', resolve))
    port = (server.address() as AddressInfo).port
  })
  afterAll(async () => {
    server.close()
    await home.close()
  })
  const output = async (id: string) => (await home.run(['read', id, '--screen'])).stdout
  const pending = (session?: string, path?: string) =>
    waitFor('a request of the sandbox', async () =>
      (await home.json<Loose[]>(['approvals', '--json'])).find(
        ({ state, subject, request }) =>
          state === 'pending' &&
          (session === undefined || subject.session === session) &&
          (path === undefined || request.input.path === path),
      ),
    )
  const decide = ({ id, fingerprint }: Loose, option: string) =>
    home.ok(option === 'deny' ? ['deny', id] : ['approve', id, '--fingerprint', fingerprint, '--option', option])

  test('confines commands and agents of a run; a refused path is asked for, and the step continues', async () => {
    const outside = join(home.directory, 'beside')
    mkdirSync(outside)
    for (const name of ['notes', 'list']) writeFileSync(join(outside, name), `the ${name}\n`)
    const until = (name: string) => `until cat ${outside}/${name} > ${name}; do sleep 0.2; done`
    const graph = `digraph g { start [shape=Mdiamond]; exit [shape=Msquare]
      a [shape=parallelogram, tool_command="touch inside; touch /usr/outside || ls ~ > seen; hostname > host"]
      b [prompt="read the notes"]; c [shape=parallelogram, tool_command="${until('list')}"]
      start -> a -> b -> c -> exit }`
    const shell = (command: string) => ({ tool: { name: 'Shell', kind: 'shell', command, readOnly: true } })
    const steps = [shell(`cat ${outside}/notes`), shell(`${until('notes')} 2> /dev/null`), { say: 'Read.' }]
    const project = join(home.directory, 'project')
    mkdirSync(project)
    writeFileSync(join(project, 'g.dot'), graph)
    writeFileSync(join(project, 'steps.json'), JSON.stringify({ name: 'steps', turns: [{ steps }] }))
    const { stdout, stderr } = await home.run(['trust', 'g.dot'], { cwd: project })
    const [hash = ''] = /[0-9a-f]{12,64}/.exec(`${stdout}${stderr}`) ?? []
    const ended = home.run(['run', 'g.dot', '--sandbox', '--network', 'off', '--trust', hash, '--agent', 'demo'], {
      cwd: project,
      env: { SIGNALBOX_DEMO_SCENARIO: 'steps.json', SIGNALBOX_DEMO_SPEED: '0' },
      timeoutMs: 120_000,
    })
    for (const [name, commandLine] of [
      ['notes', `cat ${outside}/notes`],
      ['list', expect.stringContaining(until('list'))],
    ] as const) {
      const asked = await pending(undefined, join(outside, name))
      expect(asked.request).toMatchObject({ tool: 'Sandbox read', input: { program: 'cat', commandLine } })
      expect(asked.subject).toMatchObject({ run: expect.any(String), project })
      await decide(asked, 'allow')
    }
    expect(await ended).toMatchObject({ code: 0 })
    const written = ['inside', 'seen', 'host', 'notes', 'list'].map(name =>
      readFileSync(join(project, name), 'utf8').trim(),
    )
    expect(written).toEqual(['', '', 'signalbox', 'the notes', 'the list'])
    expect((await home.json<Loose[]>(['runs', '--json']))[0].sandbox).toMatchObject({ use: 'auto' })
  })

  test('asks for an unknown host, and continues when a person allows it for the session', async () => {
    writeFileSync(
      join(home.work, 'get.sh'),
      `for n in 1 2; do curl -s --noproxy '' http://127.0.0.1:${port}/; echo " $n"; done; sleep 600`,
    )
    const { id } = await home.json<Loose>(['start', '--sandbox', 'auto', '--json', '--', 'sh', 'get.sh'])
    const asked = await pending().catch(async error => {
      throw new Error(`${error.message}\n${await output(id)}`)
    })
    expect(asked).toMatchObject({
      request: {
        tool: 'Network',
        input: { host: '127.0.0.1', port, program: 'curl', commandLine: expect.stringContaining('curl -s') },
      },
      subject: { session: id },
    })
    await home.ok(['approve', asked.id, '--fingerprint', asked.fingerprint, '--option', 'session'])
    await waitFor('both pages', async () => /the page 1[\s\S]*the page 2/.test(await output(id)))
    const [record] = (await home.json<Loose[]>(['approvals', '--all', '--json'])).filter(
      ({ id: found }) => found === asked.id,
    )
    expect([record.state, record.decision.auth.origin]).toEqual(['applied', 'person'])
    const session = (await home.session(id)) as Loose
    expect(session.sandbox).toMatchObject({ network: 'filtered' })
    await home.ok(['stop', id])
  })

  test('asks for a hidden path, and shows it while the agent runs', async () => {
    const outside = join(home.directory, 'outside')
    mkdirSync(join(outside, 'folder'), { recursive: true })
    writeFileSync(join(outside, 'notes.txt'), 'the notes\n')
    const script = `until cat ${outside}/notes.txt > copied; do sleep 1; done
      echo more >> ${outside}/notes.txt
      until touch ${outside}/folder/new; do sleep 1; done
      sleep 600`
    writeFileSync(join(home.work, 'paths.sh'), script)
    const start = ['start', '--sandbox', 'auto', '--network', 'off', '--json', '--', 'sh', 'paths.sh']
    const { id } = await home.json<Loose>(start)
    const notes = join(outside, 'notes.txt')
    const read = await pending(id)
    expect(read.request).toMatchObject({
      tool: 'Sandbox read',
      input: { path: notes, program: 'cat', commandLine: 'sh paths.sh', takesEffect: 'at once' },
    })
    await decide(read, 'project')
    await waitFor('the notes', () => readFileSync(join(home.work, 'copied'), 'utf8') === 'the notes\n')
    const about = (path: string) => pending(id, path)
    expect((await about(notes)).request.tool).toBe('Sandbox write')
    await decide(await about(notes), 'deny')
    const create = await about(join(outside, 'folder'))
    expect(create.request.input).toMatchObject({ wanted: join(outside, 'folder/new') })
    await decide(create, 'session')
    await waitFor('the new file', () => existsSync(join(outside, 'folder/new')))
    expect(readFileSync(notes, 'utf8')).toBe('the notes\n')
    await home.ok(['stop', id])
    const list = `ls -R ${outside}; sleep 600`
    const again = await home.json<Loose>([
      'start',
      '--sandbox',
      'auto',
      '--network',
      'off',
      '--json',
      '--',
      'sh',
      '-c',
      list,
    ])
    await waitFor('the list', async () => /notes\.txt/.test(await output(again.id)))
    expect(await output(again.id)).not.toContain('folder')
    await home.ok(['stop', again.id])
  })

  test('hides a path that was allowed once when the turn of the agent ends', async () => {
    const secret = join(home.directory, 'once.txt')
    writeFileSync(secret, 'seen once\n')
    const shell = (command: string) => ({ tool: { name: 'Shell', kind: 'shell', command, readOnly: true } })
    const turns = [
      { steps: [shell(`cat ${secret}`), shell(`until cat ${secret} > once 2> /dev/null; do sleep 0.2; done`)] },
      { steps: [shell(`while cat ${secret} > /dev/null 2>&1; do sleep 0.2; done; cat ${secret}`)] },
    ]
    writeFileSync(join(home.work, 'once.json'), JSON.stringify({ name: 'once', turns }))
    const start = ['start', 'demo', '--sandbox', 'auto', '--network', 'off', '--json']
    const { id } = await home.json<Loose>([...start, '--', '--scenario', 'once.json', '--speed', '0'])
    await home.ok(['send', id, 'read it'])
    await decide(await pending(id, secret), 'allow')
    await home.ok(['wait', id, '--for', 'idle', '--timeout', '60'])
    expect(readFileSync(join(home.work, 'once'), 'utf8')).toBe('seen once\n')
    await home.ok(['send', id, 'read it again'])
    expect((await pending(id, secret)).request.tool).toBe('Sandbox read')
    await home.ok(['stop', id])
  })

  test('does not fill the ledger with requests for hosts', async () => {
    const script = 'for n in $(seq 30); do curl -s -m 3 http://host-$n.invalid/ & done; wait; echo over; sleep 600'
    const { id } = await home.json<Loose>(['start', '--sandbox', 'auto', '--json', '--', 'sh', '-c', script])
    const own = async () =>
      (await home.json<Loose[]>(['approvals', '--json'])).filter(({ subject }) => subject.session === id)
    await waitFor('several requests', async () => (await own()).length >= 10)
    await waitFor('the end of the program', async () => (await output(id)).includes('over'))
    expect((await own()).length).toBe(10)
    await home.ok(['stop', id])
  })

  test('protects settings of the agent that start programs, and copies those that the agent writes', async () => {
    const bin = join(home.directory, 'claude-bin')
    const person = join(home.directory, 'claude-home')
    for (const path of [bin, join(person, '.claude')]) mkdirSync(path, { recursive: true })
    writeFileSync(join(person, '.claude.json'), '{"mcpServers":{}}')
    const attack = `cd ~; for f in .claude.json .claude/settings.json .claude/hooks/x .claude/history.jsonl; do echo evil > $f; done
      mv .claude/settings.json .claude/was; echo tried; sleep 600`
    writeFileSync(join(bin, 'claude'), `#!/bin/sh\n${attack}\n`, { mode: 0o755 })
    const env = { PATH: `${bin}:${home.env.PATH}`, HOME: person }
    const { id } = await home.json<Loose>(['start', 'claude', '--sandbox', 'auto', '--network', 'off', '--json'], {
      env,
    })
    await waitFor('the attack', async () => (await output(id)).includes('tried'))
    const inHome = (name: string) => readFileSync(join(person, name), 'utf8')
    expect([inHome('.claude.json'), inHome('.claude/settings.json')]).toEqual(['{"mcpServers":{}}', '{}\n'])
    expect(inHome('.claude/history.jsonl')).toBe('evil\n')
    await home.ok(['stop', id])
  })

  test('starts the agent in a container engine with the project, and passes variables by name', async () => {
    const bin = join(home.directory, 'bin')
    mkdirSync(bin)
    // An engine without containers: it runs the command with the variables that it was given.
    const engine = `#!/bin/sh
      echo "$*" > ${home.directory}/called
      words=
      while [ "$1" != tools:1 ]; do [ "$1" = --env ] && words="$words $2=$(printenv "$2")"; shift; done
      shift
      exec env -i $words "$@"`
    writeFileSync(join(bin, 'docker'), engine, { mode: 0o755 })
    const env = { PATH: `${bin}:${home.env.PATH}`, OTHER_SECRET: 'not-passed' }
    const command = ['start', 'demo', '--sandbox', 'docker:tools:1', '--network', 'off', '--json', '--', '--speed', '0']
    const { id } = await home.json<Loose>(command, { env })
    expect((await home.session(id)) as Loose).toMatchObject({ sandbox: { backend: 'docker:tools:1', network: 'off' } })
    const sent = await home.run(['send', id, 'hello', '--wait', '--timeout', '60'])
    expect([sent.code, sent.stdout]).toEqual([4, expect.stringContaining('What is wrong')])
    const asked = await pending(id)
    await decide(asked, asked.request.options.find(({ meaning }: Loose) => meaning === 'allow-once').key)
    const called = readFileSync(join(home.directory, 'called'), 'utf8')
    expect(called).toContain('--network none')
    expect(called).toContain(`source=${home.work},target=${home.work}`)
    expect(called).toContain('--env SIGNALBOX_SESSION')
    for (const secret of [`SIGNALBOX_SESSION=${id}`, 'OTHER_SECRET']) expect(called).not.toContain(secret)
    await home.ok(['stop', id])
    const refused = await home.run(['start', '--sandbox', 'podman:none', '--', 'id'])
    expect([refused.code === 0, refused.stderr]).toEqual([false, expect.stringContaining('podman was not found')])
  })

  itNeeding('containers', 'has the project in a real container, and nothing else of the machine', async () => {
    const image = 'signalbox-test:sh'
    // An image without a registry: the shell of this machine and its libraries.
    const libraries = spawnSync('ldd', ['/bin/sh'], { encoding: 'utf8' }).stdout.match(/\/\S+/g) ?? []
    const files = ['/bin/sh', realpathSync('/bin/sh'), ...libraries]
    const archive = spawnSync('tar', ['-cf', '-', '--dereference', ...files], { maxBuffer: 64_000_000 }).stdout
    expect(spawnSync('docker', ['import', '-', image], { input: archive }).status).toBe(0)
    const outside = join(home.directory, 'outside-of-container')
    writeFileSync(outside, '')
    const script = `echo "$SIGNALBOX_SESSION" > container; [ -e ${outside} ] && echo seen >> container; read wait`
    const start = ['start', '--sandbox', `docker:${image}`, '--network', 'off', '--json', '--', '/bin/sh', '-c', script]
    const { id } = await home.json<Loose>(start)
    const written = join(home.work, 'container')
    await waitFor('the program in its container', () => existsSync(written) && readFileSync(written, 'utf8') !== '')
    expect(readFileSync(written, 'utf8')).toBe(`${id}\n`)
    await home.ok(['stop', id])
    spawnSync('docker', ['rmi', '--force', image])
  })

  test('is offered once, before the first agent that a person starts at a terminal', async () => {
    const bin = join(home.directory, 'first-bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'codex'), '#!/bin/sh\nhostname > host; sleep 600\n', { mode: 0o755 })
    const env = { ...home.env, PATH: `${bin}:${home.env.PATH}`, TERM: 'xterm-256color' }
    writeFileSync(join(home.work, 'host'), '')
    const started: string[] = []
    const start = async (answer: string | null) => {
      let shown = ''
      const terminal = spawn(process.execPath, [CLI, 'start', 'codex'], { cwd: home.work, env, cols: 120, rows: 30 })
      terminal.onData(text => {
        shown += text
        if (answer !== null && !isAnswered && shown.includes('[y/N]')) {
          isAnswered = true
          terminal.write(answer)
        }
      })
      let isAnswered = false
      await new Promise<void>(resolve => terminal.onExit(() => resolve()))
      started.push(...(/ses_\w+/.exec(shown) ?? []))
      return shown
    }
    expect(await start('y\r')).toMatch(/Agents can run in a sandbox[\s\S]*sandbox\.use = "auto" is in your settings/)
    expect(readFileSync(home.path('config', 'config.toml'), 'utf8')).toMatch(/use = "auto"/)
    await waitFor('the agent in its sandbox', () => readFileSync(join(home.work, 'host'), 'utf8') === 'signalbox\n')
    expect(await start(null)).not.toContain('[y/N]')
    await home.ok(['config', 'set', 'sandbox.use', 'off'])
    for (const id of new Set(started)) await home.run(['stop', id])
  })

  test('leaves printed secrets to doctor --secrets, which shows the place and not the secret', async () => {
    const token = `ghp_${'a1B2c3D4'.repeat(5).slice(0, 36)}`
    const own = `acme_live_${'x9'.repeat(10)}`
    await home.ok(['config', 'set', 'secrets.tokens', '["acme-token acme_live_ 12"]'])
    const { id } = await home.json<Loose>(['start', '--json', '--', 'sh', '-c', `echo ${token} ${own}; sleep 600`])
    await waitFor(
      'the token on the screen',
      async () => (await output(id)).includes('ghp_') || (await output(id)).includes('secret:'),
    )
    const found = (await home.run(['doctor', '--secrets', '--json'])).stdout
    expect(found).toContain(`${id}.cast`)
    expect(found).toContain('acme-token')
    for (const secret of [token, own]) expect(found).not.toContain(secret)
    await home.ok(['stop', id])
  })

  test('explains its contents, and doctor reports that it works', async () => {
    const plan = await home.json<Loose>(['sandbox', 'explain', 'claude', '--json'])
    expect(plan).toMatchObject({ backend: 'bubblewrap', problem: null, network: 'filtered' })
    expect(plan.paths).toContainEqual({ path: home.work, access: 'write', why: 'the project' })
    expect(plan.env).toContain('CLAUDE_CODE_DISABLE_ALTERNATE_SCREEN')
    const narrow = join(home.directory, 'narrow')
    mkdirSync(narrow)
    writeFileSync(join(narrow, '.signalbox.toml'), '[sandbox]\nnetwork = "off"\n')
    const ofProject = await home.json<Loose>(['sandbox', 'explain', 'claude', '--json'], { cwd: narrow })
    expect(ofProject).toMatchObject({ network: 'off' })
    const { findings = [], items = findings } = await home
      .json<Loose>(['doctor', '--json'])
      .then(found => (Array.isArray(found) ? { items: found } : found))
    expect(items).toContainEqual(expect.objectContaining({ check: 'sandbox', level: 'ok' }))
  })
})
