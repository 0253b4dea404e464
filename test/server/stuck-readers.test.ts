import { writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type WebSocket from 'ws'
import { newEvent } from '../../src/events/index.js'
import { type Loose, TestServer, until } from './support.js'

/*
 * Clients that stop reading cost the server a bounded amount of memory and do not affect other
 * clients.
 */

const MB = 1024 * 1024
const SCROLLED = 3_000
let server: TestServer
let session: string
const sockets: WebSocket[] = []
const streams: IncomingMessage[] = []

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
/** Memory in use. Buffers that wait for a reader are outside the heap. */
function held(): number {
  collect()
  const { heapUsed, external, arrayBuffers } = process.memoryUsage()
  return heapUsed + Math.max(external, arrayBuffers)
}

beforeAll(async () => {
  server = await TestServer.start()
  const file = join(server.work, 'noise.sh')
  const line = 'x'.repeat(70)
  writeFileSync(file, `i=0; while [ $i -lt ${SCROLLED} ]; do echo "$i ${line}"; i=$((i+1)); done; echo ready; exec cat`)
  const started = await server.host.startSession({
    agent: null,
    args: ['/bin/sh', file],
    cwd: server.work,
    terminal: null,
    size: { cols: 80, rows: 24 },
    person: 'local',
    label: null,
    resume: null,
  })
  session = started.id
  const live = server.host.local(session)!
  await until(async () => {
    await live.effectsDone()
    return live.frame?.lines.some(row => row.text.includes('ready'))
  })
})
/** Disconnects all readers, so that the next test starts without any. */
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.terminate()
  for (const stream of streams.splice(0)) stream.destroy()
  await until(() => server.host.local(session)?.holder.kind !== 'person')
})
afterAll(() => server.close())

async function view(want: 'view' | 'input'): Promise<{ socket: WebSocket; messages: Loose[]; text: () => string }> {
  const socket = server.terminal(session, { authorization: `Bearer ${server.token}` })
  sockets.push(socket)
  const messages: Loose[] = []
  const bytes: Buffer[] = []
  socket.on('message', (data, isBinary) => {
    if (!isBinary) messages.push(JSON.parse(String(data)))
    else {
      bytes.push(data as Buffer)
      socket.send(JSON.stringify({ type: 'ack', bytes: (data as Buffer).length }))
    }
  })
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  socket.send(JSON.stringify({ type: 'hello', want, cols: 80, rows: 24 }))
  await until(() => messages.some(message => message.type === 'snapshot'))
  // A viewer that falls behind on a busy machine gets a snapshot instead of the bytes.
  const text = () => Buffer.concat(bytes).toString('utf8') + messages.map(({ data }) => data ?? '').join('')
  return { socket, messages, text }
}

/** Types a word and waits for its echo. */
async function types(viewer: Awaited<ReturnType<typeof view>>, word: string): Promise<void> {
  viewer.socket.send(Buffer.from(`${word}\r`))
  await until(() => viewer.text().includes(word))
}

describe('a client that stops reading', () => {
  test('gets few of the snapshots that it requests, and the newest when it reads again', async () => {
    const typing = await view('input')
    const greedy = await view('view')
    const size = JSON.stringify(greedy.messages.find(({ type }) => type === 'snapshot')).length
    const asked = Math.ceil((200 * MB) / size)
    const before = held()
    greedy.socket.pause()
    for (let n = 0; n < asked; n++) greedy.socket.send(JSON.stringify({ type: 'snapshot' }))
    for (let n = 0; n < asked; n++) greedy.socket.send(JSON.stringify({ type: 'ack', bytes: 1_000_000 }))
    // When the server has echoed these words, it has also received all that the other client asked
    // for.
    for (const word of ['one', 'two', 'three']) await types(typing, word)
    expect(held() - before).toBeLessThan(40 * MB)
    await types(typing, 'the last word')
    greedy.socket.resume()
    await until(() => greedy.text().includes('the last word'))
    expect(greedy.messages.filter(({ type }) => type === 'snapshot').length).toBeLessThan(asked / 4)
    greedy.socket.close()
    typing.socket.close()
  })

  test('uses bounded memory in twenty streams and seven terminals, without effect on other clients', async () => {
    const { streams: open } = server.api.parts
    const typing = await view('input')
    for (let n = 0; n < 7; n++) (await view('view')).socket.pause()
    for (let n = 0; n < 20; n++) {
      const stream = await server.send('GET', '/api/v1/events', { as: 'token' })
      stream.pause()
      streams.push(stream)
    }
    await until(() => open.count('events') === 20)
    const before = held()
    const text = 'x'.repeat(8_000)
    for (let n = 0; n < 40; n++) {
      const events = Array.from({ length: 100 }, (_, at) =>
        newEvent('run.notice', { level: 'info', text: `${n} ${at} ${text}` }),
      )
      await server.host.store.append('run/run_stuck', 'any', events, { durability: 'normal' })
      await types(typing, `word ${n} `)
    }
    // 32 MB were written for each of 20 streams, 640 MB in all.
    expect(held() - before).toBeLessThan(200 * MB)
    expect((await server.ask('GET', '/api/v1/overview', { as: 'token' })).status).toBe(200)
    // The server disconnects clients that read nothing.
    await until(() => open.count('events') === 0)
  })
})
