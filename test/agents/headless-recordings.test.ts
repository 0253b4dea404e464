import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ActivityBody, JsonSplitter } from '../../src/activity/index.js'
import { loadAgent } from '../../src/agents/index.js'
import { describeRecorded, type FindRecorded, recordedInFixtures } from './recorded.js'

const AGENTS = ['codex', 'gemini', 'opencode', 'qwen', 'copilot', 'cline']

const STEP = {
  name: 'run/worker@1#1',
  cwd: '/tmp',
  env: {},
  permissions: 'all' as const,
  model: null,
  resume: null,
  newSessionId: 'x',
  directory: '/tmp',
  promptFile: '/tmp/prompt.md',
  schema: null,
  maxCostUsd: null,
  endpoint: null,
  apiKeyEnv: null,
}

async function hear(agent: string, lines: { s: string; line: string }[]): Promise<ActivityBody[]> {
  const parser = (await loadAgent(agent)).headless!.parser(STEP)
  const splitters = { out: new JsonSplitter(), err: new JsonSplitter() }
  const bodies: ActivityBody[] = []
  for (const { s, line } of lines)
    for (const part of splitters[s as 'out' | 'err'].push(`${line}\n`))
      bodies.push(...(s === 'out' ? parser.parse(part) : (parser.parseError?.(part) ?? [])))
  for (const part of splitters.out.end()) bodies.push(...parser.parse(part))
  return [...bodies, ...(parser.end?.() ?? [])]
}

const streams = (recorded: FindRecorded) =>
  AGENTS.flatMap(agent =>
    recorded(agent, name => /^headless-.*\.jsonl$/.test(name)).map(file => ({
      agent,
      name: basename(file, '.jsonl'),
      file,
    })),
  )

describeRecorded('a stream of a real agent', streams, cases => {
  it.each(cases)('is parsed completely: $agent $name', async ({ agent, name, file }) => {
    const lines = readFileSync(file, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line) as { s: string; line: string })
    const { expect: truth } = JSON.parse(readFileSync(file.replace(/\.jsonl$/, '.json'), 'utf8')) as {
      expect: { response?: string; text?: string; tools?: { exit?: number }[] }
    }
    const bodies = await hear(agent, lines)
    expect(bodies.filter(body => body.type === 'raw' && body.from !== 'stderr')).toEqual([])
    const result = bodies.findLast(body => body.type === 'result')
    // OpenCode ends a turn without a message if it may not use the tool.
    const wasCut = /sig(int|kill)/.test(name) || (agent === 'opencode' && name.endsWith('unapproved'))
    if (wasCut) expect(result?.ok ?? false).toBe(false)
    else expect([name, result?.ok]).toEqual([name, !name.includes('err-')])
    if (name.includes('err-401'))
      expect(bodies).toContainEqual(expect.objectContaining({ type: 'error', class: 'auth' }))
    // There Qwen answered from its memory, not to the question.
    if (result?.ok && typeof truth.response === 'string' && !(agent === 'qwen' && name.endsWith('resume')))
      expect(bodies.flatMap(body => (body.type === 'text' && !body.delta ? [body.text] : [])).join('\n')).toContain(
        truth.response,
      )
    if (name.endsWith('-tool')) expect(bodies.some(body => body.type === 'tool_result' && body.ok)).toBe(true)
    if (result?.ok && agent !== 'copilot')
      expect(bodies.filter(body => body.type === 'usage').reduce((sum, body) => sum + body.output, 0)).toBeGreaterThan(
        0,
      )
  })
})

const prints = (recorded: FindRecorded) =>
  recorded('claude/print', name => name.endsWith('.ndjson') && !name.includes('stdin')).map(file => ({
    name: basename(file, '.ndjson'),
    file,
  }))

