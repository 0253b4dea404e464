import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { JsonRecord } from './json-lines.js'
import { piAgent } from './pi.js'
import { PiConversation } from './pi-conversation.js'

const ID = '0a1b2c3d-0000-7000-8000-00000000000a'
const T = '2026-01-02T03:04:05.000Z'
const at = Date.parse(T)
let count = 0
const entry = (message: object): JsonRecord => ({ type: 'message', id: `e${count++}`, timestamp: T, message })
const text = (words: string) => ({ type: 'text', text: words })
const usage = { input: 5, output: 2, cacheRead: 1, cacheWrite: 1, cost: { total: 0.5 } }
const answer = (stopReason: string, content: object[], more: object = {}) =>
  entry({ role: 'assistant', content, usage, stopReason, ...more })

function read(...records: JsonRecord[]) {
  const conversation = new PiConversation('/t.jsonl')
  return records.flatMap(record => conversation.parseRecord(record) ?? [{ kind: 'unknown' }])
}

describe('a session file of Pi', () => {
  it('gives the session, the prompt, the answer, its cost and its end', () => {
    const statements = read(
      { type: 'session', version: 3, id: ID, timestamp: T, cwd: '/w' },
      { type: 'model_change', id: 'x', timestamp: T },
      entry({ role: 'system', content: '' }),
      entry({ role: 'user', content: [text('hi')] }),
      answer('stop', [{ type: 'thinking', thinking: 'hm' }, text('*hello*')]),
    )
    expect(statements).toEqual([
      { kind: 'session', agentSession: ID, transcript: '/t.jsonl', cwd: '/w', at },
      { kind: 'prompt', text: 'hi', prompt: expect.any(String), at },
      { kind: 'said', id: expect.any(String), markdown: '*hello*', at },
      { kind: 'usage', input: 7, output: 2, costUsd: 0.5, at },
      { kind: 'turn-ended', outcome: 'done', at },
    ])
  })

  it('continues the turn after a call, and joins its result', () => {
    const call = { type: 'toolCall', id: 'c', name: 'bash', arguments: { command: 'ls' } }
    const result = entry({
      role: 'toolResult',
      toolCallId: 'c',
      toolName: 'bash',
      content: [text('a b')],
      isError: true,
    })
    const tool = { key: 'c', tool: 'bash', input: { command: 'ls' }, at }
    const statements = read(answer('toolUse', [text('I look.'), call]), result)
    expect(statements.map(({ kind }) => kind)).toEqual(['said', 'tool', 'usage', 'tool'])
    expect(statements[1]).toEqual({ kind: 'tool', state: 'started', ...tool })
    expect(statements[3]).toEqual({ kind: 'tool', state: 'failed', output: 'a b', ...tool })
  })

  it.each([
    ['aborted', 'interrupted'],
    ['error', 'failed'],
    ['length', 'done'],
  ])('reports a turn with stop reason %s as %s', (reason, outcome) => {
    expect(read(answer(reason, [], { errorMessage: 'why' })).at(-1)).toMatchObject({ kind: 'turn-ended', outcome })
  })

  it('is found by its id anywhere, else by the directory of the project', async () => {
    const home = mkdtempSync(join(tmpdir(), 'signalbox-pi-'))
    const put = (folder: string, name: string) => {
      const directory = join(home, '.pi', 'agent', 'sessions', folder)
      mkdirSync(directory, { recursive: true })
      writeFileSync(join(directory, name), '')
      return join(directory, name)
    }
    const here = put('--work-a.b--', '2026_x.jsonl')
    const other = put('--other--', `2026_${ID}.jsonl`)
    const lookup = { env: { HOME: home }, cwd: '/work/a.b', startedAt: 0 }
    expect(await piAgent.transcript!.locate({ ...lookup, agentSessionId: ID })).toEqual([other])
    expect(await piAgent.transcript!.locate({ ...lookup, agentSessionId: null })).toEqual([here])
    rmSync(home, { recursive: true })
  })
})

it('Pi chooses its own conversation ids, and continues one by its id', () => {
  const location = { found: true as const, file: '/bin/pi', prefix: [] }
  const start = { args: [], resume: null, newSessionId: ID, wiring: null }
  expect(piAgent.interactive(location, start)).toMatchObject({ args: [], agentSessionId: null })
  expect(piAgent.interactive(location, { ...start, resume: ID })).toMatchObject({
    args: ['--session', ID],
    agentSessionId: ID,
  })
  expect(piAgent.exitId!([`To resume this session: pi --session ${ID}`])).toBe(ID)
})
