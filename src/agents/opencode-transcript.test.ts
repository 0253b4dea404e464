import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Database, loadDriver } from '../store/index.js'
import { opencodeTranscript } from './opencode-transcript.js'

let home: string
let path: string
let database: Database
let clock = 1_000

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'signalbox-opencode-'))
  mkdirSync(join(home, '.local', 'share', 'opencode'), { recursive: true })
  path = join(home, '.local', 'share', 'opencode', 'opencode.db')
  database = new (await loadDriver())(path)
  database.exec(`PRAGMA journal_mode = WAL;
    CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, version TEXT, time_created INTEGER);
    CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
    CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT)`)
  session('ses_main00000000', '/work', null, 5_000)
})
afterEach(() => {
  database.close()
  rmSync(home, { recursive: true, force: true })
})

function session(id: string, directory: string, parent: string | null, at: number): void {
  database.prepare('INSERT INTO session VALUES (?, ?, ?, ?, ?)').run(id, parent, directory, '1.18.0', at)
}
function message(id: string, data: object, of = 'ses_main00000000'): void {
  clock += 1
  const sql = `INSERT INTO message VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET data = excluded.data, time_updated = excluded.time_updated`
  database.prepare(sql).run(id, of, clock, clock, JSON.stringify(data))
}
function part(id: string, of: string, data: object): void {
  clock += 1
  const sql = `INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET data = excluded.data, time_updated = excluded.time_updated`
  database.prepare(sql).run(id, of, 'ses_main00000000', clock, clock, JSON.stringify(data))
}
const open = (agentSessionId: string | null, startedAt = 0) =>
  opencodeTranscript.open(path, { env: { HOME: home }, cwd: '/work', agentSessionId, startedAt })
const ask = () => {
  message('msg_1', { role: 'user', time: {} })
  part('prt_1', 'msg_1', { type: 'text', text: 'hi' })
}

describe('the database of OpenCode', () => {
  it('is found in its directory', async () => {
    const lookup = { env: { HOME: home }, cwd: '/', agentSessionId: null, startedAt: 0 }
    expect(await opencodeTranscript.locate(lookup)).toEqual([path])
    expect(await opencodeTranscript.locate({ ...lookup, env: { HOME: '/nowhere' } })).toEqual([])
  })

  it('is read while the agent has it open, row by row', async () => {
    const reader = open('ses_main00000000')
    ask()
    expect((await reader.read()).statements).toMatchObject([
      { kind: 'session', agentSession: 'ses_main00000000', version: '1.18.0', cwd: '/work', transcript: path },
      { kind: 'prompt', text: 'hi', prompt: 'msg_1' },
    ])
    message('msg_2', { role: 'assistant', time: { created: 1 } })
    part('prt_2', 'msg_2', { type: 'text', text: '', time: { start: 1 } })
    expect((await reader.read()).statements).toEqual([])
    part('prt_2', 'msg_2', { type: 'text', text: '*hello*', time: { start: 1, end: 2 } })
    part('prt_3', 'msg_2', { type: 'step-finish', tokens: { input: 4, output: 2, cache: { read: 1 } }, cost: 0 })
    message('msg_2', { role: 'assistant', time: { created: 1, completed: 2 }, finish: 'stop' })
    expect((await reader.read()).statements).toMatchObject([
      { kind: 'said', id: 'prt_2', markdown: '*hello*' },
      { kind: 'usage', input: 5, output: 2 },
      { kind: 'turn-ended', outcome: 'done' },
    ])
    expect((await reader.read()).statements).toEqual([])
    // The agent can still write: no lock is held.
    database.exec('BEGIN IMMEDIATE; COMMIT; PRAGMA wal_checkpoint(TRUNCATE)')
    reader.close()
  })

  it('contains calls, denials and interruptions', async () => {
    const reader = open('ses_main00000000')
    ask()
    const tool = { type: 'tool', tool: 'bash', callID: 'c' }
    const input = { command: 'ls' }
    message('msg_2', { role: 'assistant', time: { created: 1 } })
    part('prt_2', 'msg_2', { ...tool, state: { status: 'running', input } })
    expect((await reader.read()).statements.at(-1)).toMatchObject({ kind: 'tool', state: 'started', key: 'c', input })
    const error = 'The user rejected permission to use this specific tool call.'
    part('prt_2', 'msg_2', { ...tool, state: { status: 'error', input, error } })
    message('msg_2', { role: 'assistant', time: { completed: 2 }, finish: 'tool-calls' })
    expect((await reader.read()).statements).toMatchObject([{ kind: 'tool', state: 'denied', output: error }])
    message('msg_3', { role: 'assistant', time: { completed: 3 }, error: { name: 'MessageAbortedError', data: {} } })
    expect((await reader.read()).statements).toMatchObject([{ kind: 'turn-ended', outcome: 'interrupted' }])
  })

  it('gives the conversation that started here after the start if no id is known, not a sub-agent’s', async () => {
    session('ses_old000000000', '/work', null, 1_000)
    session('ses_elsewhere000', '/other', null, 6_000)
    session('ses_helper000000', '/work', 'ses_main00000000', 4_500)
    expect((await open(null, 4_400).read()).statements).toMatchObject([{ agentSession: 'ses_main00000000' }])
    expect((await open(null, 90_000).read()).statements).toEqual([])
  })

  it('gives nothing if it cannot be read, and is tried again', async () => {
    const reader = opencodeTranscript.open(join(home, 'none.db'))
    expect(await reader.read()).toEqual({ statements: [], skipped: 0 })
    expect(await reader.read()).toEqual({ statements: [], skipped: 0 })
  })

  it('counts rows that are not JSON', async () => {
    database.prepare('INSERT INTO message VALUES (?, ?, 1, 1, ?)').run('msg_x', 'ses_main00000000', '{torn')
    expect((await open('ses_main00000000').read()).skipped).toBe(1)
  })
})
