import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CLI, TestHome } from './harness.js'

let home: TestHome
let child: ChildProcessWithoutNullStreams
const answers = new Map<number, (answer: Answer) => void>()
const notices: { method: string; params: Record<string, unknown> }[] = []
let last = 0

interface Answer {
  result?: Record<string, unknown> & { content?: { text: string }[]; isError?: boolean }
  error?: { message: string }
}

beforeAll(() => {
  home = new TestHome()
  child = spawn(process.execPath, [CLI, 'mcp'], { cwd: home.work, env: home.env })
  createInterface({ input: child.stdout }).on('line', line => {
    // Every line is a message: nothing else may be printed.
    const message = JSON.parse(line) as Answer & { id?: number; method: string; params: Record<string, unknown> }
    if (message.id === undefined) notices.push(message)
    else answers.get(message.id)?.(message)
  })
})
afterAll(async () => {
  child.kill()
  await home.close()
})

const INITIALIZE = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } }

function ask(method: string, params: object = {}): Promise<Answer> {
  const id = ++last
  const answered = new Promise<Answer>(resolve => answers.set(id, resolve))
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
  return answered
}

async function tool(name: string, given: object, meta: object = {}): Promise<Record<string, unknown>> {
  const { result, error } = await ask('tools/call', { name, arguments: given, ...meta })
  if (error || result?.isError) throw new Error(error?.message ?? result!.content![0]!.text)
  return JSON.parse(result!.content![0]!.text) as Record<string, unknown>
}

test('an MCP client starts an agent, prompts it, waits for it and reads what it said', async () => {
  expect((await ask('initialize', INITIALIZE)).result).toMatchObject({
    protocolVersion: '2025-06-18',
    serverInfo: { name: 'signalbox' },
  })
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
  const { tools } = (await ask('tools/list')).result as {
    tools: { name: string; annotations: { readOnlyHint: boolean } }[]
  }
  expect(tools.map(({ name }) => name).sort()).toEqual([
    'approvals_list',
    'run_cancel',
    'run_resume',
    'run_show',
    'run_start',
    'runs_list',
    'session_interrupt',
    'session_read',
    'session_send',
    'session_start',
    'session_wait',
    'sessions_list',
  ])
  expect(tools.find(({ name }) => name === 'approvals_list')!.annotations.readOnlyHint).toBe(true)
  const { id } = await tool('session_start', { agent: 'demo' })
  await tool('session_wait', { session: id, seconds: 60 })
  await tool('session_send', { session: id, text: 'say hello' })
  const waited = await tool('session_wait', { session: id, seconds: 60 })
  expect(['idle', 'approval']).toContain(waited.reached)
  const read = await tool('session_read', { session: id, screen: true })
  expect(JSON.stringify(read)).toContain('say hello')
  expect(await tool('sessions_list', {})).toMatchObject({ items: [{ id, agent: 'demo' }] })
  const { resources } = (await ask('resources/list')).result as { resources: { uri: string }[] }
  const { uri } = resources.find(one => one.uri === `signalbox://sessions/${id}/conversation`)!
  expect(JSON.stringify((await ask('resources/read', { uri })).result)).toContain('say hello')
  await expect(tool('session_read', { session: 'ses_none' })).rejects.toThrow('E_UNKNOWN')
})

test('a client that waits receives progress, and cannot decide', async () => {
  expect(
    (await ask('tools/call', { name: 'approval_decide', arguments: {} })).error ?? { message: 'isError' },
  ).toBeTruthy()
  const { id } = await tool('session_start', { agent: 'demo' })
  await tool('session_wait', { session: id, seconds: 60 })
  const waited = await tool(
    'session_wait',
    { session: id, for: 'done', seconds: 11 },
    { _meta: { progressToken: 'p' } },
  )
  expect(waited.reached).toBe('timeout')
  expect(notices).toContainEqual(
    expect.objectContaining({
      method: 'notifications/progress',
      params: expect.objectContaining({ progressToken: 'p' }),
    }),
  )
})

test('a client with elicitation is asked for missing values; one without it gets an error', async () => {
  await expect(tool('run_start', { kind: 'oneshot' })).rejects.toThrow('task')
  const eliciting = spawn(process.execPath, [CLI, 'mcp'], { cwd: home.work, env: home.env })
  const asked: string[] = []
  const write = (message: object) => eliciting.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const started = new Promise<Answer>(resolve => {
    createInterface({ input: eliciting.stdout }).on('line', line => {
      const message = JSON.parse(line) as Answer & { id: number; method?: string; params: { message: string } }
      if (message.method === 'elicitation/create') {
        asked.push(message.params.message)
        write({ id: message.id, result: { action: 'accept', content: { text: 'Note the task' } } })
      } else if (message.id === 2) resolve(message)
    })
  })
  const capabilities = { elicitation: { form: {} } }
  write({ id: 1, method: 'initialize', params: { ...INITIALIZE, protocolVersion: '2025-11-25', capabilities } })
  write({ method: 'notifications/initialized' })
  write({ id: 2, method: 'tools/call', params: { name: 'run_start', arguments: { kind: 'oneshot', agent: 'demo' } } })
  const { result } = await started
  eliciting.kill()
  expect(asked).toEqual(['What should the agent do?'])
  expect(result!.content![0]!.text).toContain('Note the task')
})

test('the same tools are served over HTTP with the token of the API', async () => {
  const { address: url } = JSON.parse(readFileSync(join(home.home, 'run', 'server.json'), 'utf8')) as {
    address: string
  }
  const token = readFileSync(join(home.home, 'state', 'token'), 'utf8').trim()
  const post = async (message: object, headers: Record<string, string>) => {
    const answer = await fetch(new URL('/api/v1/mcp', url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
    })
    return { status: answer.status, text: await answer.text() }
  }
  expect((await post({ method: 'initialize', params: INITIALIZE }, {})).status).toBe(401)
  const bearer = { authorization: `Bearer ${token}` }
  expect((await post({ method: 'initialize', params: INITIALIZE }, bearer)).text).toContain('"name":"signalbox"')
  const listed = await post({ method: 'tools/call', params: { name: 'sessions_list', arguments: {} } }, bearer)
  expect(listed.text).toContain('demo')
})
