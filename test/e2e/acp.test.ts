import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CLI, TestHome } from './harness.js'

/* An editor that speaks the protocol line by line, so that the test sees what is on the wire. */

interface Update {
  sessionId: string
  update: { sessionUpdate: string; content: { text: string } }
}

interface Permission {
  toolCall: { toolCallId: string }
  options: { optionId: string; kind: string }[]
}

interface Message {
  id?: number
  method?: string
  params?: unknown
  result?: Record<string, unknown>
  error?: { message: string; data?: { code: string } }
}

let home: TestHome
let child: ChildProcessWithoutNullStreams
let last = 0
const answers = new Map<number, (message: Message) => void>()
const updates: Update[] = []
const permissions: Permission[] = []

beforeAll(() => {
  home = new TestHome()
  child = spawn(process.execPath, [CLI, 'acp', 'demo'], { cwd: home.work, env: home.env })
  createInterface({ input: child.stdout }).on('line', line => {
    const message = JSON.parse(line) as Message
    if (message.method === 'session/update') updates.push(message.params as Update)
    else if (message.method === 'session/request_permission') {
      const permission = message.params as Permission
      permissions.push(permission)
      // What is risky can only be denied here.
      const find = (wanted: string) => permission.options.find(({ kind }) => kind === wanted)
      const { optionId } = find('allow_once') ?? find('reject_once')!
      send({ id: message.id!, result: { outcome: { outcome: 'selected', optionId } } })
    } else answers.get(message.id!)?.(message)
  })
})
afterAll(async () => {
  child.kill()
  await home.close()
})

function send(message: Message): void {
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}

function ask(method: string, params: Record<string, unknown>): Promise<Message> {
  const id = ++last
  const answered = new Promise<Message>(resolve => answers.set(id, resolve))
  send({ id, method, params })
  return answered
}

const said = (sessionId: string) =>
  updates
    .filter(update => update.sessionId === sessionId && update.update.sessionUpdate === 'agent_message_chunk')
    .map(({ update }) => update.content.text)
    .join('')

test('an editor starts a session, prompts it, is asked for permission, and reads the answer; the session is one of Signalbox', async () => {
  const opened = await ask('initialize', { protocolVersion: 1, clientCapabilities: {} })
  expect(opened.result).toMatchObject({ protocolVersion: 1, agentCapabilities: { loadSession: true } })
  const { result } = await ask('session/new', { cwd: home.work, mcpServers: [] })
  const { sessionId } = result as { sessionId: string }
  expect(sessionId).toMatch(/^ses_/)
  const prompt = [{ type: 'text', text: 'say hello' }]
  const done = await ask('session/prompt', { sessionId, prompt })
  expect(done.result).toEqual({ stopReason: 'end_turn' })
  expect(said(sessionId).trim()).not.toBe('')
  const listed = await home.run(['sessions', '--json'])
  expect(listed.stdout).toContain(sessionId)
  const ledger = await home.run(['approvals', '--all', '--json'])
  expect(permissions.length).toBeGreaterThan(0)
  for (const { toolCall } of permissions) expect(ledger.stdout).toContain(toolCall.toolCallId)
  updates.length = 0
  await ask('session/load', { sessionId, cwd: home.work, mcpServers: [] })
  expect(updates.map(({ update }) => update.sessionUpdate)).toContain('user_message_chunk')
  expect(said(sessionId).trim()).not.toBe('')
  const wrong = await ask('session/prompt', { sessionId: 'ses_none', prompt })
  expect(wrong.error?.data?.code).toBe('E_UNKNOWN')
})