describeRecorded('a stream of Claude Code', prints, cases => {
  it.each(cases)('is parsed with one session and its result: $name', async ({ name, file }) => {
    const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
    const bodies = await hear(
      'claude',
      lines.map(line => ({ s: 'out', line })),
    )
    expect(bodies.filter(({ type }) => type === 'raw')).toEqual([])
    expect(bodies.filter(({ type }) => type === 'session').length).toBe(1)
    const result = bodies.findLast(body => body.type === 'result')
    expect([name, result?.ok]).toEqual([name, name !== 'no-auth'])
    if (name === 'no-auth') expect(bodies).toContainEqual(expect.objectContaining({ class: 'auth' }))
    if (name === 'stream-input')
      expect(bodies).toContainEqual(expect.objectContaining({ type: 'approval', tool: 'Bash' }))
  })
})

const disks = (recorded: FindRecorded) =>
  AGENTS.flatMap(agent =>
    recorded(agent, name => name.startsWith('disk-'))
      .filter(root => existsSync(join(root, 'home')))
      .map(root => ({ agent, state: basename(root), root })),
  )

describeRecorded('recovery of a dead step finds its conversation where the agent stores it', disks, cases => {
  it.each(cases)('$agent $state', async ({ agent, state, root }) => {
    const truth = JSON.parse(readFileSync(join(root, 'truth.json'), 'utf8')) as {
      cwd: string
      user: string
      expect: { finished: boolean; lastAssistant?: string; runningTool?: string }
    }
    const home = mkdtempSync(join(tmpdir(), 'signalbox-disk-'))
    cpSync(join(root, 'home'), home, { recursive: true })
    try {
      const found = await (await loadAgent(agent)).headless!.examine({
        env: { HOME: home },
        cwd: truth.cwd,
        directory: home,
        sessionId: null,
        startedAt: 0,
        pid: null,
        prompt: truth.user,
        // Gemini records a call when it ends: only our own log knows that one was open.
        openCalls: truth.expect.runningTool === undefined ? [] : ['open-call'],
      })
      expect([agent, state, found.isComplete]).toEqual([agent, state, truth.expect.finished])
      if (truth.expect.finished) expect(found.text).toBe(truth.expect.lastAssistant)
      expect(found.evidence.length).toBeGreaterThan(0)
      expect(found.hasWork).toBe(state !== 'disk-streaming')
    } finally {
      rmSync(home, { recursive: true })
    }
  })
})

/** A transcript that Claude Code wrote, cut where its process could have died. */
describe('recovery of Claude Code that died', () => {
  const [file] = recordedInFixtures('claude/sessions', name => name.startsWith('bash-test-200-classic__'))
  const lines = readFileSync(file!, 'utf8').trimEnd().split('\n')
  const until = (isLast: (line: string) => boolean) => lines.slice(0, lines.findIndex(isLast) + 1)

  it.each([
    ['after its answer', lines, { isComplete: true, hasWork: true }],
    ['before the end of turn', until(line => line.includes('"tool_result"')), { isComplete: false, hasWork: true }],
    ['while a tool runs', until(line => line.includes('"tool_use","id"')), { isComplete: false, hasWork: true }],
    ['before its first answer', until(line => line.includes('run all tests')), { isComplete: false, hasWork: false }],
    [
      'in the middle of a line',
      [...lines.slice(0, -4), lines.at(-4)!.slice(0, 80)],
      { isComplete: false, hasWork: true },
    ],
  ])('reports what Claude Code had finished when it died %s', async (_, left, truth) => {
    const home = mkdtempSync(join(tmpdir(), 'signalbox-disk-'))
    const projects = join(home, '.claude', 'projects', '-tmp-demo-app')
    mkdirSync(projects, { recursive: true })
    const sessionId = 'd0afc5f9-f914-43ed-89e1-64ceab12e029'
    writeFileSync(join(projects, `${sessionId}.jsonl`), `${left.join('\n')}\n`)
    try {
      const found = await (await loadAgent('claude')).headless!.examine({
        env: { HOME: home },
        cwd: '/tmp/demo/app',
        directory: home,
        sessionId,
        startedAt: 0,
        pid: null,
        prompt: 'run all tests',
        openCalls: [],
      })
      expect(found).toMatchObject(truth)
      expect(found.evidence.length).toBeGreaterThan(0)
      if (truth.isComplete) expect(found.text).toContain('Everything passes.')
    } finally {
      rmSync(home, { recursive: true })
    }
  })
})
