import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type CommandRun, parseLines, TestHome, waitFor } from './harness.js'
import { inside } from './inside.js'

let home: TestHome
let tests = 0

/** One home for all: what costs is starting programs. The project is new for every test. */
beforeAll(() => {
  home = new TestHome()
  for (const args of [
    ['init', '-q'],
    ['config', 'user.email', 'a@b'],
    ['config', 'user.name', 'a'],
  ])
    git(...args)
  writeFileSync(join(home.work, 'README.md'), 'hello\n')
  git('add', '.')
  git('commit', '-q', '-m', 'first')
  cpSync(home.work, join(home.directory, 'first'), { recursive: true })
})

beforeEach(() => {
  tests++
  rmSync(home.work, { recursive: true, force: true })
  cpSync(join(home.directory, 'first'), home.work, { recursive: true })
  rmSync(join(home.home, 'config'), { recursive: true, force: true })
})

afterAll(() => home.close())

function git(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: home.work, encoding: 'utf8' })
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`)
  return stdout
}

function env(scenario?: string): Record<string, string> {
  return {
    SIGNALBOX_DEMO_HOME: join(home.directory, `demo-${tests}`),
    SIGNALBOX_DEMO_SPEED: '0',
    ...(scenario !== undefined && { SIGNALBOX_DEMO_SCENARIO: scenario }),
  }
}

/** Which moments are tried, another few with another seed. */
const KILLS = Number(process.env.SIGNALBOX_KILL_SEED ?? 7)

/** So many different numbers from 1 up to a limit, the same for the same seed. */
function sample(seed: number, count: number, limit: number): number[] {
  const chosen = new Set<number>()
  for (let state = seed; chosen.size < count; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    chosen.add(1 + (state % limit))
  }
  return [...chosen]
}

/** The events of the journal among what a command printed; its last line may be torn. */
function parseEvents(text: string): object[] {
  const lines = text.split('\n').slice(0, -1)
  return lines.map(line => JSON.parse(line) as { version?: number }).filter(({ version }) => version !== undefined)
}

const AUDIT = '/"verdict": "DONE"/'

/** A scenario in a file: what the worker does, and what the auditor does; each improvises where nothing is given. */
function scenario({ worker, auditor }: { worker?: object[]; auditor?: object[] }): string {
  const file = join(home.directory, `scenario-${readdirSync(home.directory).length}.json`)
  const turns = [
    ...(auditor ? [{ match: AUDIT, steps: auditor }] : []),
    ...(worker ? [{ match: '/Your final message is the result/', steps: worker }] : []),
  ]
  writeFileSync(file, JSON.stringify({ name: 'test', headless: { auto: true }, turns }))
  return file
}

function oneshot(task: string, args: string[] = [], of?: string): Promise<CommandRun> {
  return inside(home, ['oneshot', task, '--agent', 'demo', ...args], { env: env(of) })
}

const resume = (...args: string[]) => inside(home, ['oneshot', '--resume', ...args], { env: env() })

interface Shown {
  id: string
  status: string
  reason: string | null
  oneshot: { state: string; iteration: number; history: { state: string; reason?: string }[] }
  stepList: {
    step: string
    status: string
    reason: string | null
    pid: number | null
    recovery: { verdict: string } | null
  }[]
}

const show = async () => JSON.parse((await inside(home, ['show', 'latest', '--json'])).stdout) as Shown
const states = ({ oneshot: { history } }: Shown) => history.map(({ state }) => state)
const workers = ({ stepList }: Shown) => stepList.filter(({ step }) => step.startsWith('worker'))
const runFile = (id: string, ...parts: string[]) => join(home.home, 'data', 'runs', id, ...parts)

/** The files of the newest run: their state is the run's, and every line of the log is whole. */
function files(id: string): { state: Record<string, unknown>; log: { type: string; to?: string; data?: object }[] } {
  return {
    state: JSON.parse(readFileSync(runFile(id, 'oneshot.json'), 'utf8')),
    log: parseLines(readFileSync(runFile(id, 'oneshot-log.json'), 'utf8')),
  }
}

/** A program of this name that is a script of Node. */
function program(name: string, script: string): Record<string, string> {
  const directory = join(home.directory, 'bin')
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, name), `#!${process.execPath}\n${script}`)
  chmodSync(join(directory, name), 0o755)
  return { PATH: `${directory}:${process.env.PATH}` }
}

