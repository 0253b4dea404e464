import { createPrivateKey } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { SimulatedClock } from '../clock/index.js'
import type { ServerMessage, WorkerMessage } from './protocol.js'
import { ServerLinks } from './server-links.js'
import { newWorkerKey } from './worker-proof.js'

/** A server as far as a worker can tell. */
class TestServer {
  readonly received: WorkerMessage[] = []
  /** What it answers to each call. */
  answer: (call: { id: number; again?: true | undefined }) => object = ({ id }) => ({
    type: 'answer',
    id,
    result: 'done',
  })
  renews: { renews: true } | object = {}
  readonly #server: WebSocketServer
  #socket: WebSocket | null = null

  static async start(): Promise<TestServer> {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
    await new Promise(resolve => server.once('listening', resolve))
    return new TestServer(server)
  }

  private constructor(server: WebSocketServer) {
    this.#server = server
    server.on('connection', socket => {
      this.#socket = socket
      this.send({ type: 'challenge', nonce: 'nonce' })
      socket.on('message', data => {
        const message = JSON.parse(String(data)) as WorkerMessage
        this.received.push(message)
        const welcome = { worker: 'wrk_1', lostAfterMs: 600_000, ended: [], ...this.renews }
        if (message.type === 'hello') this.send({ type: 'welcome', ...welcome })
        if (message.type === 'call') this.send(this.answer(message) as ServerMessage)
      })
    })
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get calls(): { again?: true | undefined }[] {
    return this.received.flatMap(message => (message.type === 'call' ? [message] : []))
  }

  send(message: ServerMessage): void {
    this.#socket!.send(JSON.stringify(message))
  }

  async close(): Promise<void> {
    this.#socket?.terminate()
    await new Promise(resolve => this.#server.close(resolve))
  }
}

let clock: SimulatedClock
let server: TestServer
let links: ServerLinks
let welcomes: number
let reached: number[]

beforeEach(async () => {
  clock = new SimulatedClock(1_000_000)
  server = await TestServer.start()
  welcomes = 0
  reached = []
})
afterEach(async () => {
  links.close()
  await server.close()
})

async function connect(): Promise<void> {
  const servers = [{ id: null, address: server.address, pin: null }]
  const identity = { worker: 'wrk_1', key: createPrivateKey(newWorkerKey().privatePem) }
  const room = { maxSteps: 1, maxSessions: 1, agents: [], runs: [], sessions: [] }
  const nothing = () => undefined
  links = new ServerLinks({ servers, clock, random: () => 0 }, identity, {
    greeting: () => ({ boot: 'boot', version: '1', ...room }),
    welcome: () => void welcomes++,
    message: nothing,
    bytes: nothing,
    reached: sentAt => void reached.push(sentAt),
    away: nothing,
    disconnected: nothing,
    servers: nothing,
  })
  links.start()
  await expect.poll(() => welcomes).toBe(1)
}

test.each(['E_STORE_AWAY', 'E_STORE_BUSY', 'E_STORE_CLOSED', 'E_STORE_ROLLED_BACK'])(
  'a call that a server answers with %s is sent again until it is answered',
  async code => {
    await connect()
    server.answer = ({ id }) =>
      server.calls.length < 3
        ? { type: 'answer', id, error: { code, message: 'the store does not answer' } }
        : { type: 'answer', id, result: 'done' }
    let result: unknown
    void links.call('run.events', { run: 'run_1' }).then(answer => {
      result = answer
    })
    await expect
      .poll(() => {
        clock.advance(100)
        return result
      })
      .toBe('done')
    expect(server.calls.map(({ again }) => again)).toEqual([undefined, true, true])
  },
)

test('an error of the call itself is its answer', async () => {
  await connect()
  server.answer = ({ id }) => ({ type: 'answer', id, error: { code: 'E_ROLE', message: 'not yours' } })
  await expect(links.call('run.events', { run: 'run_1' })).rejects.toMatchObject({ code: 'E_ROLE' })
  expect(server.calls).toHaveLength(1)
})

test('a worker knows when it sent the heartbeat that a server says has renewed its lease', async () => {
  server.renews = { renews: true }
  await connect()
  expect(reached).toEqual([clock.monotonic()])
  clock.advance(10_000)
  links.heartbeat({ steps: 0, isFull: false })
  await expect.poll(() => server.received.find(({ type }) => type === 'beat')).toMatchObject({ sent: 10_000 })
  // It arrived, but the store may not have it.
  server.send({ type: 'beat' })
  clock.advance(3_000)
  server.send({ type: 'beat', renewed: 10_000 })
  await expect.poll(() => reached).toEqual([0, 10_000])
})

test('every heartbeat that a server of an earlier version answers counts', async () => {
  await connect()
  clock.advance(10_000)
  server.send({ type: 'beat' })
  await expect.poll(() => reached).toEqual([0, 10_000])
})
