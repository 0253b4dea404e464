import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { waitFor } from './harness.js'
import { inside } from './inside.js'
import {
  AUDIT,
  claude,
  env,
  files,
  home,
  KILLS,
  oneshot,
  parseEvents,
  program,
  RESULT,
  resume,
  runFile,
  type Shown,
  sample,
  scenario,
  show,
  states,
  useOneshotHome,
  workers,
} from './oneshot-home.js'

useOneshotHome()

// Defects of an earlier implementation.
describe('a regression of oneshots:', () => {
  test.each([
    ['worker', 'WORKER_EXECUTING'],
    ['auditor', 'AUDITOR_EXECUTING'],
  ] as const)('resume after a kill during the step of the %s does not start again from CREATED', async (role, hot) => {
    const child = home.start(['oneshot', 'x', '--agent', 'demo'], { env: env(scenario({ [role]: [{ hang: {} }] })) })
    child.stdout!.resume()
    await waitFor(hot, async () => {
      const { code, stdout } = await inside(home, ['show', 'latest', '--json'])
      const shown = code === 0 ? (JSON.parse(stdout) as Shown) : null
      return shown?.oneshot.state === hot && shown.stepList.at(-1)!.pid !== null
    })
    child.kill('SIGKILL')
    await waitFor('the host to end', () => child.signalCode !== null)
    const resumed = await resume()
    expect([resumed.code, resumed.stdout]).toEqual([0, expect.stringContaining('done · 1 iteration')])
    const shown = await show()
    expect(workers(shown).length).toBe(role === 'worker' ? 2 : 1)
    expect(states(shown)).not.toContain('FAILED')
    expect(states(shown).filter(state => state === 'CREATED').length).toBe(1)
    expect(home.processes().others).toEqual([])
  })

  test('the next host reaches the same end after kill -9 at any point, and repeats no finished step', async () => {
    // The verdict depends only on the earlier verdicts in the prompt, so it is repeatable.
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
    // src/oneshot/kill-anywhere.test.ts kills at every event; another seed takes another one here.
    for (const version of sample(KILLS, 1, 24)) {
      const child = home.start(['oneshot', `at ${version}`, '--agent', 'demo', '--json'], { env: env(file) })
      const seen = { text: '', lines: 0 }
      const ended = new Promise(resolve => child.on('close', resolve))
      child.stdout!.on('data', chunk => {
        seen.text += String(chunk)
        seen.lines = parseEvents(seen.text).length
        if (seen.lines >= version) child.kill('SIGKILL')
      })
      await ended
      // A host that was killed after its last event had only its files left to write.
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

  test('the exit code of an agent is not ignored', async () => {
    const worker = [{ say: { markdown: 'Everything is DONE.' } }, { crash: { exit: 3 } }]
    await oneshot('x', [], scenario({ worker }))
    const shown = await show()
    expect(shown.oneshot.history[2]).toMatchObject({ state: 'RECOVERY_PENDING', reason: 'exit_3' })
  })

  test('exit code 0 without a final record is a failure', async () => {
    await oneshot('x', [], scenario({ worker: [{ say: { markdown: 'DONE' } }, { crash: { exit: 0 } }] }))
    expect((await show()).oneshot.history[2]).toMatchObject({ state: 'RECOVERY_PENDING', reason: 'no_final_record' })
  })

  test('exit code 0 with an error in the final record is a failure', async () => {
    const failing = claude([{ ...RESULT, is_error: true, api_error_status: 401, result: 'Not logged in' }])
    const args = ['oneshot', 'x', '--worker', 'claude', '--auditor', 'demo', '--permissions', 'edits']
    const failed = await inside(home, args, { env: { ...env(), ...failing } })
    const shown = await show()
    expect(shown.oneshot.history[2]).toMatchObject({ state: 'RECOVERY_PENDING', reason: 'error_auth' })
    expect(failed.code).toBe(7)
  })

  test('a process that hangs after half a line is killed', async () => {
    const worker = [{ raw: { text: '{"type":"text","te' } }, { hang: {} }]
    const failed = await oneshot('x', ['--inactivity-threshold', '2s'], scenario({ worker }))
    expect(failed.code).toBe(1)
    const shown = await show()
    const [, started, ended] = (shown.oneshot.history as unknown as { ts: number }[]).map(({ ts }) => ts)
    expect(shown.oneshot.history[2]).toMatchObject({ state: 'RECOVERY_PENDING', reason: 'inactivity_timeout' })
    expect(ended! - started!).toBeGreaterThan(1.9)
    expect(home.processes().others).toEqual([])
  })

  test('a worker that died after its work was done is recovered as successful, and its text is the answer', async () => {
    const done = await oneshot('die\n[demo:scenario zombie]')
    expect([done.code, done.stdout]).toEqual([0, expect.stringContaining('the process died, but the work is done')])
    const shown = await show()
    expect(workers(shown)).toMatchObject([{ recovery: { verdict: 'success' } }])
    expect(files(shown.id).log.map(({ data }) => data)).toContainEqual(
      expect.objectContaining({ type: 'text', recovered: true, text: expect.stringContaining('The work is done') }),
    )
  })

  test('partial work continues in the same session, and a step without any work fails', async () => {
    const partial = await oneshot('x\n[demo:scenario crash]')
    expect([partial.code, partial.stdout]).toEqual([0, expect.stringContaining('the process died during its work')])
    const shown = await show()
    expect(workers(shown)).toMatchObject([{ recovery: { verdict: 'partial' } }, { status: 'ok' }])
    const dead = await oneshot('y', [], scenario({ worker: [{ crash: { exit: 3 } }] }))
    expect(dead.code).toBe(1)
    expect((await show()).reason).toBe('nothing_recovered')
  })

  test('the feedback of the auditor reaches the worker', async () => {
    await oneshot('x\n[demo:verdict RETRY,DONE]')
    const prompt = readFileSync(runFile((await show()).id, 'steps', 'worker@2#1', 'prompt.md'), 'utf8')
    expect(prompt).toContain('One part is missing; please look at the task again.')
    expect(prompt).toContain('attempt 2 of at most 5')
  })

  // src/oneshot/verdict.test.ts has every other form of an answer without a verdict.
  test('an answer without a verdict is not an approval', async () => {
    const markdown = 'You asked for {"verdict": "DONE" | "RETRY"}; all is DONE, really done.'
    const failed = await oneshot('x', [], scenario({ auditor: [{ say: { markdown } }] }))
    expect(failed.code).toBe(1)
    const shown = await show()
    expect([shown.reason, shown.oneshot.state]).toEqual(['no_verdict', 'FAILED'])
    expect(shown.stepList.map(({ step }) => step)).toEqual(['worker@1#1', 'auditor@1#1', 'auditor@1#2'])
    const resumed = await resume()
    expect(resumed.code).toBe(0)
    expect(workers(await show()).length).toBe(1)
  })

  test('stderr is not mixed into JSON', async () => {
    const noisy = claude([
      'process.stderr.write("{ warning: no JSON\\n")',
      { type: 'assistant', message: { id: 'm', content: [{ type: 'text', text: 'Working.' }] } },
      'process.stderr.write("}\\n")',
      RESULT,
    ])
    const args = ['oneshot', 'x', '--worker', 'claude', '--auditor', 'demo', '--permissions', 'edits']
    const done = await inside(home, args, { env: { ...env(), ...noisy } })
    expect([done.code, done.stdout]).toEqual([0, expect.stringContaining('done · ')])
  })

  test.each([1, 3])('--max-iterations %i allows exactly that many iterations', async max => {
    const failed = await oneshot('x\n[demo:verdict RETRY]', ['--max-iterations', String(max)])
    expect(failed.code).toBe(1)
    const shown = await show()
    expect([shown.reason, workers(shown).length]).toEqual(['max_iterations', max])
  })

  test('a partial settings file is accepted', async () => {
    mkdirSync(join(home.home, 'config'), { recursive: true })
    writeFileSync(join(home.home, 'config', 'config.toml'), '[oneshot]\nmax_iterations = 2\n')
    await oneshot('x\n[demo:verdict RETRY]')
    expect(workers(await show()).length).toBe(2)
    writeFileSync(join(home.home, 'config', 'config.toml'), '[oneshot]\nmax_iteration = 2\n')
    const wrong = await oneshot('x')
    expect([wrong.code, wrong.stderr]).toEqual([6, expect.stringMatching(/config\.toml:2:\d+.*max_iterations/s)])
  })

  test('a trusted project file narrows the personal settings, an untrusted one needs approval', async () => {
    mkdirSync(join(home.home, 'config'), { recursive: true })
    writeFileSync(join(home.home, 'config', 'config.toml'), '[oneshot]\nmax_iterations = 3\n')
    // No person has approved the file; a second attempt does not change that.
    const settings = (text: string) => writeFileSync(join(home.work, '.signalbox.toml'), `# ${randomUUID()}\n${text}`)
    settings('[oneshot]\nmax_iterations = 1\n')
    const untrusted = await oneshot('x\n[demo:verdict RETRY]')
    expect([untrusted.code, untrusted.stderr]).toEqual([4, expect.stringContaining('.signalbox.toml')])
    const ignored = await inside(home, ['config', 'show', 'oneshot.max_iterations', '--origin'])
    expect([ignored.stdout, ignored.stderr]).toEqual([
      expect.stringMatching(/= 3 .*user/),
      expect.stringContaining('not trusted'),
    ])
    const hash = /--trust ([0-9a-f]{64})/.exec(untrusted.stderr)![1]!
    await oneshot('x\n[demo:verdict RETRY]', ['--trust', hash])
    expect(workers(await show()).length).toBe(1)
    // An approved file needs no approval until it changes; it may allow less, never more.
    expect((await inside(home, ['config', 'show', 'oneshot.max_iterations', '--origin'])).stdout).toMatch(
      /= 1 .*project/,
    )
    expect((await oneshot('x\n[demo:verdict RETRY]')).code).toBe(1)
    settings('[oneshot]\nmax_iterations = 9\n')
    const changed = await oneshot('x')
    expect(changed.code).toBe(4)
    const wider = await oneshot('x', ['--trust', /--trust ([0-9a-f]{64})/.exec(changed.stderr)![1]!])
    expect([wider.code, wider.stderr]).toEqual([6, expect.stringMatching(/\.signalbox\.toml:3:\d+.*max_iterations/s)])
  })

  test('a project with hooks for an agent needs approval before any agent starts in it', async () => {
    mkdirSync(join(home.work, '.claude'))
    writeFileSync(join(home.work, '.claude', 'settings.json'), '{"hooks":{}}')
    const before = (JSON.parse((await inside(home, ['runs', '--json'])).stdout) as object[]).length
    const asked = await oneshot('x')
    expect([asked.code, asked.stderr]).toEqual([4, expect.stringContaining('.claude/settings.json')])
    expect((JSON.parse((await inside(home, ['runs', '--json'])).stdout) as object[]).length).toBe(before)
  })

  test('every documented flag exists', async () => {
    const { stdout } = await home.run(['oneshot', '--help'])
    const listed = new Set(stdout.match(/--[a-z-]+/g))
    const promised =
      'agent worker auditor model worker-model auditor-model endpoint api-key-env worker-endpoint auditor-api-key-env max-iterations inactivity-threshold tool-inactivity-threshold timeout permissions auditor-permissions check worktree branch max-cost max-tokens max-time worker-header reworker-header auditor-header resume view follow logs-dir session-log live detach json no-input task-file'
    expect(promised.split(' ').filter(flag => !listed.has(`--${flag}`))).toEqual([])
  })

  test('recovery finds the conversation by the agent’s own id in the agent’s own path', async () => {
    // The agent writes to its usual path under its own id, and dies before its first message.
    const script = `
const { mkdirSync, writeFileSync, readFileSync } = require('node:fs')
const id = process.argv[process.argv.indexOf('--session-id') + 1]
const folder = process.env.HOME + '/.claude/projects/' + process.cwd().replace(/[^A-Za-z0-9]/g, '-')
const at = new Date().toISOString()
const common = { sessionId: id, cwd: process.cwd(), isSidechain: false, timestamp: at, version: '2.1.325' }
const prompt = readFileSync(0, 'utf8')
mkdirSync(folder, { recursive: true })
writeFileSync(folder + '/' + id + '.jsonl', [
  { ...common, type: 'user', uuid: 'u1', parentUuid: null, message: { role: 'user', content: prompt } },
  { ...common, type: 'assistant', uuid: 'u2', parentUuid: 'u1', message: { id: 'm', role: 'assistant', stop_reason: 'end_turn', content: [{ type: 'text', text: 'It is all written down.' }] } },
].map(record => JSON.stringify(record) + '\\n').join(''))
process.exitCode = 1
`
    const args = ['oneshot', 'x', '--worker', 'claude', '--auditor', 'demo', '--permissions', 'edits']
    const done = await inside(home, args, { env: { ...env(), ...program('claude', script) } })
    expect([done.code, done.stdout]).toEqual([0, expect.stringContaining('the process died, but the work is done')])
    const { log } = files((await show()).id)
    expect(log.map(({ data }) => data)).toContainEqual(
      expect.objectContaining({ recovered: true, text: expect.stringContaining('It is all written down.') }),
    )
  })

  test('records of every form are parsed, also a single line of NDJSON', async () => {
    const say = (id: string, text: string) => ({
      type: 'assistant',
      message: { id, content: [{ type: 'text', text }] },
    })
    const write = (text: string) => `process.stdout.write(${JSON.stringify(text)})`
    const mixed = claude([
      write('\ufeffwarming up\r\n'),
      say('a', 'one line'),
      write(`${JSON.stringify(say('b', 'indented'), null, 2)}\r\n`),
      write(`${JSON.stringify(say('c', 'joined'))}${JSON.stringify(say('d', 'to another'))}\n{ torn\n`),
      RESULT,
    ])
    const args = ['oneshot', 'x', '--worker', 'claude', '--auditor', 'demo', '--permissions', 'edits']
    expect((await inside(home, args, { env: { ...env(), ...mixed } })).code).toBe(0)
    const said = files((await show()).id).log.map(({ data }) => (data as { text?: string } | undefined)?.text)
    expect(
      ['warming up', 'one line', 'indented', 'joined', 'to another', '{ torn'].filter(text => !said.includes(text)),
    ).toEqual([])
  })

  test('the answer of a worker that prints 50 MB is found, and the host holds little of it in memory', async () => {
    const script = `
const block = ('x'.repeat(8191) + '\\n').repeat(128)
let left = 50
const more = () => {
  while (left-- > 0) if (!process.stdout.write(block)) return process.stdout.once('drain', more)
  console.log(${JSON.stringify(JSON.stringify(RESULT))})
}
more()
`
    const before = process.memoryUsage().rss
    const args = ['oneshot', 'x', '--worker', 'claude', '--auditor', 'demo', '--permissions', 'edits']
    const done = await inside(home, args, { env: { ...env(), ...program('claude', script) } })
    expect([done.code, done.stdout]).toEqual([0, expect.stringContaining('done · ')])
    expect((process.memoryUsage().rss - before) / 1024 / 1024).toBeLessThan(400)
  })

  test('a long task reaches the agent completely; one of 1 MiB is refused with a reason', async () => {
    const file = join(home.directory, 'long-task.txt')
    writeFileSync(file, `${'do this and that. '.repeat(10_000)}the very last word`)
    const done = await inside(home, ['oneshot', '--task-file', file, '--agent', 'demo'], { env: env() })
    expect([done.code, done.stdout]).toEqual([0, expect.stringContaining('done · ')])
    const prompt = readFileSync(runFile((await show()).id, 'steps', 'worker@1#1', 'prompt.md'), 'utf8')
    expect([prompt.length > 180_000, prompt.includes('the very last word')]).toEqual([true, true])
    writeFileSync(file, 'do this and that. '.repeat(58_255))
    const refused = await inside(home, ['oneshot', '--task-file', file, '--agent', 'demo'], { env: env() })
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('put it into a file of the project')])
  })

  test('a listed agent whose program is missing gives an error that names the program', async () => {
    for (const agent of ['claude', 'codex', 'gemini', 'opencode', 'qwen', 'copilot', 'cline', 'aider']) {
      const missing = await inside(home, ['oneshot', 'x', '--agent', agent], { env: { PATH: '/nowhere' } })
      expect([agent, missing.code, missing.stderr.includes('was not found')]).toEqual([agent, 7, true])
    }
  })

  test('descendants that ignore TERM and have their own sessions are killed', async () => {
    const failed = await oneshot('deaf\n[demo:scenario hang]', ['--inactivity-threshold', '1s'])
    expect(failed.code).toBe(1)
    expect(home.processes().others).toEqual([])
  })

  test('much invalid UTF-8 and partial JSON is tolerated', async () => {
    expect((await oneshot('x\n[demo:scenario garbage]')).code).toBe(0)
    expect((await oneshot('x\n[demo:scenario huge]')).code).toBe(0)
  })
})
