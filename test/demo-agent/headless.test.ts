import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { demoArgv, temporaryDirectory } from './terminal-harness.js'

type Json = Record<string, unknown>

let home: string
beforeEach(() => {
  home = temporaryDirectory()
})

function run(args: string[], input = ''): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, demoArgv(['--headless', '--speed', '0', ...args]), {
    cwd: home,
    input,
    encoding: 'utf8',
    timeout: 100_000,
    env: { ...process.env, SIGNALBOX_DEMO_HOME: home },
  })
}

function parse(text: string): Json[] {
  return text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Json)
}

describe('headless roles', () => {
  it('a worker makes a small real edit and reports it in records', () => {
    const { stdout, status } = run(['--permission-mode', 'edits', '--session-id', 'w1'], 'Paint the signal')
    const records = parse(stdout)
    expect(status).toBe(0)
    expect(records[0]).toMatchObject({ type: 'session', sessionId: 'w1' })
    expect(records).toContainEqual(expect.objectContaining({ type: 'file_change', path: 'DEMO.md', change: 'create' }))
    expect(records.at(-1)).toMatchObject({ type: 'result', ok: true })
    expect(readFileSync(join(home, 'DEMO.md'), 'utf8')).toBe('- Paint the signal\n')
    const deltas = records.filter(record => record.block === 'text_1' && record.delta === true)
    const block = records.find(record => record.block === 'text_1' && record.delta === false)
    expect(deltas.map(record => record.text).join('')).toBe(block?.text)
    expect(parse(readFileSync(join(home, 'sessions', 'w1.jsonl'), 'utf8')).map(record => record.type)).toEqual([
      'session',
      'user',
      'assistant',
      'tool_use',
      'tool_result',
      'assistant',
      'turn_end',
    ])
  })

  it('an auditor gives its verdicts in order, one per process', () => {
    const audit = () =>
      parse(run(['-p', 'Answer {"verdict": …}', '--scenario', 'retry', '--permission-mode', 'read']).stdout)
    const verdicts = [1, 2, 3, 4].map(() => (audit().at(-1) as { structured: Json }).structured.verdict)
    expect(verdicts).toEqual(['RETRY', 'RETRY', 'DONE', 'DONE'])
    const steered = run(['-p', 'Audit.\n[demo:verdict IMPOSSIBLE]', '--permission-mode', 'read'])
    expect(parse(steered.stdout).at(-1)?.structured).toMatchObject({ verdict: 'IMPOSSIBLE' })
  })

  it('a reviewer approves, a planner plans', () => {
    expect(parse(run(['-p', 'Review it. Answer {"approved": bool}']).stdout).at(-1)?.structured).toMatchObject({
      approved: true,
    })
    expect(parse(run(['-p', 'Write a plan for the new siding']).stdout).at(-1)?.text).toContain('# Plan')
  })
})

describe('a headless agent that needs permission', () => {
  it('asks with a record and reads the decision from stdin', () => {
    const prompt = '{"type":"user","text":"Do it"}\n'
    const allowed = run([], `${prompt}{"requestId":"request_1","decision":"allow"}\n`)
    expect(parse(allowed.stdout)).toContainEqual(
      expect.objectContaining({ type: 'approval', requestId: 'request_1', tool: 'Edit' }),
    )
    expect(allowed.status).toBe(0)
    const denied = run([], `${prompt}{"requestId":"request_1","decision":"deny","message":"not today"}\n`)
    expect(denied.status).toBe(3)
    expect(parse(denied.stdout)).toContainEqual(
      expect.objectContaining({ type: 'tool_result', ok: false, output: 'declined: not today' }),
    )
    expect(run([], prompt).status).toBe(4)
  })

  it('changes nothing in the mode "read"', () => {
    const { stdout, status } = run(['-p', 'Do it', '--permission-mode', 'read'])
    expect(status).toBe(3)
    expect(parse(stdout).at(-1)).toMatchObject({ ok: false, reason: 'denied' })
    expect(existsSync(join(home, 'DEMO.md'))).toBe(false)
  })
})