const RESULT = { type: 'result', subtype: 'success', is_error: false, result: 'All is done.' }
const claude = (lines: (object | string)[], exit = 0) =>
  program(
    'claude',
    `${lines.map(line => (typeof line === 'string' ? line : `console.log(${JSON.stringify(JSON.stringify(line))})`)).join('\n')}\nprocess.exitCode = ${exit}\n`,
  )

describe('a oneshot', () => {
  test('goes round until the auditor is content, and its files say so', async () => {
    const task = 'add a line\n[demo:verdict RETRY,DONE]'
    const args = ['oneshot', task, '--agent', 'demo', '--logs-dir', 'logs', '--session-log', 'log.md']
    const done = await home.run(args, { env: env() })
    expect([done.code, done.stdout]).toEqual([0, expect.stringContaining('COMPLETED · 2 iterations')])
    expect(readFileSync(join(home.work, 'DEMO.md'), 'utf8')).toBe('- add a line\n- add a line\n')
    const shown = await show()
    const { state, log } = files(shown.id)
    expect(state).toMatchObject({ oneshot_id: shown.id, state: 'COMPLETED', iteration_count: 2, max_iterations: 5 })
    expect(Object.keys(state)).toEqual([
      'oneshot_id',
      'state',
      'iteration_count',
      'max_iterations',
      'created_at',
      'updated_at',
      'history',
    ])
    expect(log.filter(({ type }) => type === 'state_change').map(({ to }) => to)).toEqual(states(shown).slice(1))
    for (const name of ['oneshot.json', 'oneshot-log.json'])
      expect(readFileSync(join(home.work, 'logs', name), 'utf8')).toBe(readFileSync(runFile(shown.id, name), 'utf8'))
    expect(readFileSync(join(home.work, 'log.md'), 'utf8')).toContain('**RETRY**')
    expect((await inside(home, ['export', 'latest', '--format', 'oneshot', '-o', 'out'])).code).toBe(0)
    expect(JSON.parse(readFileSync(join(home.work, 'out', 'oneshot.json'), 'utf8'))).toEqual(state)
    expect(parseLines(readFileSync(join(home.work, 'out', 'oneshot-log.json'), 'utf8'))).toEqual(log)
    const logs = await inside(home, ['logs', 'latest', 'worker@2#1'])
    expect(logs.stdout).toContain('DEMO.md')
    expect(logs.stdout).not.toContain('auditor')
  })

  test('impossible is refused when it is resumed, and so is what is done', async () => {
    expect((await oneshot('x\n[demo:verdict IMPOSSIBLE]')).code).toBe(3)
    const again = await resume()
    expect([again.code, again.stderr]).toEqual([3, expect.stringContaining('The task contradicts itself')])
    expect((await oneshot('y')).code).toBe(0)
    expect((await resume()).code).toBe(2)
  })

  test('a directory that is gone or a HEAD that went elsewhere stop a resume with exit 6', async () => {
    expect((await oneshot('x\n[demo:verdict RETRY]', ['--max-iterations', '1'])).code).toBe(1)
    const refused = await resume()
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--max-iterations 2')])
    const base = git('rev-parse', 'HEAD').trim()
    git('checkout', '-q', '--orphan', 'other')
    git('commit', '-q', '--allow-empty', '-m', 'unrelated')
    const moved = await resume('--max-iterations', '2')
    expect([moved.code, moved.stderr]).toEqual([6, expect.stringContaining(base.slice(0, 12))])
    const { id } = await show()
    rmSync(home.work, { recursive: true })
    const gone = await inside(home, ['oneshot', '--resume', id], { env: env(), cwd: home.directory })
    expect([gone.code, gone.stderr]).toEqual([6, expect.stringContaining('is gone')])
    mkdirSync(home.work)
  })

  test('a budget pauses it; raised, it goes on', async () => {
    const stopped = await oneshot('x\n[demo:verdict RETRY,DONE]', ['--max-tokens', '600'])
    expect(stopped.code).toBe(5)
    expect((await show()).oneshot.history.at(-1)).toMatchObject({ state: 'INTERRUPTED', reason: 'budget' })
    const resumed = await resume('--max-tokens', '1000000')
    expect([resumed.code, resumed.stdout]).toEqual([0, expect.stringContaining('COMPLETED')])
  })

  test('a budget is raised by answering its gate, or the run is cancelled there', async () => {
    for (const [option, resumedTo] of [
      ['raise', 'COMPLETED'],
      ['cancel', null],
    ] as const) {
      expect((await oneshot(`${option}\n[demo:verdict RETRY,DONE]`, ['--max-tokens', '600'])).code).toBe(5)
      const { gates } = (await show()) as Shown & { gates: Record<string, string> }
      const [approval] = Object.values(gates)
      const answered = await inside(home, ['answer', approval!, option])
      expect([answered.code, answered.stderr]).toEqual([0, expect.any(String)])
      const late = await inside(home, ['answer', approval!, option])
      expect(late.code).not.toBe(0)
      const resumed = await resume()
      if (resumedTo) expect([resumed.code, (await show()).oneshot.state]).toEqual([0, resumedTo])
      else expect([resumed.code, (await show()).status]).toEqual([2, 'cancelled'])
    }
  })

  test('in a worktree of its own the directory stays as it is', async () => {
    expect((await oneshot('x', ['--branch', 'mine'])).code).toBe(0)
    expect(existsSync(join(home.work, 'DEMO.md'))).toBe(false)
    expect(git('branch', '--list', 'mine')).toContain('mine')
  })

  test('the daemon drives a detached one, with its files; another command follows it', async () => {
    const { run } = await home.json<{ run: string }>(['oneshot', 'x', '--agent', 'demo', '--detach', '--json'], {
      env: env(),
    })
    const followed = await home.run(['oneshot', '--follow', run])
    expect([followed.code, followed.stdout]).toEqual([0, expect.stringContaining('COMPLETED')])
    await waitFor('the files', () => files(run).state.state === 'COMPLETED')
  })

  test('a worker that asks waits in the ledger, and goes on with the answer', async () => {
    const child = home.start(['oneshot', 'x', '--agent', 'demo', '--permissions', 'ask'], { env: env() })
    const finished = home.finish(child)
    const [asked] = await waitFor('a request', async () => {
      const list = await home.json<{ id: string; fingerprint: string }[]>(['approvals', '--json'])
      return list.length > 0 ? list : null
    })
    await home.ok(['approve', asked!.id, '--fingerprint', asked!.fingerprint])
    const done = await finished
    expect([done.code, done.stdout]).toEqual([0, expect.stringContaining(`signalbox approve ${asked!.id}`)])
    expect(readFileSync(join(home.work, 'DEMO.md'), 'utf8')).toBe('- x\n')
  })

  test('a model behind an address answers both roles', async () => {
    const answers = ['I did what I could.', '{"verdict":"DONE","feedback":"fine","findings":[]}']
    const seen: Record<string, unknown>[] = []
    const server = createServer((request, response) => {
      let body = ''
      request.on('data', chunk => {
        body += chunk
      })
      request.on('end', () => {
        seen.push({ ...JSON.parse(body), key: request.headers.authorization })
        const chunk = (value: object) => response.write(`data: ${JSON.stringify({ id: 'c', ...value })}\n\n`)
        const text = answers[seen.length - 1]!
        for (const piece of [text.slice(0, 5), text.slice(5)]) chunk({ choices: [{ delta: { content: piece } }] })
        chunk({ choices: [{ delta: {}, finish_reason: 'stop' }] })
        chunk({ choices: [], usage: { prompt_tokens: 5, completion_tokens: 3 } })
        response.end('data: [DONE]\n\n')
      })
    }).listen(0, '127.0.0.1')
    await new Promise(resolve => server.once('listening', resolve))
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
    try {
      const args = [
        'oneshot',
        'x',
        '--agent',
        'direct',
        '--endpoint',
        endpoint,
        '--model',
        'm',
        '--api-key-env',
        'MY_KEY',
      ]
      const done = await inside(home, args, { env: { ...env(), MY_KEY: 'secret-value-123456' } })
      expect([done.code, done.stdout]).toEqual([0, expect.stringContaining('COMPLETED')])
      expect(seen).toMatchObject([
        { model: 'm', stream: true, key: 'Bearer secret-value-123456' },
        { response_format: {} },
      ])
    } finally {
      server.close()
    }
  })
})

