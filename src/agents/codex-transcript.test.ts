import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { CodexConversation } from './codex-transcript.js'
import { type JsonRecord, parseRecord } from './json-lines.js'
import { outlineOf } from './testing/outline.js'

/**
 * Written by 0.166.0: an answer, an allowed command, a denied one, an interrupted turn, and another
 * answer.
 */
const RECORDS = readFileSync(new URL('./fixtures/codex-0.166.0.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter(Boolean)
  .map(line => parseRecord(line)!)

const record = (type: string, payload: object): JsonRecord => ({ type, timestamp: '2026-11-15T07:00:00.000Z', payload })
const event = (type: string, fields: object = {}) => record('event_msg', { type, turn_id: 't', ...fields })
const item = (type: string, fields: object = {}) => record('response_item', { type, ...fields })
const call = item('function_call', { name: 'exec_command', arguments: '{"cmd":"ls"}', call_id: 'c' })

function read(records: readonly JsonRecord[], conversation = new CodexConversation('/rollout.jsonl')) {
  return records
    .flatMap(each => conversation.parseRecord(each) ?? ['foreign' as never])
    .map(({ at: _, ...statement }) => statement)
}

describe('a rollout of Codex', () => {
  test('gives the statements in order', () => {
    const outline = outlineOf(read(RECORDS).filter(({ kind }) => kind !== 'usage'))
    expect(outline).toEqual([
      'session',
      'working',
      '> Tell me about the PARTS of this project',
      'The project has two parts.\n\n1. `core`\n2. `shell`',
      'ended: done',
      'working',
      '> Please do the ALLOWED thing',
      'I run it.',
      'exec_command started',
      'exec_command done',
      'It has been run.',
      'ended: done',
      'working',
      '> Please do the REFUSED thing',
      'I run it.',
      'exec_command started',
      'exec_command failed',
      'ended: interrupted',
      'working',
      '> Please do the ENDLESS thing',
      'ended: interrupted',
      'working',
      '> Are you there AFTERWARDS ?',
      'Here again.',
      'ended: done',
    ])
  })

  test('counts tokens once per answer of the model', () => {
    const usage = read(RECORDS).filter(({ kind }) => kind === 'usage')
    expect(usage).toEqual(Array(5).fill({ kind: 'usage', input: 100, output: 20, contextWindow: 258_400 }))
  })

  test('gives the conversation id, with version and directory', () => {
    expect(read(RECORDS)[0]).toEqual({
      kind: 'session',
      agentSession: expect.stringMatching(/^[0-9a-f-]{36}$/),
      transcript: '/rollout.jsonl',
      cwd: '/home/dev/app',
      version: '0.166.0',
    })
  })

  test('gives nothing twice when the file is read again', () => {
    const conversation = new CodexConversation('/rollout.jsonl')
    expect(read(RECORDS, conversation)).not.toEqual([])
    expect(read(RECORDS, conversation)).toEqual([])
  })

  test('takes the end of a command from its event, not from the text that the model gets', () => {
    const ended = (status: string) => event('item_completed', { item: { type: 'CommandExecution', id: 'c', status } })
    const output = item('function_call_output', { call_id: 'c', output: 'Process exited with code 3' })
    const states = (records: JsonRecord[]) =>
      read(records).flatMap(statement => (statement.kind === 'tool' ? [statement.state] : []))
    expect(states([call, ended('failed'), output])).toEqual(['started', 'failed'])
    expect(states([call, ended('declined'), output])).toEqual(['started', 'denied'])
    expect(states([call, ended('completed'), output])).toEqual(['started', 'done'])
    expect(states([call, output])).toEqual(['started', 'done'])
    expect(states([output])).toEqual([])
  })

  test('gives the input of a call as an object, and free text unchanged', () => {
    expect(read([call])).toMatchObject([{ tool: 'exec_command', input: { cmd: 'ls' }, key: 'c' }])
    const patch = item('custom_tool_call', { name: 'apply_patch', input: '*** Begin Patch', call_id: 'd' })
    expect(read([patch])).toMatchObject([{ tool: 'apply_patch', input: '*** Begin Patch' }])
  })

  test('reports a turn that ends in an error as failed, and a recovered one as done', () => {
    const failed = [
      event('task_started'),
      event('task_complete', { last_agent_message: null, error: { message: '401' } }),
    ]
    expect(read(failed).at(-1)).toEqual({ kind: 'turn-ended', outcome: 'failed', text: '401' })
    const older = [event('task_started'), event('error', { message: '500' }), event('task_complete')]
    expect(read(older).at(-1)).toEqual({ kind: 'turn-ended', outcome: 'failed', text: '500' })
    const recovered = [event('error', { message: '500' }), event('task_complete', { last_agent_message: 'Done.' })]
    expect(read(recovered)).toEqual([{ kind: 'turn-ended', outcome: 'done', text: 'Done.' }])
  })

  test('marks all statements of a sub-agent’s file', () => {
    const meta = record('session_meta', { id: 'sub', source: { subagent: { thread_spawn: {} } } })
    expect(read([meta, event('task_started')])).toMatchObject([
      { kind: 'session', subAgent: 'sub' },
      { kind: 'working', subAgent: 'sub' },
    ])
  })

  test('counts records of any other form, and ignores unknown events', () => {
    const conversation = new CodexConversation('/rollout.jsonl')
    expect(conversation.parseRecord({})).toBeNull()
    expect(conversation.parseRecord({ type: 'event_msg' })).toBeNull()
    expect(conversation.parseRecord(event('something_new'))).toEqual([])
    expect(conversation.parseRecord(record('brand_new', {}))).toEqual([])
  })
})
