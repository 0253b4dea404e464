import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { JsonRecord } from './json-lines.js'
import { qwenAgent } from './qwen.js'
import { QwenConversation } from './qwen-transcript.js'

const ID = '0a1b2c3d-0000-4000-8000-00000000000a'
const T = '2026-01-02T03:04:05.000Z'
const at = Date.parse(T)
const location = { found: true as const, file: '/bin/qwen', prefix: [] }

let count = 0
const record = (type: string, more: object): JsonRecord => ({
  uuid: `u${count++}`,
  sessionId: ID,
  timestamp: T,
  type,
  cwd: '/work',
  version: '0.24.4',
  ...more,
})
const parts = (...list: object[]) => ({ message: { parts: list } })
const CALL = { functionCall: { id: 'c1', name: 'run_shell_command', args: { command: 'ls' } } }
const result = (response: object, toolCallResult: object) =>
  record('tool_result', { ...parts({ functionResponse: { id: 'c1', name: 'x', response } }), toolCallResult })
const usageMetadata = { promptTokenCount: 7, candidatesTokenCount: 2, thoughtsTokenCount: 1 }

function read(...records: JsonRecord[]) {
  const conversation = new QwenConversation('/t.jsonl')
  return records.flatMap(one => conversation.parseRecord(one) ?? [{ kind: 'unknown' }]).slice(1)
}

describe('a transcript of Qwen Code', () => {
  it('gives the session with its first record', () => {
    expect(new QwenConversation('/t.jsonl').parseRecord(record('system', { subtype: 'x' }))).toEqual([
      { kind: 'session', agentSession: ID, transcript: '/t.jsonl', version: '0.24.4', cwd: '/work', at },
    ])
  })

  it('ends the turn at an answer without calls, and does not contain thoughts', () => {
    const statements = read(
      record('user', { provenance: 'real_user', ...parts({ text: 'hi' }) }),
      record('assistant', { ...parts({ text: 'hm', thought: true }, { text: '*hello*' }), usageMetadata }),
    )
    expect(statements).toEqual([
      { kind: 'prompt', text: 'hi', prompt: expect.any(String), at },
      { kind: 'said', id: expect.any(String), markdown: '*hello*', at },
      { kind: 'usage', input: 7, output: 3, at },
      { kind: 'turn-ended', outcome: 'done', at },
    ])
  })

  it('reports an answer without a token count as interrupted', () => {
    expect(read(record('assistant', parts({ text: 'half' }))).at(-1)).toMatchObject({ outcome: 'interrupted' })
  })

  it('reports a call when it is requested and when it has ended', () => {
    const statements = read(
      record('assistant', { ...parts(CALL), usageMetadata }),
      result({ output: 'a b' }, { status: 'success' }),
    )
    const tool = { key: 'c1', tool: 'run_shell_command', input: { command: 'ls' }, at }
    expect(statements).toEqual([
      { kind: 'tool', state: 'started', ...tool },
      { kind: 'usage', input: 7, output: 3, at },
      { kind: 'tool', state: 'done', output: 'a b', ...tool },
    ])
  })

  it('reports a denied call as not run, and its turn as ended', () => {
    const refused = result({ error: 'no' }, { status: 'cancelled', executionStatus: 'not_started' })
    expect(read(record('assistant', parts(CALL)), refused).slice(-2)).toMatchObject([
      { kind: 'tool', state: 'denied' },
      { kind: 'turn-ended', outcome: 'interrupted' },
    ])
  })

  it('gives no statement twice, and counts other records', () => {
    const one = record('user', parts({ text: 'hi' }))
    const conversation = new QwenConversation('/t')
    expect(conversation.parseRecord(one)).toHaveLength(2)
    expect(conversation.parseRecord(one)).toEqual([])
    expect(conversation.parseRecord(record('hologram', {}))).toBeNull()
  })
})

describe('a hook of Qwen Code', () => {
  const { read } = qwenAgent.hooks!
  const tool = { tool_name: 'edit', tool_input: { path: 'a' }, prompt_id: 'p' }

  it('reports prompts, and tool results that go to the model, as work', () => {
    expect(read('UserPromptSubmit', { submitted_prompt: 'hi', prompt: 'hi', prompt_id: 'p' })).toEqual([
      { kind: 'prompt', text: 'hi', prompt: 'p' },
    ])
    expect(read('UserPromptSubmit', { prompt: '' })).toEqual([{ kind: 'working' }])
  })

  it('reports requests and tools', () => {
    const about = { tool: 'edit', input: { path: 'a' }, prompt: 'p' }
    expect(read('PermissionRequest', tool)).toEqual([{ kind: 'request', key: null, ...about }])
    expect(read('PreToolUse', { ...tool, tool_call_id: 'c', tool_use_id: 'u' })).toEqual([
      { kind: 'tool', state: 'started', key: 'c', ...about },
    ])
    expect(read('PostToolUseFailure', { ...tool, error: 'bad' })).toEqual([
      { kind: 'tool', state: 'failed', key: null, output: 'bad', ...about },
    ])
  })

  it('reports the end of turns, and whether sub-agents continue', () => {
    expect(read('Stop', { last_assistant_message: 'bye', background_tasks: [] })).toEqual([
      { kind: 'turn-ended', outcome: 'done', text: 'bye' },
    ])
    expect(read('Stop', { background_tasks: [{}] })).toEqual([{ kind: 'turn-ended', outcome: 'done', background: 1 }])
    expect(read('SubagentStop', { agent_id: 'a' })).toEqual([{ kind: 'turn-ended', outcome: 'done', subAgent: 'a' }])
  })

  it('ignores unknown events, and refuses malformed ones', () => {
    expect(read('PreCompact', {})).toEqual([])
    expect(read('Notification', { notification_type: 'weather' })).toEqual([])
    expect(() => read('PermissionRequest', {})).toThrow('tool_name')
    expect(() => read('SessionStart', {})).toThrow('session_id')
  })

  it('is configured by defaults of the session, unless the machine has its own', () => {
    const directory = mkdtempSync(join(tmpdir(), 'signalbox-qwen-'))
    const wiring = { directory, relay: ['/node', "/it's/cli.js", 'hook', 'qwen'], mayHold: true }
    const start = { args: [], resume: null, newSessionId: ID, wiring }
    const { env } = qwenAgent.interactive(location, start)
    const file = env.QWEN_CODE_SYSTEM_DEFAULTS_PATH!
    expect(file).toBe(join(directory, 'qwen-defaults.json'))
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const { hooks } = JSON.parse(readFileSync(file, 'utf8'))
    expect(hooks.PermissionRequest[0].hooks[0].command).toBe("/node '/it'\\''s/cli.js' hook qwen PermissionRequest")
    const theirs = { ...start, env: { QWEN_CODE_SYSTEM_DEFAULTS_PATH: '/etc/x.json' } }
    expect(qwenAgent.interactive(location, theirs).env).toEqual({})
    expect(qwenAgent.interactive(location, { ...start, wiring: null }).env).toEqual({})
    rmSync(directory, { recursive: true })
  })
})
