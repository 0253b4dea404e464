import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../clock/index.js'
import type { AgentEvents } from './adapter.js'
import { opencodeAgent } from './opencode.js'
import { opencodeEvents, SERVER_FILE } from './opencode-events.js'
import { OpenCodeReport } from './opencode-report.js'

const SESSION = 'ses_main00000000'
const PASSWORD = 'open sesame'
const asked = (id: string, more: object = {}) => ({
  id,
  sessionID: SESSION,
  permission: 'bash',
  patterns: ['ls'],
  metadata: { command: 'ls' },
  always: ['ls *'],
  ...more,
})

/** OpenCode's server, as far as the client uses it. */
class FakeServer {
  readonly replies: { path: string; body: unknown }[] = []
  permissions: object[] = []
  questions: object[] = []
  refused = 0
  streams: ServerResponse[] = []
  #count = 0
  readonly #server: Server = createServer((request, response) => {
    const expected = `Basic ${Buffer.from(`opencode:${PASSWORD}`).toString('base64')}`
    if (request.headers.authorization !== expected) {
      this.refused += 1
      response.writeHead(401).end()
      return
    }
    if (request.url === '/event') {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      this.streams.push(response)
      this.say('server.connected', {})
      return
    }
    let text = ''
    request.on('data', chunk => (text += chunk))
    request.on('end', () => {
      if (request.method === 'GET') {
        const list = request.url === '/permission' ? this.permissions : this.questions
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(list))
        return
      }
      this.replies.push({ path: request.url!, body: JSON.parse(text) })
      response.writeHead(request.url!.includes('gone') ? 404 : request.url!.includes('odd') ? 500 : 200).end('true')
    })
  })

  async listen(port = 0): Promise<number> {
    await new Promise<void>(resolve => this.#server.listen(port, '127.0.0.1', resolve))
    return (this.#server.address() as AddressInfo).port
  }

  say(type: string, properties: object): void {
    const data = JSON.stringify({ id: `evt_${this.#count++}`, type, properties })
    for (const stream of this.streams) stream.write(`data: ${data}\n\n`)
  }

  hangUp(): void {
    for (const stream of this.streams) stream.destroy()
    this.streams = []
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }
}

let directory: string
let server: FakeServer
let events: AgentEvents | null
let statements: { kind: string; key?: string | null; result?: string }[]

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-events-'))
  server = new FakeServer()
  statements = []
  events = null
})
afterEach(async () => {
  events?.close()
  await server.close()
  rmSync(directory, { recursive: true, force: true })
})

function connect(port: number, password = PASSWORD): void {
  writeFileSync(join(directory, SERVER_FILE), JSON.stringify({ port, password }))
  events = opencodeEvents.open({ directory, clock: systemClock })
  events!.onStatement(statement => statements.push(statement))
}
const connected = () => expect.poll(() => server.streams.length).toBe(1)
const kinds = () => statements.map(({ kind, key, result }) => [kind, key, result].filter(Boolean).join(' '))
const see = (wanted: string[]) => expect.poll(kinds, { interval: 10 }).toEqual(wanted)

