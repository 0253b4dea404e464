import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseLines } from '../e2e/harness.js'
import { AgentHome } from './agent-home.js'
import type { AgentUnderTest } from './agent-under-test.js'
import { FakeModel, type Reply } from './fake-models/fake-model.js'
import { AGENTS } from './table/index.js'
import { wantedOf } from './wanted.js'

const PLAN = `# Lamp Implementation Plan

**Goal:** A lamp that shines

**Success criteria:** lamp.txt says that it is on, and the words in it are those of the issue, not of somebody else.

### Task 1: Put up the lamp

Create: \`lamp.txt\`

1. Write "on" into lamp.txt. Expected: the file is there, and has one line.
`
const APPROVED = { approved: true, severity: 'none', summary: 'It shines.', items: [] }
const FOUND = {
  approved: false,
  severity: 'major',
  summary: 'It is too dark.',
  items: [
    {
      number: 1,
      severity: 'major',
      file: 'lamp.txt',
      line: 1,
      title: 'Too dark',
      issue: 'It is dim.',
      why: 'Nobody sees it.',
      fix: 'Make it bright.',
    },
  ],
}
const EVALUATED = {
  items: [{ number: 1, disposition: 'implement', reason: 'lamp.txt:1 says dim' }],
  summary: 'One is right.',
}

/** How each agent writes a file and answers with a schema. */
interface Ways {
  write(file: string, text: string): Reply[]
  answer(value: object): Reply[]
  settings: string
}

const WAYS: Readonly<Record<string, Ways>> = {
  claude: {
    write: (file, text) => [
      { tool: { name: 'Write', input: { file_path: file, content: text } } },
      { text: 'It is written.' },
    ],
    answer: value => [{ tool: { name: 'StructuredOutput', input: value } }, { text: 'That is my answer.' }],
    settings: '',
  },
  codex: {
    write: (file, text) => [
      {
        tool: {
          name: 'exec_command',
          input: { cmd: `mkdir -p "$(dirname ${file})" && printf '%s' ${quoted(text)} > ${file}` },
        },
      },
      { text: 'It is written.' },
    ],
    answer: value => [{ text: JSON.stringify(value) }],
    // Its sandbox does not work in every container.
    settings:
      '[profiles.test.agents.architect]\npermissions = "all"\n[profiles.test.agents.developer]\npermissions = "all"\n',
  },
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

describe.each(wantedOf(AGENTS.filter(({ name }) => WAYS[name])))('pipelines with $name', (agent: AgentUnderTest) => {
  const ways = WAYS[agent.name]!
  const model = new FakeModel()
  let home: AgentHome

  const git = (...args: string[]) =>
    execFileSync('git', args, {
      cwd: home.work,
      env: { ...process.env, HOME: home.place.home },
      encoding: 'utf8',
    }).trim()
  const outcome = (stdout: string) => parseLines<Record<string, unknown>>(stdout).at(-1)!

  beforeAll(async () => {
    home = new AgentHome(agent, await model.listen())
    await home.run(['paths'])
    writeFileSync(home.path('config', 'config.toml'), `[profiles.test]\ncommit_prefix = "feat"\n${ways.settings}`)
    writeFileSync(join(home.work, 'issue.md'), '# A lamp\n\nIt should shine.\n')
    git('checkout', '-q', '-b', 'main')
    git('add', '.')
    git('commit', '-q', '-m', 'first')
  })

  afterAll(async () => {
    await home?.close()
    await model.close()
  })

  test('an implementation completes', async () => {
    const day = new Date().toISOString().slice(0, 10)
    model.when('You are the Architect', ...ways.write(join(home.work, `docs/plans/${day}-a-lamp.md`), PLAN))
    model.when('You are the Developer', ...ways.write(join(home.work, 'lamp.txt'), 'dim\n'))
    model.when('You are the Reviewer', ...ways.answer(APPROVED))
    const args = [
      'implement',
      'issue.md',
      '--agent',
      agent.name,
      '--profile',
      'test',
      '--in-place',
      '--branch',
      'lamp',
      '--auto-approve',
      '--json',
    ]
    const { code, stdout, stderr } = await home.run(args, { timeoutMs: 170_000 })
    expect({ code, stderr }, stdout.slice(-3_000)).toMatchObject({ code: 0 })
    expect(outcome(stdout)).toMatchObject({ status: 'completed', outcome: 'approved', branch: 'lamp' })
    expect(git('log', '--format=%s', 'main..lamp')).toBe('feat(a-lamp): Put up the lamp')
    expect(readFileSync(join(home.work, 'lamp.txt'), 'utf8')).toBe('dim\n')
  })

  test('a review finds, validates and fixes issues, and reviews again', async () => {
    writeFileSync(join(home.work, 'lamp.txt'), 'dimmer\n')
    model.when('You are the Reviewer', ...ways.answer(FOUND))
    model.when('You are the Evaluator', ...ways.answer(EVALUATED))
    model.when('You are the Developer', ...ways.write(join(home.work, 'lamp.txt'), 'bright\n'))
    const found = await home.run(['review', '--local', '--fix', '--agent', agent.name, '--profile', 'test', '--json'], {
      timeoutMs: 170_000,
    })
    expect(found.code, found.stdout.slice(-3_000)).toBe(4)
    const { run, gates } = outcome(found.stdout) as { run: string; gates: { approval: string }[] }
    expect((await home.run(['answer', gates[0]!.approval, 'all'])).code).toBe(0)
    model.when('You are the Reviewer', ...ways.answer(APPROVED))
    const { code, stdout } = await home.run(['resume', run, '--json'], { timeoutMs: 170_000 })
    expect(code, stdout.slice(-3_000)).toBe(0)
    expect(outcome(stdout)).toMatchObject({ status: 'completed', outcome: 'approved' })
    expect(readFileSync(join(home.work, 'lamp.txt'), 'utf8')).toBe('bright\n')
  })
})
