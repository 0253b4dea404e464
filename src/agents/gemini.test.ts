import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { geminiAgent } from './gemini.js'
import { GeminiConversation } from './gemini-transcript.js'
import type { JsonRecord } from './json-lines.js'

const ID = '0a1b2c3d-0000-4000-8000-00000000000a'
const NEW = '0a1b2c3d-0000-4000-8000-00000000000b'
const location = { found: true as const, file: '/bin/gemini', prefix: [] }
const T = '2026-01-02T03:04:05.000Z'
const at = Date.parse(T)

const head = { sessionId: ID, projectHash: 'x', startTime: T, lastUpdated: T, kind: 'main' }
const user = (id: string, text: string) => ({ id, timestamp: T, type: 'user', content: [{ text }] })
const model = (id: string, content: string, more: object = {}) => ({
  id,
  timestamp: T,
  type: 'gemini',
  content,
  tokens: { input: 7, output: 3, thoughts: 1 },
  ...more,
})
const call = (status: string, more: object = {}) => ({
  id: 'call-1',
  name: 'run_shell_command',
  args: { command: 'ls' },
  status,
  timestamp: T,
  result: [{ functionResponse: { response: { output: 'a b' } } }],
  ...more,
})

function read(...records: JsonRecord[]) {
  const conversation = new GeminiConversation('/t.jsonl')
  return records.flatMap(record => conversation.parseRecord(record) ?? [{ kind: 'unknown' }])
}

describe('a transcript of Gemini CLI', () => {
  it('gives speakers and usage', () => {
    expect(read(head, { $set: { messages: [] } }, user('u', 'hi'), model('m', '**hello**'))).toEqual([
      { kind: 'session', agentSession: ID, transcript: '/t.jsonl', at },
      { kind: 'prompt', text: 'hi', prompt: 'u', at },
      { kind: 'said', id: 'm', markdown: '**hello**', at },
      { kind: 'usage', input: 7, output: 4, at },
    ])
  })

  it('gives only the new part of a message that is written again with its tools', () => {
    const said = read(model('m', 'I look.'), model('m', 'I look.', { toolCalls: [call('success')] }))
    expect(said.map(({ kind }) => kind)).toEqual(['said', 'usage', 'tool'])
    expect(said[2]).toEqual({
      kind: 'tool',
      state: 'done',
      key: 'call-1',
      tool: 'run_shell_command',
      input: { command: 'ls' },
      output: 'a b',
      at,
    })
  })

  it.each([
    ['error', {}, 'failed'],
    ['cancelled', {}, 'denied'],
    ['cancelled', { resultDisplay: 'half' }, 'failed'],
  ])('reports a call with status %s and display %j as %s', (status, more, state) => {
    expect(read(model('m', '', { toolCalls: [call(status, more)] }))[1]).toMatchObject({ kind: 'tool', state })
  })

  it('does not report unfinished calls', () => {
    expect(read(model('m', '', { toolCalls: [call('executing')] })).map(({ kind }) => kind)).toEqual(['usage'])
  })

  it('ignores the history that is written again after a cancelled turn', () => {
    const context = { text: '<session_context>\nabout the directory' }
    const statements = read(
      user('u1', 'first'),
      model('m1', 'answer'),
      user('u2', 'second'),
      { id: 'i1', timestamp: T, type: 'info', content: 'Request cancelled.' },
      { ...user('n1', ''), content: [context, { text: 'first' }] },
      { id: 'n2', timestamp: T, type: 'gemini', content: [{ text: 'answer' }], tokens: null },
      user('n3', 'second'),
      { $set: { messages: [{ id: 'n1' }] } },
      user('u3', 'third'),
    )
    const outline = statements.map(statement => ('text' in statement ? statement.text : statement.kind))
    expect(outline).toEqual(['first', 'said', 'usage', 'second', 'turn-ended', 'third'])
  })

  it('reports a failure as the end of the turn, with its reason', () => {
    expect(read({ id: 'e', timestamp: T, type: 'error', content: '[API Error: 401]' })).toEqual([
      { kind: 'turn-ended', outcome: 'failed', text: '[API Error: 401]', at },
    ])
  })

  it('counts records of an unknown kind', () => {
    expect(new GeminiConversation('/t').parseRecord({ id: 'x', type: 'hologram' })).toBeNull()
    expect(new GeminiConversation('/t').parseRecord({})).toBeNull()
  })
})

describe('the transcript file of Gemini CLI', () => {
  let home: string
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'signalbox-gemini-'))
  })
  afterEach(() => rmSync(home, { recursive: true, force: true }))

  const put = (project: string, name: string, root: string) => {
    const chats = join(home, '.gemini', 'tmp', project, 'chats')
    mkdirSync(chats, { recursive: true })
    writeFileSync(join(chats, '..', '.project_root'), root)
    writeFileSync(join(chats, name), '')
    return join(chats, name)
  }
  const locate = (agentSessionId: string | null, startedAt = 0) =>
    geminiAgent.transcript!.locate({ env: { HOME: home }, cwd: '/work/one', agentSessionId, startedAt })

  it('is found by session id in any project', async () => {
    put('one', 'session-2026-01-01T00-00-ffffffff.jsonl', '/work/one')
    const wanted = put('two', `session-2026-01-01T00-00-${ID.slice(0, 8)}.jsonl`, '/work/two')
    expect(await locate(ID)).toEqual([wanted])
  })

  it('is the newest one of this project since the start if no id is known', async () => {
    const old = put('one', 'session-1-aaaaaaaa.jsonl', '/work/one')
    const newer = put('one', 'session-2-bbbbbbbb.jsonl', '/work/one')
    const newest = put('one', 'session-3-cccccccc.jsonl', '/work/one')
    put('two', 'session-4-dddddddd.jsonl', '/work/two')
    utimesSync(old, 100, 100)
    utimesSync(newer, 200, 200)
    utimesSync(newest, 300, 300)
    expect(await locate(null, 150_000)).toEqual([newest, newer])
  })

  it('is not found before it exists', async () => {
    expect(await locate(null)).toEqual([])
  })
})

describe('Gemini CLI', () => {
  it('gets our id for a new conversation, and the old id to continue one', () => {
    const start = { args: ['-m', 'x'], resume: null, newSessionId: NEW, wiring: null }
    expect(geminiAgent.interactive(location, start)).toEqual({
      file: '/bin/gemini',
      args: ['--session-id', NEW, '-m', 'x'],
      env: {},
      agentSessionId: NEW,
    })
    expect(geminiAgent.interactive(location, { ...start, resume: ID })).toMatchObject({
      args: ['--resume', ID, '-m', 'x'],
      agentSessionId: ID,
    })
  })

  it('is signed in by a key or a file, judged only by its name', () => {
    const home = mkdtempSync(join(tmpdir(), 'signalbox-gemini-'))
    const ask = (env: NodeJS.ProcessEnv) => geminiAgent.signIn!({ env, cwd: '/', configuredCommand: null })
    expect(ask({ HOME: home, GEMINI_API_KEY: 'x' })).toEqual({ state: 'yes', because: 'GEMINI_API_KEY is set' })
    expect(ask({ HOME: home })).toMatchObject({ state: 'no', next: expect.stringContaining('GEMINI_API_KEY') })
    mkdirSync(join(home, '.gemini', 'oauth_creds.json'), { recursive: true })
    expect(ask({ HOME: home }).state).toBe('yes')
    rmSync(home, { recursive: true })
  })

  it('prints its conversation id on exit', () => {
    expect(geminiAgent.exitId!(['│  To resume this session: gemini --resume  │', `│ ${ID} │`])).toBe(ID)
  })
})