describe('the event channel of OpenCode', () => {
  it('exists only for sessions that were started with it', () => {
    expect(opencodeEvents.open({ directory, clock: systemClock })).toBeNull()
    writeFileSync(join(directory, SERVER_FILE), 'not json')
    expect(opencodeEvents.open({ directory, clock: systemClock })).toBeNull()
  })

  it('reports requests, and how they were answered', async () => {
    connect(await server.listen())
    await connected()
    server.say('permission.asked', asked('per_1'))
    server.say('permission.replied', { sessionID: SESSION, requestID: 'per_1', reply: 'once' })
    await see(['session', 'request per_1', 'answered per_1 allowed'])
    expect(statements[1]).toEqual({
      kind: 'request',
      key: 'per_1',
      tool: 'bash',
      input: { command: 'ls' },
      suggestions: ['ls *'],
    })
  })

  it('reports requests from before its connection at once and only once', async () => {
    server.permissions = [asked('per_1')]
    server.questions = [{ id: 'que_1', sessionID: SESSION, questions: [{ question: 'Which?' }] }]
    connect(await server.listen())
    await see(['session', 'request per_1', 'request que_1'])
    expect(statements[2]).toMatchObject({ tool: 'question', viaScreen: true })
    server.say('permission.asked', asked('per_1'))
    server.say('permission.asked', asked('per_2'))
    await see(['session', 'request per_1', 'request que_1', 'request per_2'])
  })

  it('reconnects, and reports what was answered in between', async () => {
    server.permissions = [asked('per_1'), asked('per_2')]
    connect(await server.listen())
    await see(['session', 'request per_1', 'request per_2'])
    server.permissions = [asked('per_2')]
    server.hangUp()
    await see(['session', 'request per_1', 'request per_2', 'answered per_1 unknown'])
    expect(server.streams).toHaveLength(1)
  })

  it('waits for a server that has not started yet', async () => {
    const starting = createTcpServer(socket => socket.destroy())
    await new Promise<void>(resolve => starting.listen(0, '127.0.0.1', resolve))
    const { port } = starting.address() as AddressInfo
    connect(port)
    await once(starting, 'connection')
    await new Promise(resolve => starting.close(resolve))
    await server.listen(port)
    await connected()
  })

  it('is refused with a wrong password', async () => {
    connect(await server.listen(), 'guess')
    await expect.poll(() => server.refused).toBeGreaterThan(0)
    expect(server.streams).toHaveLength(0)
    expect(await events!.answer('per_1', { behavior: 'once' })).toBe('unreachable')
    expect(server.replies).toEqual([])
  })

  it.each([
    ['once', undefined, { reply: 'once' }],
    ['always', undefined, { reply: 'always' }],
    ['deny', 'use ls', { reply: 'reject', message: 'use ls' }],
  ] as const)('sends the answer %s', async (behavior, message, body) => {
    connect(await server.listen())
    expect(await events!.answer('per_1', { behavior, ...(message && { message }) })).toBe('taken')
    expect(server.replies).toEqual([{ path: '/permission/per_1/reply', body }])
  })

  it('returns whether an answer arrived', async () => {
    connect(await server.listen())
    expect(await events!.answer('per_gone', { behavior: 'once' })).toBe('gone')
    expect(await events!.answer('per_odd', { behavior: 'once' })).toBe('unreachable')
    await server.close()
    expect(await events!.answer('per_1', { behavior: 'once' })).toBe('unreachable')
  })

  it('can deny questions, but leaves their answers to the screen', async () => {
    connect(await server.listen())
    expect(await events!.answer('que_1', { behavior: 'deny' })).toBe('taken')
    expect(server.replies).toEqual([{ path: '/question/que_1/reject', body: {} }])
    await expect(events!.answer('que_1', { behavior: 'once' })).rejects.toMatchObject({ code: 'E_INPUT' })
  })

  it('escapes request keys in URLs', async () => {
    connect(await server.listen())
    await events!.answer('per_1/../../session', { behavior: 'once' })
    expect(server.replies[0]!.path).toBe('/permission/per_1%2F..%2F..%2Fsession/reply')
  })
})