describe('headless faults', () => {
  it('a zombie is killed after its work and prints no result', () => {
    const { stdout, signal } = run([
      '--scenario',
      'zombie',
      '-p',
      'die',
      '--permission-mode',
      'all',
      '--session-id',
      'z',
    ])
    expect(signal).toBe('SIGKILL')
    expect(parse(stdout).some(record => record.type === 'result')).toBe(false)
    expect(parse(readFileSync(join(home, 'sessions', 'z.jsonl'), 'utf8')).at(-1)).toMatchObject({
      type: 'turn_end',
      outcome: 'done',
    })
    const resumed = run(['--resume', 'z', '-p', 'exit', '--permission-mode', 'all'])
    expect(parse(resumed.stdout)[0]).toMatchObject({ sessionId: 'z' })
    expect(resumed.status).toBe(3)
  })

  it('errors have a class and an exit code', () => {
    const auth = run(['--scenario', 'errors', '-p', 'auth'])
    expect(auth.status).toBe(7)
    expect(parse(auth.stdout)).toContainEqual(expect.objectContaining({ type: 'error', class: 'auth', status: 401 }))
    const overloaded = run(['--scenario', 'errors', '-p', 'hello'])
    expect(overloaded.status).toBe(1)
    expect(parse(overloaded.stdout).filter(record => record.type === 'retry')).toHaveLength(3)
  })

  it('lines that are not JSON do not stop the records after them', () => {
    const { stdout } = run(['--scenario', 'garbage', '-p', 'x'])
    expect(stdout).toContain('warning: this line is no JSON')
    expect(stdout).toContain('\ufffd')
    expect(JSON.parse(stdout.trim().split('\n').at(-1)!)).toMatchObject({ type: 'result', ok: true })
  })

  it('the demo agent prints indented objects with --json-indented', () => {
    const { stdout } = run(['-p', 'x', '--json-indented', '--permission-mode', 'all'])
    expect(stdout.startsWith('{\n  "type": "session",\n')).toBe(true)
    expect(JSON.parse(`[${stdout.trim().replaceAll(/^\}\n\{/gm, '},\n{')}]`).at(-1)).toMatchObject({ type: 'result' })
  })

  const startHeadless = (args: string[]) => {
    const child = spawn(process.execPath, demoArgv(['--headless', ...args]), {
      cwd: home,
      env: { ...process.env, SIGNALBOX_DEMO_HOME: home },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const seen = { text: '' }
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      seen.text += chunk
    })
    const ended = new Promise<{ code: number | null; signal: string | null }>(resolve =>
      child.on('close', (code, signal) => resolve({ code, signal })),
    )
    return { child, seen, ended }
  }

  it.each([
    [true, 0],
    [false, 143],
  ])('SIGTERM in the middle of a turn ends the process (ignored: %s)', async (on, code) => {
    const file = join(home, 'term.json')
    // Without the handler the signal must arrive during the wait; with it, the wait must end.
    const steps = [{ ignoreTerm: { on } }, { say: 'ready' }, { wait: on ? 1500 : 600_000 }, { say: 'still here' }]
    writeFileSync(file, JSON.stringify({ name: 'term', turns: [{ steps }] }))
    const { child, seen, ended } = startHeadless(['-p', 'x', '--scenario', file])
    await expect.poll(() => seen.text).toContain('"delta":false,"text":"ready"')
    child.kill('SIGTERM')
    expect(await ended).toEqual({ code, signal: null })
    expect(seen.text.includes('"text":"still here"')).toBe(on)
  })

  it('the demo agent leaves its child processes running when it is killed', async () => {
    const { child, ended } = startHeadless(['-p', 'deaf', '--scenario', 'hang', '--speed', '0'])
    const children = () =>
      readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
        .trim()
        .split(' ')
        .filter(Boolean)
        .map(Number)
    await expect.poll(() => children().length).toBe(2)
    const grandchildren = children()
    child.kill('SIGKILL')
    expect(await ended).toEqual({ code: null, signal: 'SIGKILL' })
    for (const pid of grandchildren) expect(process.kill(pid, 'SIGKILL')).toBe(true)
  })
})

describe('invalid input', () => {
  it.each([
    ['an unknown scenario', ['--scenario', 'nonsense'], 2, 'unknown scenario "nonsense"'],
    ['an unknown flag', ['--nonsense'], 2, '--nonsense'],
    ['an unknown session', ['--resume', 'nobody', '-p', 'x'], 2, 'unknown session "nobody"'],
    ['an id with a path in it', ['--session-id', '../../x', '-p', 'x'], 2, 'is not a valid session id'],
    ['no prompt', ['--permission-mode', 'all'], 2, 'no prompt was given'],
  ])('is refused with a message: %s', (_, args, code, message) => {
    const { status, stderr } = run(args)
    expect(status).toBe(code)
    expect(stderr).toContain(message)
  })

  it('a scenario file with mistakes: each mistake is reported with its path', () => {
    writeFileSync(
      join(home, 'bad.json'),
      JSON.stringify({ name: 'x', turns: [{ steps: [{ say: { markdown: 3 } }, { foo: 1 }] }] }),
    )
    const { stderr } = run(['--scenario', './bad.json', '-p', 'x'])
    expect(stderr).toContain('./bad.json: turns[0].steps[0].say.markdown: expected a text, got 3')
    expect(stderr).toContain('./bad.json: turns[0].steps[1]: expected an object with one step of')
    writeFileSync(join(home, 'torn.json'), '{\n  "name": x')
    expect(run(['--scenario', './torn.json', '-p', 'x']).stderr).toMatch(/torn\.json:2:\d+: not JSON/)
  })
})
