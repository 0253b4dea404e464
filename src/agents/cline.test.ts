import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { clineAgent } from './cline.js'

const ID = '1700000000000_ab1cd'
let home: string
let count = 0

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'signalbox-cline-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

function put(messages: unknown, state: object = { status: 'running' }): string {
  const folder = join(home, '.cline', 'data', 'sessions', ID)
  mkdirSync(folder, { recursive: true })
  const text = typeof messages === 'string' ? messages : JSON.stringify({ sessionId: ID, messages })
  // A rewritten file differs in size or time; the padding guarantees the size.
  writeFileSync(join(folder, `${ID}.messages.json`), text + ' '.repeat(count++))
  writeFileSync(join(folder, `${ID}.json`), JSON.stringify(state))
  return join(folder, `${ID}.messages.json`)
}
const user = (id: string, ...content: object[]) => ({ id, role: 'user', ts: 1, content })
const said = (id: string, ...content: object[]) => ({
  id,
  role: 'assistant',
  ts: 2,
  content,
  metrics: { inputTokens: 3 },
})
const text = (words: string) => ({ type: 'text', text: words })
const PROMPT = user('u1', text('<user_input mode="act">do > this</user_input>'))
const CALL = said('a1', text('I run it.'), {
  type: 'tool_use',
  id: 'c',
  name: 'run_commands',
  input: { commands: ['ls'] },
})

describe('a transcript of Cline', () => {
  it('is found by id, or by time', async () => {
    const path = put([])
    const lookup = { env: { HOME: home }, cwd: '/', startedAt: 0 }
    expect(await clineAgent.transcript!.locate({ ...lookup, agentSessionId: ID })).toEqual([path])
    expect(await clineAgent.transcript!.locate({ ...lookup, agentSessionId: null })).toEqual([path])
    expect(
      await clineAgent.transcript!.locate({ ...lookup, agentSessionId: null, startedAt: Date.now() + 60_000 }),
    ).toEqual([])
    expect(await clineAgent.transcript!.locate({ ...lookup, agentSessionId: 'other' })).toEqual([])
  })

  it('gives each statement once, although its files are rewritten each time', async () => {
    const reader = clineAgent.transcript!.open(put([]))
    expect((await reader.read()).statements.map(({ kind }) => kind)).toEqual(['session', 'working'])
    put([PROMPT, CALL])
    expect((await reader.read()).statements).toEqual([
      { kind: 'prompt', text: 'do > this', prompt: 'u1', at: 1 },
      { kind: 'said', id: 'a1', markdown: 'I run it.', at: 2 },
      { kind: 'tool', state: 'started', key: 'c', tool: 'run_commands', input: { commands: ['ls'] }, at: 2 },
      { kind: 'usage', input: 3, output: 0, at: 2 },
    ])
    expect((await reader.read()).statements).toEqual([])
    const result = { type: 'tool_result', tool_use_id: 'c', content: [{ query: 'ls', result: 'a b' }] }
    put([PROMPT, CALL, user('u2', result), said('a2', text('Done.'))], { status: 'idle' })
    expect((await reader.read()).statements).toMatchObject([
      { kind: 'tool', state: 'done', key: 'c', tool: 'run_commands', output: 'a b' },
      { kind: 'said', markdown: 'Done.' },
      { kind: 'usage' },
      { kind: 'turn-ended', outcome: 'done' },
    ])
    put([PROMPT], { status: 'completed', ended_at: '2026-01-02T03:04:05.000Z' })
    expect((await reader.read()).statements).toMatchObject([{ kind: 'ended', reason: 'completed' }])
  })

  it('is read the next time if it is half written', async () => {
    const reader = clineAgent.transcript!.open(put([]))
    await reader.read()
    put('{"sessionId": "x", "messages": [{"id"')
    expect((await reader.read()).statements).toEqual([])
    put([PROMPT])
    expect((await reader.read()).statements).toMatchObject([{ kind: 'prompt' }])
  })

  it('gives nothing if it does not exist', async () => {
    expect(await clineAgent.transcript!.open('/nowhere/x.messages.json').read()).toEqual({ statements: [], skipped: 0 })
  })
})

it('Cline chooses its own conversation ids, and continues one by its id', () => {
  const location = { found: true as const, file: '/bin/cline', prefix: [] }
  const start = { args: ['--auto-approve', 'false'], resume: ID, newSessionId: 'x', wiring: null }
  expect(clineAgent.interactive(location, start)).toMatchObject({
    args: ['--id', ID, '--auto-approve', 'false'],
    agentSessionId: ID,
  })
  expect(clineAgent.exitId!(['  Cost      $0.00', `  Continue  cline --id ${ID}`])).toBe(ID)
})