describe('the report of OpenCode on a turn', () => {
  const say = (...list: [string, object][]) => {
    const report = new OpenCodeReport()
    return list.flatMap(([type, properties]) => report.parseEvent({ type, properties }))
  }
  const message = (id: string, role: string, more: object = {}): [string, object] => [
    'message.updated',
    { info: { id, role, sessionID: SESSION, time: {}, ...more } },
  ]
  const part = (messageID: string, id: string, more: object): [string, object] => [
    'message.part.updated',
    { part: { id, messageID, sessionID: SESSION, ...more }, time: 9 },
  ]
  const idle: [string, object] = ['session.idle', { sessionID: SESSION }]
  const created: [string, object] = ['session.created', { info: { id: SESSION, version: '1', directory: '/w' } }]

  it('covers the whole turn', () => {
    const statements = say(
      created,
      message('u', 'user'),
      part('u', 'p1', { type: 'text', text: 'hi' }),
      ['session.status', { sessionID: SESSION, status: { type: 'busy' } }],
      message('a', 'assistant'),
      part('a', 'p2', { type: 'text', text: 'hel' }),
      part('a', 'p2', { type: 'text', text: 'hello', time: { end: 2 } }),
      message('a', 'assistant', { time: { completed: 3 }, finish: 'stop' }),
      idle,
      idle,
    )
    expect(statements).toEqual([
      { kind: 'session', agentSession: SESSION, version: '1', cwd: '/w', at: null },
      { kind: 'prompt', text: 'hi', prompt: 'u', at: 9 },
      { kind: 'working', at: null },
      { kind: 'said', id: 'p2', markdown: 'hello', at: 9 },
      { kind: 'turn-ended', outcome: 'done', at: null },
    ])
  })

  it('ends an interrupted turn after its last text, although the agent was idle earlier', () => {
    const statements = say(
      created,
      message('a', 'assistant'),
      idle,
      part('a', 'p', { type: 'text', text: 'half', time: { end: 2 } }),
      message('a', 'assistant', { time: { completed: 3 }, error: { name: 'MessageAbortedError' } }),
      idle,
    )
    expect(statements.slice(1)).toMatchObject([{ kind: 'said' }, { kind: 'turn-ended', outcome: 'interrupted' }])
  })

  it('keeps a sub-agent’s conversation apart from the main one', () => {
    const child = { sessionID: 'ses_child0000000', status: { type: 'busy' } }
    const statements = say(
      created,
      ['session.created', { info: { id: 'ses_child0000000', parentID: SESSION } }],
      ['session.status', child],
    )
    expect(statements.slice(1)).toEqual([{ kind: 'working', at: null, subAgent: 'ses_child0000000' }])
  })

  it('follows another conversation that the person starts', () => {
    const statements = say(
      created,
      ['session.created', { info: { id: 'ses_second000000' } }],
      ['permission.asked', asked('per_1', { sessionID: 'ses_second000000' })],
    )
    expect(statements.slice(1)).toMatchObject([
      { kind: 'session', agentSession: 'ses_second000000' },
      { kind: 'request', key: 'per_1' },
    ])
  })
})

describe('OpenCode', () => {
  const location = { found: true as const, file: '/bin/opencode', prefix: [] }
  const start = (args: string[], more: object = {}) => ({
    args,
    resume: null,
    newSessionId: 'x',
    wiring: { directory, relay: [], mayHold: true },
    ...more,
  })

  it('starts its server on loopback, with a password for this session', () => {
    const first = opencodeAgent.interactive(location, start([], { resume: 'ses_main00000000' }))
    const file = join(directory, SERVER_FILE)
    const { port, password } = JSON.parse(readFileSync(file, 'utf8'))
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(first.args).toEqual(['--session', 'ses_main00000000', '--port', String(port), '--hostname', '127.0.0.1'])
    expect(first.env.OPENCODE_SERVER_PASSWORD).toBe(password)
    expect(password.length).toBeGreaterThanOrEqual(32)
    const second = opencodeAgent.interactive(location, start([]))
    expect(second.env.OPENCODE_SERVER_PASSWORD).not.toBe(password)
  })

  it.each([[['--port', '4096']], [['--hostname=0.0.0.0']], [['serve']], [['run', 'hello']]])(
    'keeps %j unchanged from the person’s configuration',
    args => {
      const command = opencodeAgent.interactive(location, start(args))
      expect([command.args, command.env]).toEqual([args, {}])
    },
  )

  it('prints its conversation id on exit', () => {
    expect(opencodeAgent.exitId!(['  Session   A title', '  Continue  opencode -s ses_e220d8c60ffee3OTv'])).toBe(
      'ses_e220d8c60ffee3OTv',
    )
  })
})