describe('what must never come back', () => {
  test.each([
    ['worker', 'WORKER_EXECUTING'],
    ['auditor', 'AUDITOR_EXECUTING'],
  ] as const)('resume started the worker again from CREATED: host killed while the %s works', async (role, hot) => {
    const child = home.start(['oneshot', 'x', '--agent', 'demo'], { env: env(scenario({ [role]: [{ hang: {} }] })) })
    child.stdout!.resume()
    await waitFor(hot, async () => {
      const { code, stdout } = await inside(home, ['show', 'latest', '--json'])
      const shown = code === 0 ? (JSON.parse(stdout) as Shown) : null
      return shown?.oneshot.state === hot && shown.stepList.at(-1)!.pid !== null
    })
    child.kill('SIGKILL')
    await waitFor('the host to be gone', () => child.signalCode !== null)
    const resumed = await resume()
    expect([resumed.code, resumed.stdout]).toEqual([0, expect.stringContaining('COMPLETED · 1 iteration')])
    const shown = await show()
    expect(workers(shown).length).toBe(role === 'worker' ? 2 : 1)
    expect(states(shown)).not.toContain('FAILED')
    expect(states(shown).filter(state => state === 'CREATED').length).toBe(1)
    expect(home.processes().others).toEqual([])
  })

  test('a host killed with -9 anywhere: the next one comes to the same end, and repeats nothing finished', async () => {
    // The auditor judges by its earlier verdicts alone, which it is shown: however often it is asked, it says the same.
    const verdict = (word: string, feedback: string) => [
      { say: { markdown: JSON.stringify({ verdict: word, feedback }) } },
    ]
    const asked = (about: string) => `/(?=[\\s\\S]*"verdict": "DONE")(?=[\\s\\S]*${about})/`
    const file = join(home.directory, 'three-rounds.json')
    const turns = [
      { match: asked('second look'), steps: verdict('DONE', 'fine') },
      { match: asked('first look'), steps: verdict('RETRY', 'second look') },
      { match: AUDIT, steps: verdict('RETRY', 'first look') },
    ]
    writeFileSync(file, JSON.stringify({ name: 'three rounds', headless: { auto: true }, turns }))
    for (const version of sample(KILLS, 3, 24)) {
      const child = home.start(['oneshot', `at ${version}`, '--agent', 'demo', '--json'], { env: env(file) })
      const seen = { text: '', lines: 0 }
      const ended = new Promise(resolve => child.on('close', resolve))
      child.stdout!.on('data', chunk => {
        seen.text += String(chunk)
        seen.lines = parseEvents(seen.text).length
        if (seen.lines >= version) child.kill('SIGKILL')
      })
      await ended
      // One that was killed after its last event has nothing left to do but its files.
      if ((await show()).status !== 'completed') {
        const resumed = await inside(home, ['oneshot', '--resume'], { env: env(file) })
        expect([version, resumed.code]).toEqual([version, 0])
      } else await inside(home, ['export', 'latest', '--format', 'oneshot'])
      const shown = await show()
      const done = shown.stepList.filter(({ status }) => status === 'ok').map(({ step }) => step.replace(/#\d+$/, ''))
      expect([version, shown.oneshot.state, shown.oneshot.iteration]).toEqual([version, 'COMPLETED', 3])
      expect(new Set(done).size).toBe(done.length)
      const { log } = files(shown.id)
      expect(log.filter(({ type }) => type === 'state_change').map(({ to }) => to)).toEqual(states(shown).slice(1))
    }
    expect(home.processes().others).toEqual([])
  })

  test('exit code ignored', async () => {
    const worker = [{ say: { markdown: 'Everything is DONE.' } }, { crash: { exit: 3 } }]
    await oneshot('x', [], scenario({ worker }))
    const shown = await show()
    expect(shown.oneshot.history[2]).toMatchObject({ state: 'RECOVERY_PENDING', reason: 'exit_3' })
  })

  test('exit 0 trusted: without a final record', async () => {
    await oneshot('x', [], scenario({ worker: [{ say: { markdown: 'DONE' } }, { crash: { exit: 0 } }] }))
    expect((await show()).oneshot.history[2]).toMatchObject({ state: 'RECOVERY_PENDING', reason: 'no_final_record' })
  })

  test('exit 0 trusted: with an error in the final record', async () => {
    const failing = claude([{ ...RESULT, is_error: true, api_error_status: 401, result: 'Not logged in' }])
    const args = ['oneshot', 'x', '--worker', 'claude', '--auditor', 'demo', '--permissions', 'edits']
    const failed = await inside(home, args, { env: { ...env(), ...failing } })
    const shown = await show()
    expect(shown.oneshot.history[2]).toMatchObject({ state: 'RECOVERY_PENDING', reason: 'error_auth' })
    expect(failed.code).toBe(7)
  })

  test('hung process never killed: half a line, then silence', async () => {
    const worker = [{ raw: { text: '{"type":"text","te' } }, { hang: {} }]
    const started = Date.now()
    const failed = await oneshot('x', ['--inactivity-threshold', '2s'], scenario({ worker }))
    expect(failed.code).toBe(1)
    const shown = await show()
    const [, begun, ended] = (shown.oneshot.history as unknown as { ts: number }[]).map(({ ts }) => ts)
    expect(shown.oneshot.history[2]).toMatchObject({ state: 'RECOVERY_PENDING', reason: 'inactivity_timeout' })
    expect(ended! - begun!).toBeGreaterThan(1.9)
    expect(ended! - begun!).toBeLessThan(2 + 1 + 1)
    expect(Date.now() - started).toBeLessThan(20_000)
    expect(home.processes().others).toEqual([])
  })

  test('recovery compared the wrong words: a worker that died after its work was done', async () => {
    const done = await oneshot('die\n[demo:scenario zombie]')
    expect([done.code, done.stdout]).toEqual([0, expect.stringContaining('the process died, but the work is done')])
    const shown = await show()
    expect(workers(shown)).toMatchObject([{ recovery: { verdict: 'success' } }])
  })

  test('recovered text lived in metadata only', async () => {
    await oneshot('die\n[demo:scenario zombie]')
    const { log } = files((await show()).id)
    expect(log.map(({ data }) => data)).toContainEqual(
      expect.objectContaining({ type: 'text', recovered: true, text: expect.stringContaining('The work is done') }),
    )
  })

  test('recovery always dead: half done work goes on in the same session, nothing at all fails', async () => {
    const partial = await oneshot('x\n[demo:scenario crash]')
    expect([partial.code, partial.stdout]).toEqual([0, expect.stringContaining('in the middle of its work')])
    const shown = await show()
    expect(workers(shown)).toMatchObject([{ recovery: { verdict: 'partial' } }, { status: 'ok' }])
    const dead = await oneshot('y', [], scenario({ worker: [{ crash: { exit: 3 } }] }))
    expect(dead.code).toBe(1)
    expect((await show()).reason).toBe('nothing_recovered')
  })

  test('feedback lost', async () => {
    await oneshot('x\n[demo:verdict RETRY,DONE]')
    const prompt = readFileSync(runFile((await show()).id, 'steps', 'worker@2#1', 'prompt.md'), 'utf8')
    expect(prompt).toContain('One part is missing; please look at the task again.')
    expect(prompt).toContain('attempt 2 of at most 5')
  })

  test.each([
    ['words', 'All is DONE, really done.'],
    ['unknown read as done', '{"verdict":"UNKNOWN","feedback":"x"}'],
    ['auditor prompt in the log matched as verdict', 'You asked for {"verdict": "DONE" | "RETRY"}; DONE'],
  ])('no verdict is not approved: %s', async (_, markdown) => {
    const failed = await oneshot('x', [], scenario({ auditor: [{ say: { markdown } }] }))
    expect(failed.code).toBe(1)
    const shown = await show()
    expect([shown.reason, shown.oneshot.state]).toEqual(['no_verdict', 'FAILED'])
    expect(shown.stepList.map(({ step }) => step)).toEqual(['worker@1#1', 'auditor@1#1', 'auditor@1#2'])
    const resumed = await resume()
    expect(resumed.code).toBe(0)
    expect(workers(await show()).length).toBe(1)
  })

  test('stderr mixed into JSON', async () => {
    const noisy = claude([
      'process.stderr.write("{ warning: no JSON\\n")',
      { type: 'assistant', message: { id: 'm', content: [{ type: 'text', text: 'Working.' }] } },
      'process.stderr.write("}\\n")',
      RESULT,
    ])
    const args = ['oneshot', 'x', '--worker', 'claude', '--auditor', 'demo', '--permissions', 'edits']
    const done = await inside(home, args, { env: { ...env(), ...noisy } })
    expect([done.code, done.stdout]).toEqual([0, expect.stringContaining('COMPLETED')])
  })

  test.each([1, 2, 5])('max-iterations off by one: %i', async max => {
    const failed = await oneshot('x\n[demo:verdict RETRY]', ['--max-iterations', String(max)])
    expect(failed.code).toBe(1)
    const shown = await show()
    expect([shown.reason, workers(shown).length]).toEqual(['max_iterations', max])
  })

  test('partial settings file refused', async () => {
    mkdirSync(join(home.home, 'config'), { recursive: true })
    writeFileSync(join(home.home, 'config', 'config.toml'), '[oneshot]\nmax_iterations = 2\n')
    await oneshot('x\n[demo:verdict RETRY]')
    expect(workers(await show()).length).toBe(2)
    writeFileSync(join(home.home, 'config', 'config.toml'), '[oneshot]\nmax_iteration = 2\n')
    const wrong = await oneshot('x')
    expect([wrong.code, wrong.stderr]).toEqual([6, expect.stringMatching(/config\.toml:2:\d+.*max_iterations/s)])
  })

  test('advertised agent missing', async () => {
    for (const agent of ['claude', 'codex', 'gemini', 'opencode', 'qwen', 'copilot', 'cline', 'aider']) {
      const missing = await inside(home, ['oneshot', 'x', '--agent', agent], { env: { PATH: '/nowhere' } })
      expect([agent, missing.code, missing.stderr.includes('was not found')]).toEqual([agent, 7, true])
    }
  })

  test('grandchildren survived: deaf to TERM, with children in sessions of their own', async () => {
    const failed = await oneshot('deaf\n[demo:scenario hang]', ['--inactivity-threshold', '1s'])
    expect(failed.code).toBe(1)
    expect(home.processes().others).toEqual([])
  })

  test('noise: invalid UTF-8, half JSON, and much of it', async () => {
    expect((await oneshot('x\n[demo:scenario garbage]')).code).toBe(0)
    expect((await oneshot('x\n[demo:scenario huge]')).code).toBe(0)
  })
})
