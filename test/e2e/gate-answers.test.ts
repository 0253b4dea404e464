import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { firstRepository } from '../support/first-repository.js'
import { type CommandRun, parseLines } from './harness.js'
import { InsideHome } from './inside.js'

interface Outcome {
  run: string
  worktree: string
  plan: string
  gates: { approval: string; gate: string; fingerprint: string }[]
}

interface Approval {
  id: string
  state: string
  decision?: { option: string; choices?: string[]; actor: { kind: string } }
  request: { text: string; input: Record<string, unknown>; options: { key: string; label: string }[] }
  display: { hash: string; title: string; blocks: { text?: string }[] }
}

let home: InsideHome
let cwd: string

beforeEach(() => {
  home = new InsideHome()
  cwd = join(home.work, 'project')
  firstRepository(cwd)
})
afterEach(() => home.close())

function commit(file: string, text: string): void {
  writeFileSync(join(cwd, file), text)
  spawnSync('git', ['add', '.'], { cwd })
  spawnSync('git', ['commit', '-q', '-m', file], { cwd })
}

const env = () => ({ SIGNALBOX_DEMO_HOME: join(home.directory, 'demo'), SIGNALBOX_DEMO_SPEED: '0' })
const run = (...args: string[]): Promise<CommandRun> => home.run(args, { cwd, env: env() })
const outcomeOf = ({ stdout }: CommandRun) => parseLines<Outcome>(stdout).at(-1)!
const approvals = async () => JSON.parse((await run('approvals', '--all', '--json')).stdout) as Approval[]

/** Each of these words is refused with what the gate takes, and the gate stays open. */
async function refuses(approval: string, words: readonly string[][]): Promise<void> {
  const [{ request }] = (await approvals()).filter(({ id }) => id === approval) as [Approval]
  for (const typed of words) {
    const { code, stderr } = await run('answer', approval, ...typed)
    expect(code, typed.join(' ')).not.toBe(0)
    expect(stderr, typed.join(' ')).toContain(request.options[0]!.label)
    expect((await approvals()).find(({ id }) => id === approval)!.state, typed.join(' ')).toBe('pending')
  }
}

/** The same over the API: 4xx with what the gate takes. */
async function refusesOverApi({ approval, fingerprint }: Outcome['gates'][number], bodies: readonly object[]) {
  const shown = (await approvals()).find(({ id }) => id === approval)!
  const seen = { displayHash: shown.display.hash, whole: true }
  for (const body of bodies) {
    const said = JSON.stringify(body)
    const { status, text } = await post(`/api/v1/approvals/${approval}/decision`, { fingerprint, seen, ...body })
    expect(status, said).toBeGreaterThanOrEqual(400)
    expect(status, said).toBeLessThan(500)
    expect(text, said).toContain('error')
    expect((await approvals()).find(({ id }) => id === approval)!.state, said).toBe('pending')
  }
}

function post(path: string, body: object): Promise<{ status: number; text: string }> {
  const socketPath = join(home.home, 'run', 'signalbox.sock')
  const headers = { host: 'signalbox', 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const sending = request({ socketPath, method: 'POST', path, headers }, async answer => {
      let text = ''
      for await (const part of answer) text += String(part)
      resolve({ status: answer.statusCode ?? 0, text })
    })
    sending.on('error', reject).end(JSON.stringify(body))
  })
}

