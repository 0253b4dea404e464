import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type WebSocket from 'ws'
import { TerminalEmulator } from '../../src/terminal/index.js'
import { type Login, type Loose, TestServer, until } from './support.js'

let server: TestServer
let session: string
let owner: Login
const open = new Set<WebSocket>()

beforeAll(async () => {
  server = await TestServer.start()
  owner = await server.login('owner')
  session = await start('cat')
})
afterAll(async () => {
  for (const socket of open) socket.terminate()
  await server.close()
})

/** A program in a session, started as the command line would. */
async function start(script: string): Promise<string> {
  const file = join(server.work, `${script.replace(/\W/g, '').slice(0, 20)}.sh`)
  writeFileSync(file, script)
  const record = await server.host.startSession({
    agent: null,
    args: ['/bin/sh', file],
    cwd: server.work,
    terminal: null,
    size: { cols: 80, rows: 24 },
    person: 'local',
    label: null,
    resume: null,
  })
  return record.id
}

/** Prints a page of lines for each line that it reads. */
const PAGES = 10
const PAGE_LINES = 1_500
const PRINTER = `stty -echo
for page in $(seq 0 ${PAGES - 1}); do
  read x
  seq -f 'line %.0f 0123456789012345678901234567890123456789' $((page * ${PAGE_LINES})) $(((page + 1) * ${PAGE_LINES} - 1))
  echo "end of page $page"
done
read x`

interface Viewer {
  socket: WebSocket
  messages: Loose[]
  /** The program's bytes. */
  text: string
  /** Whether the viewer acknowledges the bytes that it gets. */
  acks: boolean
  closed: Promise<{ code: number; reason: string }>
}

async function view(
  id: string,
  {
    want = 'view',
    as = owner,
    acks = true,
    size = { cols: 80, rows: 24 },
  }: Partial<{ want: string; as: Login; acks: boolean; size: { cols: number; rows: number } }> = {},
): Promise<Viewer> {
  const socket = server.terminal(id)
  const viewer = watch(socket, acks)
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  const proof = server.proofOf(as, 'GET', `/api/v1/panes/${id}/terminal`)
  socket.send(JSON.stringify({ type: 'hello', proof, want, ...size }))
  return viewer
}

function watch(socket: WebSocket, acks: boolean): Viewer {
  open.add(socket)
  const closed = new Promise<{ code: number; reason: string }>(resolve =>
    socket.on('close', (code, reason) => resolve({ code, reason: String(reason) })),
  )
  const viewer: Viewer = { socket, messages: [], text: '', acks, closed }
  const decoder = new TextDecoder()
  socket.on('message', (data, isBinary) => {
    if (!isBinary) return void viewer.messages.push(JSON.parse(String(data)))
    viewer.text += decoder.decode(data as Buffer, { stream: true })
    if (viewer.acks) socket.send(JSON.stringify({ type: 'ack', bytes: (data as Buffer).length }))
  })
  return viewer
}

const of = (viewer: Viewer, type: string) => until(() => viewer.messages.find(message => message.type === type))

