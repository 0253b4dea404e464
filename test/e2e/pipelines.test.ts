import type { ChildProcess } from 'node:child_process'
import { spawnSync } from 'node:child_process'
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { firstRepository } from '../support/first-repository.js'
import { type CommandRun, parseLines, type TestHome } from './harness.js'
import { InsideHome } from './inside.js'

let home: TestHome

beforeAll(() => {
  home = new InsideHome()
})
beforeEach(() => rmSync(join(home.directory, 'demo'), { recursive: true, force: true }))
afterAll(() => home.close())

function git(cwd: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`)
  return stdout.trim()
}

function repository(name: string): string {
  const cwd = join(home.work, name)
  firstRepository(cwd)
  return cwd
}

const env = () => ({ SIGNALBOX_DEMO_HOME: join(home.directory, 'demo'), SIGNALBOX_DEMO_SPEED: '0' })
const run = (cwd: string, ...args: string[]): Promise<CommandRun> => home.run(args, { cwd, env: env() })

interface Outcome {
  type: 'outcome'
  run: string
  status: string
  outcome: string | null
  branch: string
  worktree: string
  plan: string
  gates: { approval: string; gate: string; fingerprint: string }[]
  tasks: { status: string; commit: string; iterations: number }[]
}

function outcomeOf({ stdout, stderr }: CommandRun): Outcome {
  const last = parseLines<Outcome>(stdout).at(-1)
  if (last?.type !== 'outcome') throw new Error(`no outcome: ${stdout.slice(-500)} ${stderr}`)
  return last
}

/** Starts a command, and kills it with SIGKILL when its journal has this event. */
async function killAt(
  cwd: string,
  args: string[],
  isTheMoment: (event: { type: string; stream: string; data: Record<string, unknown> }) => boolean,
): Promise<void> {
  const child: ChildProcess = home.start(args, { cwd, env: env() })
  child.stdin!.end()
  const closed = new Promise<NodeJS.Signals | null>(resolve => child.on('close', (_, signal) => resolve(signal)))
  for await (const line of createInterface({ input: child.stdout! }))
    if (isTheMoment(JSON.parse(line))) child.kill('SIGKILL')
  expect(await closed).toBe('SIGKILL')
}

describe('implement', () => {
  test('survives three kills, a rejected and an edited plan and a failed review, with exact commits', async () => {
    const cwd = repository('lamp')
    writeFileSync(
      join(cwd, 'issue.md'),
      '# Add a lamp\n\nIt shines.\n\n[demo:tasks 3]\n[demo:review approve,reject,approve]\n',
    )
    git(cwd, 'add', '.')
    git(cwd, 'commit', '-q', '-m', 'issue')
    const first = await run(cwd, 'implement', 'issue.md', '--agent', 'demo', '--json')
    expect(first.code).toBe(4)
    const { run: id, gates } = outcomeOf(first)
    expect((await run(cwd, 'deny', gates[0]!.approval, '--note', 'brighter, please')).code).toBe(0)
    const second = outcomeOf(await run(cwd, 'resume', id, '--json'))
    const file = join(second.worktree, second.plan)
    expect(readFileSync(file, 'utf8')).toContain('brighter, please')
    const edited = join(home.directory, 'edited.md')
    writeFileSync(edited, readFileSync(file, 'utf8').replace('small and tested steps', 'bright steps'))
    const { approval, fingerprint } = second.gates[0]!
    expect((await run(cwd, 'approve', approval, '--edit', edited, '--fingerprint', fingerprint)).code).toBe(0)
    const go = ['resume', id, '--json']
    await killAt(cwd, go, ({ type, data }) => type === 'step.spawned' && String(data.step).startsWith('developer@1'))
    await killAt(cwd, go, ({ type, data }) => type === 'node.started' && data.node === 'reviewer' && data.visit === 2)
    await killAt(
      cwd,
      go,
      ({ type, data }) => type === 'node.started' && data.node === 'commit_task' && data.visit === 3,
    )
    const last = await run(cwd, ...go)
    expect(last.code, last.stderr).toBe(0)
    const done = outcomeOf(last)
    expect(done).toMatchObject({ status: 'completed', outcome: 'approved', branch: 'signalbox/add-a-lamp' })
    expect(done.tasks.map(({ status }) => status)).toEqual(['approved', 'approved', 'approved'])
    expect(git(cwd, 'log', '--reverse', '--format=%s', 'main..signalbox/add-a-lamp').split('\n')).toEqual(
      [1, 2, 3].map(part => `feat(add-a-lamp): Add a lamp (part ${part})`),
    )
    expect(git(cwd, 'show', `signalbox/add-a-lamp:${done.plan}`)).toContain('bright steps')
    expect(git(cwd, 'status', '--porcelain')).toBe('')
    expect(git(done.worktree, 'status', '--porcelain')).toBe('')

    const events = parseLines<{ type: string; data: Record<string, unknown> }>(
      (await run(cwd, 'show', id, '--events')).stdout,
    )
    const count = (type: string) => events.filter(event => event.type === type).length
    expect({
      finished: count('task.finished'),
      committed: count('task.committed'),
      rejected: count('plan.rejected'),
      approved: count('plan.approved'),
      completed: count('run.completed'),
      failed: count('run.failed'),
    }).toEqual({ finished: 3, committed: 3, rejected: 1, approved: 1, completed: 1, failed: 0 })
    // The next host records the interrupted steps of a killed one as lost.
    expect(count('step.lost')).toBeGreaterThanOrEqual(2)
    const reviews = events.filter(({ type }) => type === 'review.finished').map(({ data }) => data.isApproved)
    expect(reviews.filter(isApproved => !isApproved)).toHaveLength(1)
    expect(reviews.filter(Boolean)).toHaveLength(3)
    expect((await run(cwd, 'resume', id)).code).toBe(2)
  })

  test('runs unattended, also after it was exported to DOT', async () => {
    const cwd = repository('bell')
    writeFileSync(join(cwd, 'issue.md'), '# Add a bell\n\n[demo:tasks 1]\n')
    git(cwd, 'add', '.')
    git(cwd, 'commit', '-q', '-m', 'issue')
    const whole = await run(cwd, 'implement', 'issue.md', '--agent', 'demo', '--auto-approve')
    expect(whole.code).toBe(0)
    expect(whole.stdout).toMatch(/approved · 1 task, 1 commit on signalbox\/add-a-bell/)
    expect(whole.stdout).toContain('git merge signalbox/add-a-bell')
    const dot = (await run(cwd, 'pipelines', 'eject', 'implementation')).stdout
    writeFileSync(join(cwd, 'mine.dot'), dot)
    const own = ['run', 'mine.dot', '--input', 'issue=issue.md', '--agent', 'demo', '--auto-approve', '--json']
    const [, hash] = /--trust ([0-9a-f]+)/.exec((await run(cwd, ...own)).stderr) ?? []
    const mine = await run(cwd, ...own, '--trust', hash!)
    expect(mine.code, mine.stderr).toBe(0)
    const branch = git(cwd, 'branch', '--list', 'signalbox/run/*', '--format=%(refname:short)')
    expect(git(cwd, 'log', '--format=%s', `main..${branch}`)).toBe('feat(add-a-bell): Add a bell (part 1)')
    const runs = (await run(cwd, 'runs')).stdout
    expect(runs).toMatch(/implementation · Add a bell/)
  })

  test('runs are queued; cancelling one by its id lets the other continue', async () => {
    const cwd = repository('horn')
    const queue = async (title: string) =>
      JSON.parse(
        (await run(cwd, 'implement', '--title', title, '--agent', 'demo', '--auto-approve', '--queue', '--json'))
          .stdout,
      ) as { run: string; ahead: number }
    const [one, two] = [await queue('One'), await queue('Two')]
    expect([one.ahead, two.ahead]).toEqual([0, 1])
    const cancelled = await run(cwd, 'cancel', one.run)
    expect(cancelled.stdout).toContain(`${one.run} is cancelled`)
    const started = await run(cwd, 'resume', '--queued', '--json')
    expect(started.code).toBe(0)
    expect(outcomeOf(started)).toMatchObject({ run: two.run, outcome: 'approved' })
    expect((await run(cwd, 'resume', one.run)).code).toBe(2)
    expect((await run(cwd, 'show', one.run, '--events')).stdout).toContain('"run.cancelled"')
  })
})

describe('review', () => {
  test('--local runs without a daemon, asks, continues elsewhere, and resumes after kill -9', async () => {
    const cwd = repository('review')
    expect((await run(cwd, 'review', '--local', '--agent', 'demo')).stdout).toContain('nothing to review')
    writeFileSync(join(cwd, 'README.md'), 'hello\n[demo:review reject,approve]\n')
    const only = await run(cwd, 'review', '--local', '--agent', 'demo', '--json')
    expect(only.code).toBe(3)
    expect(outcomeOf(only)).toMatchObject({ status: 'completed', outcome: 'objections' })
    rmSync(join(home.directory, 'demo'), { recursive: true })
    const asked = await run(cwd, 'review', '--local', '--fix', '--agent', 'demo', '--json')
    expect(asked.code).toBe(4)
    const { run: id, gates } = outcomeOf(asked)
    expect(gates[0]!.gate).toBe('items')
    expect((await run(cwd, 'answer', gates[0]!.approval, '1')).code).toBe(0)
    const fixed = await run(cwd, 'resume', id, '--json')
    expect(fixed.code, fixed.stderr).toBe(0)
    expect(outcomeOf(fixed)).toMatchObject({ outcome: 'approved' })
    const nodes = parseLines<{ type: string; data: { node: string } }>(fixed.stdout)
      .filter(({ type }) => type === 'node.started')
      .map(({ data }) => data.node)
    expect(nodes).toEqual(['developer', 'checks', 'reviewer', 'finish', 'exit'])
    expect(git(cwd, 'log', '--format=%s')).toBe('first')
    git(cwd, 'commit', '-qam', 'second')

    rmSync(join(home.directory, 'demo'), { recursive: true })
    appendFileSync(join(cwd, 'README.md'), 'more\n[demo:review reject,approve]\n')
    const args = ['review', '--local', '--fix', '--auto-approve', '--agent', 'demo', '--json']
    let killed = ''
    await killAt(cwd, args, ({ type, data, stream }) => {
      killed = stream.slice('run/'.length)
      return type === 'node.started' && data.node === 'developer'
    })
    const resumed = await run(cwd, 'resume', killed, '--json')
    expect(resumed.code, resumed.stderr).toBe(0)
    expect(outcomeOf(resumed)).toMatchObject({ pipeline: 'review', outcome: 'approved' })
    const later = parseLines<{ type: string; data: { node: string } }>(resumed.stdout)
      .filter(({ type }) => type === 'node.started')
      .map(({ data }) => data.node)
    expect(later.filter(node => node !== 'developer')).toEqual(['checks', 'reviewer', 'finish', 'exit'])
    const range = await run(cwd, 'review', 'HEAD~1..HEAD', '--type', 'security', '--agent', 'demo')
    expect(range.stdout).toMatch(/Review of HEAD~1\.\.HEAD/)
  })
})
