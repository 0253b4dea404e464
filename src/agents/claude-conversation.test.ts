import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ClaudeConversation } from './claude-conversation.js'
import { type JsonRecord, parseRecord } from './json-lines.js'
import { outlineOf } from './testing/outline.js'

/**
 * Written by 2.1.325: an answer, an allowed command, a denied one, an interrupted turn, and two
 * more answers.
 */
const RECORDS = readFileSync(new URL('./fixtures/claude-2.1.325.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter(Boolean)
  .map(line => parseRecord(line)!)
const OF_SESSION = { session: 'the-id', path: '/the-id.jsonl' }

let count = 0
function record(type: string, fields: Record<string, unknown>): JsonRecord {
  count += 1
  return { type, uuid: `made-${count}`, timestamp: '2026-11-15T07:00:00.000Z', isSidechain: false, ...fields }
}

const prompt = (text: string) => record('user', { message: { role: 'user', content: text }, origin: { kind: 'human' } })
const model = (content: unknown[], more: object = {}, usage = { input_tokens: 5, output_tokens: 7 }) =>
  record('assistant', { message: { id: 'msg_1', role: 'assistant', model: 'claude', content, usage }, ...more })
const call = { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'ls' } }
const result = (more: object) =>
  record('user', {
    message: {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'text', is_error: true }],
    },
    ...more,
  })
const ended = record('system', { subtype: 'turn_duration', durationMs: 1 })

function read(records: readonly JsonRecord[], conversation = new ClaudeConversation(OF_SESSION)) {
  return records.flatMap(each => conversation.parseRecord(each)).map(({ at: _, ...statement }) => statement)
}

describe('a transcript of Claude Code', () => {
  test('gives the statements in order', () => {
    const outline = outlineOf(read(RECORDS))
    expect(outline).toEqual([
      'session',
      '> Tell me about the PARTS of this project',
      'The project has two parts.\n\n1. `core`\n2. `shell`',
      'usage',
      'ended: done',
      '> Please do the ALLOWED thing',
      'I run it.',
      'Bash started',
      'Bash done',
      'usage',
      'It has been run.',
      'usage',
      'ended: done',
      '> Please do the REFUSED thing',
      'I run it.',
      'Bash started',
      'Bash denied',
      'usage',
      'ended: interrupted',
      '> Please do the ENDLESS thing',
      'I begin with a few words.',
      'usage',
      'ended: interrupted',
      '> Are you there AFTERWARDS ?',
      'Here again.',
      'usage',
      'ended: done',
      '> Do you REMEMBER ?',
      'Of course I remember.',
      'usage',
      'ended: done',
    ])
  })

  test('gives the conversation id from its file, with version and directory', () => {
    expect(read(RECORDS)[0]).toEqual({
      kind: 'session',
      agentSession: 'the-id',
      transcript: '/the-id.jsonl',
      version: '2.1.325',
      cwd: '/home/dev/app',
    })
  })

  test('gives no statement twice when the file is read again', () => {
    const conversation = new ClaudeConversation(OF_SESSION)
    expect(read(RECORDS, conversation)).not.toEqual([])
    expect(read(RECORDS, conversation)).toEqual([])
  })

  test('joins the result of a tool to its call', () => {
    const done = read(RECORDS).find(statement => statement.kind === 'tool' && statement.state === 'done')
    expect(done).toMatchObject({
      key: 'toolu_000000000000000000000003',
      tool: 'Bash',
      input: { command: expect.stringContaining('allowed.txt') },
      output: '(Bash completed with no output)',
    })
  })

  test('separates a stopped tool from a denied one', () => {
    const rejected = result({ toolDenialKind: 'user-rejected' })
    const note = (more: object) =>
      record('user', {
        message: { content: [{ type: 'text', text: '[Request interrupted by user for tool use]' }] },
        ...more,
      })
    const states = (records: JsonRecord[]) =>
      read(records).flatMap(statement => (statement.kind === 'tool' ? [statement.state] : []))
    expect(states([model([call]), rejected, note({ interruptedMessageId: 'msg_1' })])).toEqual(['started', 'failed'])
    expect(states([model([call]), result({ toolDenialKind: 'user-rejected' }), note({})])).toEqual([
      'started',
      'denied',
    ])
    expect(states([model([call]), result({ toolDenialKind: 'permission-rule' })])).toEqual(['started', 'denied'])
    expect(states([model([call]), result({})])).toEqual(['started', 'failed'])
  })

  test('counts the tokens of a message once, with its last count', () => {
    const first = model([{ type: 'text', text: 'a' }], {}, { input_tokens: 5, output_tokens: 1 })
    const last = model([call], {}, { input_tokens: 5, output_tokens: 9 })
    expect(read([first, last, ended]).filter(({ kind }) => kind === 'usage')).toEqual([
      { kind: 'usage', input: 5, output: 9, cacheRead: 0, cacheWrite: 0, model: 'claude' },
    ])
  })

  test('reports a turn that ends in a model error as failed', () => {
    const failed = model([{ type: 'text', text: 'API Error: 529' }], { isApiErrorMessage: true })
    expect(read([prompt('hello'), failed, record('system', { subtype: 'turn_duration' })])).toEqual([
      { kind: 'prompt', text: 'hello' },
      { kind: 'turn-ended', outcome: 'failed', text: 'API Error: 529' },
    ])
  })

  test('reports a finished background task as a new turn, not as a prompt', () => {
    const notified = record('user', {
      message: { content: '<task-notification>done</task-notification>' },
      origin: { kind: 'task-notification' },
    })
    expect(read([notified])).toEqual([{ kind: 'working' }])
  })

  test('does not report commands, notes of the program and summaries as prompts', () => {
    const silent = [
      record('user', { message: { content: '<command-name>/model</command-name>' } }),
      record('user', { message: { content: '<local-command-stdout>x</local-command-stdout>' } }),
      record('user', { message: { content: 'a note' }, isMeta: true }),
      record('user', { message: { content: 'what was said so far' }, isCompactSummary: true }),
      record('assistant', {
        message: { model: '<synthetic>', content: [{ type: 'text', text: 'No response requested.' }] },
      }),
    ]
    expect(read(silent)).toEqual([])
  })

  test('marks the statements of a sub-agent', () => {
    const conversation = new ClaudeConversation({ subAgent: 'a1' })
    expect(read([model([{ type: 'text', text: 'I read.' }])], conversation)).toEqual([
      { kind: 'said', id: expect.any(String), markdown: 'I read.', subAgent: 'a1' },
    ])
    const inside = model([{ type: 'text', text: 'I read.' }], { isSidechain: true, agentId: 'a2' })
    expect(read([inside])).toMatchObject([{ kind: 'said', subAgent: 'a2' }])
  })

  test('skips records of any other shape', () => {
    const odd = [
      {},
      { type: 5 },
      { uuid: 'x', type: 'user' },
      { uuid: 'y', type: 'assistant', message: { content: [null, 3] } },
    ]
    expect(read(odd)).toEqual([])
  })
})