describe('a terminal over WebSocket', () => {
  test('typed bytes reach the program unchanged, and its output is returned', async () => {
    const viewer = await view(session, { want: 'input' })
    expect(await of(viewer, 'snapshot')).toMatchObject({ cols: 80, rows: 24, modes: { alternate: false } })
    expect(await of(viewer, 'input')).toMatchObject({ isYours: true, name: 'owner' })
    viewer.socket.send(Buffer.from('$(touch canary); `x` äöü\r'))
    await until(() => viewer.text.includes('$(touch canary); `x` äöü'))
    viewer.socket.close()
  })

  test('one viewer holds the keyboard; the others watch, and all learn who took it over', async () => {
    const first = await view(session, { want: 'input' })
    const second = await view(session, { want: 'input', size: { cols: 100, rows: 30 } })
    expect(await of(second, 'input')).toMatchObject({ isYours: false, holder: 'person', name: 'owner' })
    second.socket.send(Buffer.from('unheard\r'))
    second.socket.send(JSON.stringify({ type: 'take' }))
    await until(() => second.messages.some(message => message.type === 'input' && message.isYours))
    await until(() => first.messages.some(message => message.type === 'input' && !message.isYours))
    expect(await of(first, 'resize')).toMatchObject({ cols: 100, rows: 30 })
    second.socket.send(Buffer.from('heard\r'))
    await until(() => first.text.includes('heard'))
    expect(first.text).not.toContain('unheard')
    for (let n = 0; n < 20; n++) second.socket.send(JSON.stringify({ type: 'resize', cols: 60 + n, rows: 20 }))
    await until(() => first.messages.some(message => message.type === 'resize' && message.cols === 79))
    first.socket.close()
    second.socket.close()
  })

  test('a viewer gets every byte that it acknowledges in time, or a new snapshot after it fell behind', async () => {
    const noisy = await start(PRINTER)
    const quick = await view(noisy, { want: 'input' })
    const stuck = await view(noisy, { acks: false })
    await of(quick, 'snapshot')
    await of(stuck, 'snapshot')
    // Less than the limit for a viewer at a time: on a busy machine the quick one cannot fall
    // behind.
    for (let page = 0; page < PAGES; page++) {
      quick.socket.send(Buffer.from('\r'))
      await until(() => quick.text.includes(`end of page ${page}\r\n`))
    }
    const printed = [...quick.text.matchAll(/^line (\d+) /gm)].map(([, n]) => Number(n))
    expect(printed).toEqual(Array.from({ length: PAGES * PAGE_LINES }, (_, n) => n))
    const got = Buffer.byteLength(stuck.text)
    expect(got).toBeLessThanOrEqual(256 * 1024)
    expect(quick.text.startsWith(stuck.text)).toBe(true)
    // The snapshot shows the screen as it is now, with the scrollback above.
    stuck.socket.send(JSON.stringify({ type: 'ack', bytes: got }))
    const again = await until(() => stuck.messages.filter(message => message.type === 'snapshot')[1])
    const drawn = new TerminalEmulator({ cols: again.cols, rows: again.rows, scrollback: 2000 })
    drawn.feed(Buffer.from(again.data), 0, { live: false })
    const lines = drawn.currentFrame().lines.map(line => line.text)
    expect(lines.join('\n')).toContain(`line ${PAGES * PAGE_LINES - 1} `)
    expect(again.data).toContain(`line ${(PAGES - 1) * PAGE_LINES} `)
    quick.socket.close()
    stuck.socket.close()
    await server.host.live(noisy)?.stop()
  })

  test('a person with the role viewer cannot type, and gets E_ROLE for requesting the keyboard', async () => {
    const viewer = await server.login('viewer')
    const wanting = await view(session, { want: 'input', as: viewer })
    expect(await of(wanting, 'error')).toMatchObject({ error: { code: 'E_ROLE' } })
    const looking = await view(session, { as: viewer })
    await of(looking, 'snapshot')
    looking.socket.send(Buffer.from('smuggled\r'))
    const typing = await view(session, { want: 'input' })
    await of(typing, 'snapshot')
    typing.socket.send(Buffer.from('typed\r'))
    await until(() => typing.text.includes('typed'))
    expect(typing.text).not.toContain('smuggled')
    looking.socket.close()
    typing.socket.close()
  })

  test('nothing is sent without a valid proof: none, a used one, or one for another path', async () => {
    const target = `/api/v1/panes/${session}/terminal`
    const used = server.proofOf(owner, 'GET', target)
    const say = async (hello: object) => {
      const viewer = watch(server.terminal(session), true)
      await new Promise(resolve => viewer.socket.once('open', resolve))
      viewer.socket.send(JSON.stringify(hello))
      const { code } = await viewer.closed
      return { code, error: viewer.messages[0]?.error?.code, count: viewer.messages.length, text: viewer.text }
    }
    const hello = { type: 'hello', want: 'view', cols: 80, rows: 24 }
    expect(await say(hello)).toMatchObject({ error: 'E_LOGIN', count: 1, text: '' })
    const first = await view(session)
    await of(first, 'snapshot')
    first.socket.close()
    const socket = watch(server.terminal(session), true)
    await new Promise(resolve => socket.socket.once('open', resolve))
    socket.socket.send(JSON.stringify({ ...hello, proof: used }))
    await of(socket, 'snapshot')
    socket.socket.close()
    expect(await say({ ...hello, proof: used })).toMatchObject({ error: 'E_PROOF', text: '' })
    const elsewhere = server.proofOf(owner, 'GET', '/api/v1/overview')
    expect(await say({ ...hello, proof: elsewhere })).toMatchObject({ error: 'E_PROOF', text: '' })
    expect(await say({ type: 'take' })).toMatchObject({ code: 4001, count: 0 })
    expect(await say({ ...hello, cols: 'wide' })).toMatchObject({ code: 4001, count: 0 })
  })

  test('a frame of more than 64 KiB ends the connection, and at most eight viewers attach to one pane', async () => {
    const viewer = await view(session, { want: 'input' })
    await of(viewer, 'snapshot')
    viewer.socket.send(Buffer.alloc(65 * 1024))
    expect((await viewer.closed).code).toBe(1009)
    const live = server.host.live(session)!
    await until(() => live.viewers === 0)
    const viewers = await Promise.all(Array.from({ length: 8 }, () => view(session)))
    for (const each of viewers) await of(each, 'snapshot')
    expect(await of(await view(session), 'error')).toMatchObject({ error: { code: 'E_LIMIT' } })
    for (const each of viewers) each.socket.close()
    await until(() => live.viewers === 0)
  })

  test('a revoked device loses its terminal at once; viewers get the exit code of the program', async () => {
    const login = await server.login('approver')
    const viewer = await view(session, { want: 'input', as: login })
    await of(viewer, 'snapshot')
    await server.ask('DELETE', `/api/v1/auth/devices/${login.device}`, { as: 'token' })
    expect(await viewer.closed).toMatchObject({ code: 4003, reason: 'revoked' })
    const short = await start('read x; exit 3')
    const last = await view(short, { want: 'input' })
    await of(last, 'snapshot')
    last.socket.send(Buffer.from('\r'))
    expect(await of(last, 'exit')).toMatchObject({ code: 3, signal: null })
  })
})
