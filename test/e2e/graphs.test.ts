import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { executableFiles } from '../../src/trust/index.js'
import { firstRepository } from '../support/first-repository.js'
import { parseLines, ROOT, type TestHome } from './harness.js'
import { InsideHome } from './inside.js'

let home: TestHome

beforeAll(() => {
  home = new InsideHome()
  firstRepository(home.work)
  cpSync(join(ROOT, 'examples'), join(home.work, 'examples'), { recursive: true })
  git('add', '.')
  git('commit', '-q', '-m', 'examples')
  cpSync(home.work, join(home.directory, 'first'), { recursive: true })
})

/** The home is that of all tests; each has the project as it was first, and an agent of its own. */
beforeEach(() => {
  for (const name of ['work', 'demo', 'bin', 'scenario.json', 'log-w', 'tried'])
    rmSync(join(home.directory, name), { recursive: true, force: true })
  cpSync(join(home.directory, 'first'), home.work, { recursive: true })
})

afterAll(() => home.close())

function git(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: home.work, encoding: 'utf8' })
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`)
  return stdout
}

function env(scenario?: object): Record<string, string> {
  const file = join(home.directory, 'scenario.json')
  if (scenario) writeFileSync(file, JSON.stringify({ name: 'test', headless: { auto: true }, ...scenario }))
  return {
    SIGNALBOX_DEMO_HOME: join(home.directory, 'demo'),
    SIGNALBOX_DEMO_SPEED: '0',
    ...(scenario && { SIGNALBOX_DEMO_SCENARIO: file }),
  }
}

function graph(text: string, name = 'flow.dot'): string {
  writeFileSync(join(home.work, name), `digraph g { start [shape=Mdiamond]; exit [shape=Msquare]; ${text} }`)
  return name
}

interface Event {
  type: string
  version: number
  data: Record<string, unknown>
}

/** A person has approved the files: a test wrote them. */
async function trust(file: string, others: string[] = []): Promise<string[]> {
  const { hash } = await executableFiles(
    join(home.work, file),
    others.map(name => join(home.work, name)),
  )
  return ['--trust', hash]
}

async function run([file = '', ...args]: string[], scenario?: object) {
  const at = args.indexOf('--handlers')
  const trusted = await trust(file, at < 0 ? [] : [args[at + 1]!])
  return home.run(['run', file, ...args, ...trusted, '--json'], { env: env(scenario) })
}
const outcome = (stdout: string) => parseLines<Event & { status: string; run: string }>(stdout).at(-1)!

describe('the examples', () => {
  test.each(readdirSync(join(ROOT, 'examples')).filter(file => file.endsWith('.dot')))(
    '%s runs with the demo agent',
    async file => {
      const { stdout, stderr } = await run([`examples/${file}`, '--agent', 'demo', '--auto-approve'])
      expect(outcome(stdout), stderr).toMatchObject({ status: 'completed' })
      const { diagnostics } = await home.json<{ diagnostics: { severity: string }[] }>([
        'validate',
        `examples/${file}`,
        '--json',
      ])
      expect(diagnostics.filter(({ severity }) => severity !== 'info')).toEqual([])
    },
  )
})

describe('plan, implement, review with a real program', () => {
  test('completes with prompts, answers, status per node, one session per thread and a checkpoint', async () => {
    graph(
      `graph [goal="Paint the signal"]; plan [prompt="Write a plan for: $goal", fidelity=full, thread_id=main]
       implement [prompt="Do it: {last_response}", goal_gate=true, retry_target=plan, fidelity=full, thread_id=main]
       review [prompt="Look at it"]; start -> plan -> implement; implement -> review [condition="outcome=success"]
       implement -> plan [condition="outcome=fail"]; review -> exit [condition="outcome=success"]; review -> implement [condition="outcome=fail"]`,
    )
    const { stdout, stderr } = await run(['flow.dot', '--agent', 'demo'])
    const { run: id, status } = outcome(stdout)
    expect(status, stderr).toBe('completed')
    const events = parseLines<Event>(stdout)
    const bound = events.filter(({ type }) => type === 'thread.bound').map(({ data }) => data.session)
    expect([bound.length, new Set(bound).size]).toEqual([2, 1])
    await home.ok(['export', id, '--format', 'attractor', '-o', 'out'])
    const read = (path: string) => readFileSync(join(home.work, 'out', path), 'utf8')
    expect(read('plan/prompt.md')).toMatch(/^Write a plan for: Paint the signal\n/)
    expect(read('review/prompt.md')).toContain('- implement: success')
    for (const node of ['plan', 'implement', 'review']) {
      expect(read(`${node}/response.md`).length).toBeGreaterThan(10)
      expect(JSON.parse(read(`${node}/status.json`))).toMatchObject({ outcome: 'success' })
    }
    expect(JSON.parse(read('manifest.json'))).toMatchObject({ goal: 'Paint the signal' })
    expect(JSON.parse(read('checkpoint.json'))).toMatchObject({
      current_node: 'review',
      next_node: 'exit',
      node_outcomes: { plan: 'success', implement: 'success', review: 'success' },
      context: { outcome: 'success', 'graph.goal': 'Paint the signal' },
    })
  })
})

describe('a gate', () => {
  test('stops the command with exit code 4, is answered once without a daemon, and the run continues', async () => {
    graph(
      'a [shape=parallelogram, tool_command="echo a > a.txt"]; g [shape=hexagon, label="Go on?"]; b [shape=parallelogram, tool_command="echo b > b.txt"]; start -> a -> g; g -> b [label="[Y] Yes"]; g -> exit [label="[N] No"]; b -> exit',
    )
    const first = await run(['flow.dot'])
    expect(first.code).toBe(4)
    const { run: id } = outcome(first.stdout)
    const gate = String(parseLines<Event>(first.stdout).find(({ type }) => type === 'gate.opened')!.data.approval)
    expect((await home.run(['answer', gate, 'whatever'])).code).not.toBe(0)
    await home.ok(['answer', gate, 'yes'])
    const second = await home.run(['answer', gate, 'no'])
    expect([second.code, second.stderr]).toEqual([1, expect.stringContaining('already')])
    const resumed = await home.run(['resume', id, '--json'])
    expect(outcome(resumed.stdout).status).toBe('completed')
    expect(git('log', '--format=%s', `signalbox/run/${id}`)).toContain('b@1 (success)')

    await home.ok(['graph', id, '-o', 'run.svg'])
    const svg = readFileSync(join(home.work, 'run.svg'), 'utf8')
    expect(svg).toMatch(/<svg[\s\S]*Go on\?[\s\S]*#d3f2d8/)
    await home.ok(['export', id, '--format', 'attractor', '-o', 'out'])
    const checkpoint = JSON.parse(readFileSync(join(home.work, 'out/checkpoint.json'), 'utf8')) as Record<
      string,
      unknown
    >
    expect(checkpoint).toMatchObject({ run_id: id, current_node: 'b', next_node: 'exit' })
    expect(
      readdirSync(join(home.work, 'out')).filter(file => /^checkpoint_\d+\.json$/.test(file)).length,
    ).toBeGreaterThan(2)
    expect(JSON.parse(readFileSync(join(home.work, 'out/a/status.json'), 'utf8'))).toMatchObject({ outcome: 'success' })

    const forked = await home.run(['fork', id, '--at', 'a', '--json'])
    expect(forked.code).toBe(4)
    expect(
      parseLines<Event>(forked.stdout).some(({ type, data }) => type === 'node.started' && data.node === 'a'),
    ).toBe(false)
    const elsewhere = await home.run(['resume', 'out/checkpoint.json', '--graph', 'flow.dot', '--json'])
    expect(outcome(elsewhere.stdout).status).toBe('completed')
    expect((await home.run(['resume', id])).code).not.toBe(0)
  })

  test('a run does not continue with a changed graph unless the graph is named', async () => {
    graph('g [shape=hexagon]; start -> g; g -> exit [label=Yes]; g -> exit [label=No]')
    const { run: id } = outcome((await run(['flow.dot'])).stdout)
    graph(
      'g [shape=hexagon]; more [shape=diamond]; start -> g; g -> more [label=Yes]; g -> exit [label=No]; more -> exit',
    )
    const refused = await home.run(['resume', id])
    expect([refused.code, refused.stderr]).toEqual([expect.any(Number), expect.stringContaining('+more')])
    const untrusted = await home.run(['resume', id, '--graph', 'flow.dot', '--json'])
    expect([untrusted.code, untrusted.stderr]).toEqual([4, expect.stringContaining('flow.dot changed')])
    const named = await trust('flow.dot')
    expect((await home.run(['resume', id, '--graph', 'flow.dot', '--json', ...named])).code).toBe(4)
  })
})

describe('branches in a repository', () => {
  const fork = (a: string, b: string) =>
    `p [shape=component]; a [shape=parallelogram, tool_command="${a}"]; b [shape=parallelogram, tool_command="${b}"]; j [shape=parallelogram, tool_command="cat *.txt"]; start -> p; p -> a; p -> b; a -> j; b -> j; j -> exit`

  test('work separately, and a join merges all their work', async () => {
    graph(fork('ls; echo a > a.txt', 'ls; echo b > b.txt'))
    const { stdout } = await run(['flow.dot'])
    const { run: id, status } = outcome(stdout)
    expect(status).toBe('completed')
    const files = git('ls-tree', '--name-only', `signalbox/run/${id}`).split('\n')
    expect(files).toEqual(expect.arrayContaining(['a.txt', 'b.txt']))
    expect(git('branch', '--list', `signalbox/branch/${id}/*`)).not.toBe('')
    const left = await home.json<{ run: string; path: string; isRemoved: boolean }[]>([
      ...['runs', '--worktrees', '--clean', '--json'],
    ])
    const branches = left.filter(entry => entry.run === id && entry.path.includes('.branches/'))
    expect(branches.map(({ isRemoved }) => isRemoved)).toEqual([true, true])
    expect(git('branch', '--list', `signalbox/branch/${id}/*`)).toBe('')
    await home.ok(['runs', '--worktrees', '--remove', id])
  })

  test('branches that conflict ask a person, and the answer is used', async () => {
    graph(fork('echo a > same.txt', 'echo b > same.txt'))
    const first = await run(['flow.dot'])
    expect(first.code).toBe(4)
    const opened = parseLines<Event>(first.stdout).find(({ type }) => type === 'gate.opened')!.data
    const { run: id } = outcome(first.stdout)
    await home.ok(['answer', String(opened.approval), 'theirs'])
    const { stdout } = await home.run(['resume', id, '--json'])
    expect(outcome(stdout).status).toBe('completed')
    expect(git('show', `signalbox/run/${id}:same.txt`)).toBe('b\n')
  })
})

describe('a thread that continues in two branches at the same time', () => {
  test('is forked for each branch if the agent can fork, and is not changed', async () => {
    const calls = join(home.directory, 'calls.txt')
    const script = `#!${process.execPath}
const { appendFileSync } = require('node:fs')
const after = name => process.argv[process.argv.indexOf(name) + 1]
const has = name => process.argv.includes(name)
const say = record => console.log(JSON.stringify(record))
appendFileSync(${JSON.stringify(calls)}, [has('--resume') ? after('--resume') : '-', has('--fork-session') ? 'fork' : '-', has('--session-id') ? after('--session-id') : '-'].join(' ') + '\\n')
say({ type: 'system', subtype: 'init', session_id: has('--session-id') ? after('--session-id') : after('--resume'), model: 'm' })
say({ type: 'result', subtype: 'success', is_error: false, result: 'done' })
`
    mkdirSync(join(home.directory, 'bin'))
    writeFileSync(join(home.directory, 'bin', 'claude'), script, { mode: 0o755 })
    const file = graph(
      'graph [worktree=none, commits=none, default_fidelity=full, default_thread=t]; first; p [shape=component, branch_isolation=none]; a; b; j [shape=tripleoctagon]; last; start -> first -> p; p -> a; p -> b; a -> j; b -> j; j -> last -> exit',
    )
    const env = { PATH: `${join(home.directory, 'bin')}:${process.env.PATH}` }
    const { stdout } = await home.run(['run', file, '--agent', 'claude', '--json', ...(await trust(file))], { env })
    expect(outcome(stdout).status).toBe('completed')
    const [first, a, b, last] = readFileSync(calls, 'utf8')
      .split('\n')
      .map(line => line.split(' '))
    expect([first!.slice(0, 2), a!.slice(0, 2), b!.slice(0, 2), last]).toEqual([
      ['-', '-'],
      [first![2], 'fork'],
      [first![2], 'fork'],
      [first![2], '-', '-'],
    ])
    expect(new Set([first![2], a![2], b![2]]).size).toBe(3)
  })
})

describe('a module of the user', () => {
  test('adds handlers and rules', async () => {
    writeFileSync(
      join(home.work, 'mine.mjs'),
      `export const handlers = { shout: (node, context) => ({ status: 'success', context_updates: { said: String(node.attributes.get('prompt').value).toUpperCase() + (context.more ?? '') } }) }
       export const rules = [graph => graph.nodes.size > 3 ? [{ rule: 'small', severity: 'error', message: 'too big', file: null, line: null, column: null }] : []]`,
    )
    graph('a [type=shout, prompt=hello]; start -> a; a -> exit [condition="said=HELLO"]')
    expect(outcome((await run(['flow.dot', '--handlers', 'mine.mjs'])).stdout).status).toBe('completed')
    graph('a [type=shout, prompt=hello]; b [prompt=x]; start -> a -> b -> exit')
    const refused = await home.run(['validate', 'flow.dot', '--handlers', 'mine.mjs'])
    expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining('small: too big')])
  })
})

describe('a host that is killed', () => {
  /** Every command writes its name; a second time means that a finished node ran again. */
  const tool = (name: string, more = '') =>
    `${name} [shape=parallelogram, tool_command="echo ${name} >> ../log-$SBX_TAG${more}"]`
  /** Twelve nodes with branches, a gate and retries: the first try of `b` fails. */
  const DOT = `graph [worktree=none, default_max_retries=1]; ${['a', 'c', 'd', 'e', 'f', 'g'].map(name => tool(name)).join('; ')};
    ${tool('b', '; test -e ../tried || { touch ../tried; exit 1; }')}
    ok [shape=hexagon]; p [shape=component]; j [shape=diamond]; start -> a -> b -> ok; ok -> p [label="[Y] Yes"]; ok -> exit [label="[N] No"];
    p -> c; p -> d; p -> e; c -> j; d -> j; e -> j; j -> f -> g -> exit`

  /** Runs until this many lines are printed, then kills; true if the run had not ended. */
  async function killAfter(args: string[], lines: number, tag: string): Promise<void> {
    const child = home.start([...args, '--json'], { env: { ...env(), SBX_TAG: tag } })
    let text = ''
    await new Promise<void>(resolve => {
      child.stdout!.on('data', chunk => {
        text += String(chunk)
        if (text.split('\n').length > lines) child.kill('SIGKILL')
      })
      child.on('close', () => resolve())
    })
  }

  test.each([
    [7, 20],
    [19, 9],
  ])(
    'reaches the same end after %i events and %i events after the gate, and keeps the answer',
    async (first, second) => {
      graph(DOT)
      await killAfter(['run', 'flow.dot', ...(await trust('flow.dot'))], first, 'x')
      const [record] = await home.json<{ id: string }[]>(['runs', '--json'])
      const { id } = record!
      const parked = await home.run(['resume', id, '--json'], { env: { ...env(), SBX_TAG: 'y' } })
      expect(parked.code, parked.stderr).toBe(4)
      const read = async () => parseLines<Event>((await home.ok(['show', id, '--events'])).stdout)
      const gate = (await read()).find(({ type }) => type === 'gate.opened')!
      await home.ok(['answer', String(gate.data.approval), 'Y'])
      await killAfter(['resume', id], second, 'z')
      const finished = (await read())
        .filter(({ type }) => type === 'step.ended')
        .map(({ data }) => String(data.step).replace(/^.*\/|@.*/g, ''))
      await home.ok(['resume', id, '--json'], { env: { ...env(), SBX_TAG: 'w' } })
      const log = join(home.directory, 'log-w')
      const after = existsSync(log) ? readFileSync(log, 'utf8').split('\n') : []
      for (const node of finished) expect(after).not.toContain(node)
      const events = await read()
      const path = new Set(events.filter(({ type }) => type === 'node.started').map(({ data }) => data.node))
      expect([...path].sort()).toEqual(['a', 'b', 'c', 'd', 'e', 'exit', 'f', 'g', 'j', 'ok', 'p', 'start'])
      expect(events.filter(({ type }) => type === 'gate.answered')).toHaveLength(1)
      expect(events.at(-1)!.type).toBe('run.completed')
    },
  )
})

