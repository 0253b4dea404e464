import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import {
  type ClientConnection,
  client,
  methods,
  ndJsonStream,
  type RequestPermissionRequest,
  type SessionNotification,
} from '@agentclientprotocol/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Scenario } from '../../src/demo-agent/scenario/types.js'
import { CLI, TestHome, waitFor } from './harness.js'

/* An editor: the client of the protocol's own SDK, connected to `signalbox acp`. */

let home: TestHome
let editor: Editor

class Editor {
  readonly updates: SessionNotification[] = []
  readonly permissions: RequestPermissionRequest[] = []
  readonly child: ChildProcess
  readonly #connection: ClientConnection

  constructor(cwd: string, env: Record<string, string>) {
    this.child = spawn(process.execPath, [CLI, 'acp', 'demo'], { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] })
    const app = client({ name: 'test' })
      .onNotification(methods.client.session.update, ({ params }) => void this.updates.push(params))
      .onRequest(methods.client.session.requestPermission, ({ params }) => {
        this.permissions.push(params)
        // What is risky can only be denied here.
        const find = (wanted: string) => params.options.find(({ kind }) => kind === wanted)
        const { optionId } = find('allow_once') ?? find('reject_once')!
        return { outcome: { outcome: 'selected' as const, optionId } }
      })
    const output = Writable.toWeb(this.child.stdin!) as WritableStream<Uint8Array>
    const input = Readable.toWeb(this.child.stdout!) as unknown as ReadableStream<Uint8Array>
    this.#connection = app.connect(ndJsonStream(output, input))
  }

  get agent() {
    return this.#connection.agent
  }

  initialize() {
    return this.agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} })
  }

  prompt(sessionId: string, text: string) {
    return this.agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] })
  }

  load(sessionId: string, cwd: string) {
    return this.agent.request(methods.agent.session.load, { sessionId, cwd, mcpServers: [] })
  }

  said(wanted: 'agent_message_chunk' | 'user_message_chunk' = 'agent_message_chunk'): string {
    return this.updates
      .flatMap(({ update }) => ('content' in update && update.sessionUpdate === wanted ? [update.content] : []))
      .map(content => ('text' in content ? content.text : ''))
      .join('')
  }

  async kill(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const gone = new Promise(resolve => this.child.once('exit', resolve))
    this.child.kill(signal)
    await gone
  }
}

const SCENARIO: Scenario = {
  name: 'editor',
  turns: [{ match: '/^wait/', steps: [{ think: { ms: 600_000, label: 'Waiting' } }] }],
  otherwise: {
    steps: [
      { tool: { name: 'Shell', kind: 'shell', command: 'echo hello', permission: true } },
      { say: { markdown: 'Hello, editor.' } },
    ],
  },
}

beforeAll(() => {
  home = new TestHome()
  const scenario = join(home.directory, 'scenario.json')
  writeFileSync(scenario, JSON.stringify(SCENARIO))
  const args = ['--scenario', scenario]
  mkdirSync(home.path('config'), { recursive: true })
  writeFileSync(home.path('config', 'config.toml'), `[agents.demo]\nargs = ${JSON.stringify(args)}\n`)
  editor = new Editor(home.work, home.env)
})
afterAll(async () => {
  await editor.kill()
  await home.close()
})

let sessionId: string

test('an editor starts, prompts and reads a session of Signalbox, and answers its permission request', async () => {
  expect(await editor.initialize()).toMatchObject({ protocolVersion: 1, agentCapabilities: { loadSession: true } })
  const opened = await editor.agent.request(methods.agent.session.new, { cwd: home.work, mcpServers: [] })
  sessionId = opened.sessionId
  expect(sessionId).toMatch(/^ses_/)
  expect(await editor.prompt(sessionId, 'say hello')).toEqual({ stopReason: 'end_turn' })
  expect(editor.said()).toContain('Hello, editor.')
  expect((await home.run(['sessions', '--json'])).stdout).toContain(sessionId)
  const ledger = await home.run(['approvals', '--all', '--json'])
  expect(editor.permissions.length).toBeGreaterThan(0)
  for (const { toolCall } of editor.permissions) expect(ledger.stdout).toContain(toolCall.toolCallId)
  await expect(editor.prompt('ses_none', 'hello')).rejects.toMatchObject({ data: { code: 'E_UNKNOWN' } })
})

test('a prompt that the editor cancels ends as cancelled, and the next one works', async () => {
  const prompted = editor.prompt(sessionId, 'wait for me')
  await waitFor('the agent to work', async () => {
    const [live] = await home.json<{ idle?: boolean }[]>(['sessions', '--json'])
    return live?.idle === false
  })
  await editor.agent.notify(methods.agent.session.cancel, { sessionId })
  expect(await prompted).toEqual({ stopReason: 'cancelled' })
  expect(await editor.prompt(sessionId, 'say hello again')).toEqual({ stopReason: 'end_turn' })
})

test('an editor that was killed loads and continues its session, also after the daemon was killed', async () => {
  await editor.kill('SIGKILL')
  editor = new Editor(home.work, home.env)
  await editor.initialize()
  await editor.load(sessionId, home.work)
  expect(editor.said('user_message_chunk')).toContain('say hello')
  expect(editor.said().trim()).not.toBe('')
  await home.kill(home.daemon)
  await home.run(['sessions'])
  editor.updates.length = 0
  expect(await editor.prompt(sessionId, 'say hello once more')).toEqual({ stopReason: 'end_turn' })
  expect(editor.said().trim()).not.toBe('')
})