describe('a gate of a pipeline accepts only what it offers', () => {
  test('for the plan and the objections', async () => {
    commit('issue.md', '# Add a lamp\n\n[demo:tasks 1]\n[demo:review reject,reject,reject,reject,reject,reject]\n')
    const planned = outcomeOf(await run('implement', 'issue.md', '--agent', 'demo', '--json'))
    const file = join(planned.worktree, planned.plan)
    const before = readFileSync(file, 'utf8')
    const [{ approval, fingerprint }] = planned.gates as [Outcome['gates'][number]]
    await refuses(approval, [['aprove'], ['y'], ['99'], ['edit'], ['replace'], ['approve', '--text', 'x'], ['a b c']])
    for (const typed of [['reject'], ['--text', 'aprove']])
      expect((await run('answer', approval, ...typed)).code, typed.join(' ')).not.toBe(0)
    expect((await run('serve', '--background')).code).toBe(0)
    await refusesOverApi(planned.gates[0]!, [
      {},
      { option: 'aprove' },
      { option: '' },
      { option: 'approve', text: 'but' },
      { option: 'edit', text: ' ' },
      { option: 'reject' },
      { option: 'approve', choices: ['cancel'] },
      { choices: [] },
      { choices: ['approve'] },
      { text: 'aprove' },
      { text: '\u001b[A' },
      { option: ['approve'] },
      { option: 'cancel', editedInput: { plan_markdown: 'x' } },
    ])
    expect(readFileSync(file, 'utf8')).toBe(before)
    expect((await run('approve', approval, '--fingerprint', fingerprint)).code).toBe(0)
    const stuck = outcomeOf(await run('resume', planned.run, '--json'))
    expect(stuck.gates[0]!.gate).toContain('objections')
    await refuses(stuck.gates[0]!.approval, [['foo'], ['0'], ['more', '--text', 'some'], ['more,accept']])
    await refusesOverApi(stuck.gates[0]!, [
      { option: 'foo' },
      { option: 'more', text: '0' },
      { option: 'more', text: '1e9' },
      { option: 'more', text: '٣' },
      { option: 'accept', text: 'fine' },
      { choices: ['more', 'accept'] },
      { text: 'accept' },
    ])
    expect((await run('answer', stuck.gates[0]!.approval, 'accept')).code).toBe(0)
    expect((await run('resume', planned.run, '--json')).code).toBe(0)
  })

  test('for the items of a review', async () => {
    writeFileSync(join(cwd, 'README.md'), 'hello\n[demo:review reject,approve]\n')
    const { gates } = outcomeOf(await run('review', '--local', '--fix', '--agent', 'demo', '--json'))
    await refuses(gates[0]!.approval, [['99'], ['foo'], ['1;2'], ['0,1'], ['1,1'], ['none,1'], ['1', '--text', 'x']])
    expect((await run('serve', '--background')).code).toBe(0)
    await refusesOverApi(gates[0]!, [
      { choices: [] },
      { choices: ['99'] },
      { choices: ['1', '1'] },
      { choices: ['none', '1'] },
      { choices: ['1'], text: 'and this' },
      { choices: '1' },
      { option: '1;2' },
      { text: '1' },
    ])
    expect((await run('answer', gates[0]!.approval, '1')).code).toBe(0)
  })
})

describe('--auto-approve', () => {
  test('decides through the ledger, and waits in a lockdown', async () => {
    commit('issue.md', '# Add a bell\n\n[demo:tasks 1]\n')
    const args = ['implement', 'issue.md', '--agent', 'demo', '--auto-approve', '--json']
    expect((await run(...args)).code).toBe(0)
    expect(await approvals()).toMatchObject([
      { state: 'applied', decision: { option: 'approve', actor: { kind: 'auto' } } },
    ])
    for (const option of ['--background', '--lockdown']) expect((await run('serve', option)).code).toBe(0)
    const held = await run(...args)
    expect(held.code).toBe(4)
    const [{ approval }] = outcomeOf(held).gates as [Outcome['gates'][number]]
    // A denial is still taken: it stops what the run would do.
    expect((await run('answer', approval, 'approve')).stderr).toContain('locked')
    expect((await run('answer', approval, 'cancel')).code).toBe(0)
    expect((await approvals()).find(({ id }) => id === approval)).toMatchObject({ decision: { option: 'cancel' } })
  })
})

test('the text of a gate is stored without secrets', async () => {
  const secret = `ghp_${'a1B2'.repeat(9)}`
  commit('issue.md', `# Add a lamp for ${secret}\n\n[demo:tasks 1]\n`)
  await run('implement', 'issue.md', '--agent', 'demo', '--json')
  const [approval] = await approvals()
  expect(approval!.request.text).toContain('Add a lamp')
  expect(JSON.stringify(approval)).not.toContain(secret)
})
