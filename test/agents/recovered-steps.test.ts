import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Activity, SegmentWriter, segmentPath } from '../../src/activity/index.js'
import { systemClock } from '../../src/clock/index.js'
import { AgentSteps, type StepCall } from '../../src/engine/index.js'
import { loadDriver } from '../../src/store/index.js'
import { createRedactor } from '../../src/text/index.js'
import { recordedInFixtures } from './recorded.js'

/**
 * What a host decides about a dead worker from the files that the real programs left on disk. They
 * were killed after their answer, during a tool, and before their first complete message. Claude
 * Code's transcript is cut at these points; OpenCode's is stored as the rows of its tables.
 */
const CASES = [
  ['disk-done', 'success', 'the transcript ends with a complete answer'],
  ['disk-tool', 'partial', 'the transcript ends in the middle of a tool call'],
  ['disk-streaming', 'nothing', 'the transcript ends'],
] as const
type State = (typeof CASES)[number][0]

interface Left {
  cwd: string
  prompt: string
  /** The agent's conversation, if the host knows it. */
  sessionId: string | null
  answer: string
}

let directory: string
let home: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-recover-'))
  home = join(directory, 'home')
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const CALL = { run: 'run_1', step: 'worker@1#1', name: 'run_1/worker@1#1' } as StepCall

/** A step that started and received its prompt; its host saw the start of a tool, or nothing. */
async function recover(agent: string, left: Left, isToolOpen: boolean) {
  const runDirectory = join(directory, 'run')
  const steps = new AgentSteps({
    clock: systemClock,
    redactor: createRedactor(),
    runDirectory: () => runDirectory,
    environment: () => ({ HOME: home }),
  })
  const own = steps.directory(CALL)
  mkdirSync(own, { recursive: true })
  const { cwd, sessionId } = left
  const start = { agent, cwd, tree: null, head: null, startedAt: 0, sessionId, pid: null, processStart: null }
  writeFileSync(join(own, 'start.json'), JSON.stringify(start))
  writeFileSync(join(own, 'prompt.md'), left.prompt)
  if (isToolOpen) {
    const segment = new SegmentWriter(segmentPath(runDirectory, CALL.step), systemClock)
    const call = { type: 'tool_call', callId: 'open', tool: 'shell', kind: 'shell', input: {} } as const
    segment.append({ step: CALL.name, seq: 1, at: 1, agent, ...call } satisfies Activity)
    await segment.close()
  }
  return steps.recover(CALL)
}

const LEAVE: Readonly<Record<string, (state: State) => Promise<Left>>> = {
  claude: async state => {
    const [file] = recordedInFixtures('claude/sessions', name => name.startsWith('bash-test-200-classic__'))
    const lines = readFileSync(file!, 'utf8').trimEnd().split('\n')
    const until = (part: string) => lines.slice(0, lines.findIndex(line => line.includes(part)) + 1)
    const left = {
      'disk-done': lines,
      'disk-tool': until('"tool_use","id"'),
      'disk-streaming': until('run all tests'),
    }[state]
    const sessionId = 'd0afc5f9-f914-43ed-89e1-64ceab12e029'
    const projects = join(home, '.claude', 'projects', '-tmp-demo-app')
    mkdirSync(projects, { recursive: true })
    writeFileSync(join(projects, `${sessionId}.jsonl`), `${left.join('\n')}\n`)
    return { cwd: '/tmp/demo/app', prompt: 'run all tests', sessionId, answer: 'Everything passes.' }
  },
  codex: async state => ofDisk('codex', state),
  gemini: async state => ofDisk('gemini', state),
  opencode: async state => {
    const file = join(import.meta.dirname, 'fixtures', 'opencode', `${state}.json`)
    const tables = JSON.parse(readFileSync(file, 'utf8')) as Record<string, { create: string; rows: object[] }>
    const data = join(home, '.local', 'share', 'opencode')
    mkdirSync(data, { recursive: true })
    const database = new (await loadDriver())(join(data, 'opencode.db'))
    // Recovery reads only three of its tables.
    database.exec('PRAGMA foreign_keys = OFF')
    for (const [table, { create, rows }] of Object.entries(tables)) {
      database.exec(create)
      for (const row of rows) {
        const marks = Object.keys(row).map(() => '?')
        database
          .prepare(`INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${marks.join(', ')})`)
          .run(...(Object.values(row) as string[]))
      }
    }
    database.close()
    const answer = 'This is a small demo project. It has a greeting helper and one test file that checks it.'
    return { cwd: '/tmp/acme/app', prompt: 'What does this project do?', sessionId: null, answer }
  },
}

function ofDisk(agent: string, state: State): Left {
  const [root] = recordedInFixtures(agent, name => name === state).filter(path => existsSync(join(path, 'home')))
  const truth = JSON.parse(readFileSync(join(root!, 'truth.json'), 'utf8')) as {
    cwd: string
    user: string
    expect: { lastAssistant?: string }
  }
  cpSync(join(root!, 'home'), home, { recursive: true })
  return { cwd: truth.cwd, prompt: truth.user, sessionId: null, answer: truth.expect.lastAssistant ?? '' }
}

describe.each(Object.keys(LEAVE))('recovery of a dead worker: %s', agent => {
  it.each(CASES)('judges %s as %s', async (state, verdict, says) => {
    const left = await LEAVE[agent]!(state)
    const found = await recover(agent, left, state === 'disk-tool')
    expect([found.verdict, found.evidence[0]]).toMatchObject([verdict, { source: 'transcript' }])
    expect(found.evidence[0]!.says).toContain(says)
    if (verdict === 'success') expect(found.text).toContain(left.answer)
    if (verdict !== 'nothing') expect(found.sessionId).toEqual(expect.any(String))
  })
})
