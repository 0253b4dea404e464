import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { copilotAgent } from './copilot.js'
import { CopilotConversation } from './copilot-transcript.js'
import type { JsonRecord } from './json-lines.js'

const ID = '0a1b2c3d-0000-4000-8000-00000000000a'
const T = '2026-01-02T03:04:05.000Z'
const at = Date.parse(T)
let count = 0
const event = (type: string, data: object = {}, more: object = {}): JsonRecord => ({
  type,
  data,
  id: `e${count++}`,
  timestamp: T,
  ...more,
})
const START = event('tool.execution_start', { toolCallId: 'c', toolName: 'bash', arguments: { command: 'ls' } })
const ASKED = event('permission.requested', {
  requestId: 'r',
  permissionRequest: { kind: 'shell', toolCallId: 'c', fullCommandText: 'ls' },
})
const answered = (kind: string) => event('permission.completed', { requestId: 'r', toolCallId: 'c', result: { kind } })
const message = (content: string, ...toolRequests: object[]) => event('assistant.message', { content, toolRequests })

function read(...records: JsonRecord[]) {
  const conversation = new CopilotConversation('/t.jsonl')
  return records.flatMap(record => conversation.parseRecord(record) ?? [{ kind: 'unknown' }])
}

describe('a transcript of Copilot', () => {
  it('gives the session, the prompt, the answer and the end of the turn', () => {
    const statements = read(
      event('session.start', { sessionId: ID, copilotVersion: '1.0.1', selectedModel: 'm', context: { cwd: '/w' } }),
      event('user.message', { content: 'hi', transformedContent: 'date hi', interactionId: 'i' }),
      event('assistant.turn_start'),
      message('*hello*'),
      event('assistant.turn_end'),
      event('session.shutdown', { shutdownType: 'routine' }),
    )
    expect(statements).toEqual([
      { kind: 'session', agentSession: ID, transcript: '/t.jsonl', version: '1.0.1', model: 'm', cwd: '/w', at },
      { kind: 'prompt', text: 'hi', prompt: 'i', at },
      { kind: 'working', at },
      { kind: 'said', id: expect.any(String), markdown: '*hello*', at },
      { kind: 'turn-ended', outcome: 'done', at },
      { kind: 'ended', reason: 'routine', at },
    ])
  })

  it('does not end the turn after an exchange that asked for tools', () => {
    const kinds = read(event('assistant.turn_start'), message('I look.', {}), event('assistant.turn_end'))
    expect(kinds.map(({ kind }) => kind)).toEqual(['working', 'said'])
  })

  it('gives a request with its tool and its answer', () => {
    const complete = event('tool.execution_complete', { toolCallId: 'c', success: true, result: { content: 'a b' } })
    const tool = { tool: 'bash', input: { command: 'ls' } }
    expect(read(START, ASKED, answered('approved'), complete)).toEqual([
      { kind: 'tool', state: 'started', key: 'c', ...tool, at },
      { kind: 'request', key: 'r', ...tool, at },
      { kind: 'answered', key: 'r', result: 'allowed', at },
      { kind: 'tool', state: 'done', key: 'c', ...tool, output: 'a b', at },
    ])
  })

  it('reports a denial, whether the call finished or the turn was interrupted', () => {
    const failed = event('tool.execution_complete', { toolCallId: 'c', success: false, error: { message: 'no' } })
    expect(read(START, ASKED, answered('denied-interactively-by-user'), failed).slice(2)).toMatchObject([
      { kind: 'answered', result: 'denied' },
      { kind: 'tool', state: 'denied', output: 'no' },
    ])
    const cut = read(START, ASKED, answered('cancelled'), event('assistant.turn_end'), event('abort'))
    expect(cut.slice(2)).toMatchObject([
      { kind: 'answered', result: 'denied' },
      { kind: 'tool', state: 'denied', key: 'c' },
      { kind: 'turn-ended', outcome: 'interrupted' },
    ])
  })

  it('reports a call that was interrupted as failed', () => {
    expect(read(START, event('abort'))[1]).toMatchObject({ kind: 'tool', state: 'failed', key: 'c' })
  })

  it('keeps sub-agents apart from the main conversation', () => {
    expect(read(event('user.message', { content: 'x' }, { agentId: 'a1' }))).toMatchObject([{ subAgent: 'a1' }])
  })

  it('leaves out the system prompts, which are long', async () => {
    const home = mkdtempSync(join(tmpdir(), 'signalbox-copilot-'))
    const folder = join(home, '.copilot', 'session-state', ID)
    mkdirSync(folder, { recursive: true })
    const lines = [event('user.message', { content: 'hi' }), { type: 'system.message', broken: true }]
    writeFileSync(join(folder, 'events.jsonl'), lines.map(line => `${JSON.stringify(line)}\n`).join(''))
    const lookup = { env: { HOME: home }, cwd: '/', agentSessionId: ID, startedAt: 0 }
    const [path] = await copilotAgent.transcript!.locate(lookup)
    const { statements, skipped } = await copilotAgent.transcript!.open(path!).read()
    expect([statements.map(({ kind }) => kind), skipped]).toEqual([['prompt'], 0])
    rmSync(home, { recursive: true })
  })
})

it('Copilot accepts our id for a new conversation, and an option that continues an old one', () => {
  const location = { found: true as const, file: '/bin/copilot', prefix: [] }
  const start = { args: [], resume: null, newSessionId: ID, wiring: null }
  expect(copilotAgent.interactive(location, start)).toMatchObject({
    args: [`--session-id=${ID}`],
    agentSessionId: ID,
  })
  expect(copilotAgent.interactive(location, { ...start, resume: ID }).args).toEqual([`--resume=${ID}`])
  expect(copilotAgent.exitId!([`   ▔▔▔▔    Resume     copilot --resume=${ID}`])).toBe(ID)
})