describe('conformance', () => {
  test('answers external suites with JSON', async () => {
    graph('graph [goal=x]; a [prompt=y, max_retries=1]; start -> a -> exit [weight=2]')
    const parsed = await home.json<{ nodes: { id: string }[]; edges: object[]; attributes: object }>([
      'conformance',
      'parse',
      'flow.dot',
    ])
    expect(parsed.nodes.map(({ id }) => id)).toEqual(['start', 'exit', 'a'])
    expect([parsed.edges[1], parsed.attributes]).toMatchObject([{ from: 'a', to: 'exit', weight: 2 }, { goal: 'x' }])
    expect(await home.json(['conformance', 'list-handlers'])).toEqual(
      expect.arrayContaining(['start', 'exit', 'codergen', 'wait.human', 'parallel', 'stack.manager_loop']),
    )
    expect(await home.json(['conformance', 'validate', 'flow.dot'])).toMatchObject({ valid: true })
    expect(await home.json(['conformance', 'run', 'flow.dot'])).toMatchObject({
      status: 'success',
      nodes: [{ id: 'start' }, { id: 'a', status: 'success', retry_count: 0 }, { id: 'exit' }],
    })
    const failing = await home.run(['conformance', 'run', 'flow.dot', '--script', '{"a":{"status":"fail"}}'])
    expect([failing.code, JSON.parse(failing.stdout)]).toMatchObject([
      1,
      { status: 'fail', nodes: [{}, { retry_count: 1 }] },
    ])
    writeFileSync(join(home.work, 'bad.dot'), 'digraph {')
    expect((await home.run(['conformance', 'parse', 'bad.dot'])).stdout).toContain('"error"')
  })
})

describe('a graph that no person has approved', () => {
  test('does not run without a terminal unless its hash is approved, and not after a change', async () => {
    graph('a [shape=parallelogram, tool_command="echo hi"]; start -> a -> exit', 'new.dot')
    const refused = await home.run(['run', 'new.dot', '--json'])
    expect([refused.code, refused.stderr]).toEqual([
      4,
      expect.stringMatching(/not trusted yet[\s\S]*--trust [0-9a-f]{64}/),
    ])
    expect((await home.run(['run', 'new.dot', '--dry-run', '--json'])).code).toBe(0)
    const shown = await home.run(['trust', 'new.dot', '--json'])
    expect(shown.code).toBe(4)
    const { hash } = JSON.parse(shown.stdout) as { hash: string }
    await home.ok(['run', 'new.dot', '--json', '--trust', hash])
    await home.ok(['run', 'new.dot', '--json'])
    graph('a [shape=parallelogram, tool_command="echo other"]; start -> a -> exit', 'new.dot')
    expect((await home.run(['run', 'new.dot', '--json'])).code).toBe(4)
  })
})
