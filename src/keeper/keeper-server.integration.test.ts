import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../clock/index.js'
import { openRecording } from '../terminal/recording/index.js'
import { Keeper, KeeperClient, KeeperServer, type KeptSession } from './index.js'
import { RecordingListener } from './testing/recording-listener.js'
import { encodeJson, type KeeperPacket, PacketReader } from './wire.js'

let directory: string
let path: string
let keeper: Keeper
let server: KeeperServer
const clients: KeeperClient[] = []
const sockets: Socket[] = []

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-keeper-'))
  path = join(directory, 'keeper.sock')
  keeper = new Keeper(systemClock)
  server = new KeeperServer(keeper)
  await server.listen(path)
})

afterEach(async () => {
  for (const { id } of await keeper.list()) await keeper.signal(id, 'SIGKILL').catch(() => undefined)
  for (const client of clients.splice(0)) await client.close()
  for (const socket of sockets.splice(0)) socket.destroy()
  server.close()
  rmSync(directory, { recursive: true, force: true })
})

async function client(onLost?: (error: Error) => void): Promise<KeeperClient> {
  const connected = await KeeperClient.connect(path, onLost)
  clients.push(connected)
  return connected
}

async function rawSocket(): Promise<Socket> {
  const socket = connect(path)
  sockets.push(socket)
  await once(socket, 'connect')
  return socket
}

function start(id: string, script: string): Promise<KeptSession> {
  const env = { PATH: process.env.PATH! }
  return keeper.spawn({
    id,
    file: '/bin/sh',
    args: ['-c', script],
    cwd: '/',
    env,
    cols: 80,
    rows: 24,
    recording: join(directory, `${id}.cast`),
  })
}

describe('the socket of the keeper', () => {
  test('is accessible to its owner only', () => {
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test.each([
    ['an oversized frame', Buffer.from([0xff, 0xff, 0xff, 0xff, 0])],
    ['a frame of an unknown kind', Buffer.from([0, 0, 0, 1, 77, 0])],
    ['a message that is null', Buffer.concat([Buffer.from([0, 0, 0, 4, 0]), Buffer.from('null')])],
    ['text without frames', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
  ])('closes only the connection that sent %s', async (_, garbage) => {
    const good = await client()
    const { id } = await start('ses_a', 'stty raw -echo; printf ready; cat')
    const listener = new RecordingListener()
    await good.attach(id, 0, listener)
    const socket = await rawSocket()
    socket.on('error', () => undefined)
    const closed = once(socket, 'close')
    socket.write(garbage)
    await closed
    await good.write(id, Buffer.from('still here'))
    await listener.untilText('still here')
    expect(server.connectionCount).toBe(1)
  })

  test('an unknown operation is refused and the connection stays open', async () => {
    const socket = await rawSocket()
    const replies: KeeperPacket[] = []
    const reader = new PacketReader()
    socket.write(encodeJson({ op: 'teleport', seq: 1 }))
    socket.write(encodeJson({ op: 'list', seq: 2 }))
    while (replies.length < 2) replies.push(...reader.push((await once(socket, 'data'))[0] as Buffer))
    expect(replies).toMatchObject([
      { message: { reply: 1, ok: false, code: 'E_INPUT' } },
      { message: { reply: 2, ok: true, value: [] } },
    ])
  })

  test('input for a channel that was never opened is dropped', async () => {
    const { id } = await start('ses_a', 'stty raw -echo; printf ready; cat')
    const good = await client()
    const listener = new RecordingListener()
    await good.attach(id, 0, listener)
    await listener.untilText('ready')
    const socket = await rawSocket()
    const input = Buffer.alloc(5 + 4 + 1, 0)
    input.writeUInt32BE(5, 0)
    input.writeUInt8(2, 4)
    socket.write(input)
    socket.write(encodeJson({ op: 'list', seq: 1 }))
    await once(socket, 'data')
    await good.write(id, Buffer.from('end'))
    await listener.untilText('end')
    expect(listener.text).toBe('readyend')
  })
})

describe('a lost connection to the keeper', () => {
  test('is reported once; pending and later requests are rejected', async () => {
    const lost: Error[] = []
    const told = new Promise<void>(resolve => {
      void client(error => {
        lost.push(error)
        resolve()
      }).then(connected => {
        const answer = connected.list()
        server.close()
        return answer.catch(() => undefined)
      })
    })
    await told
    const broken = { name: 'SignalboxError', code: 'E_KEEPER_LOST' }
    expect(lost).toMatchObject([broken])
    await expect(clients[0]!.list()).rejects.toMatchObject(broken)
    await expect(clients[0]!.write('ses_a', Buffer.from('x'))).rejects.toMatchObject(broken)
  })

  test('is not reported as lost if the client closed it', async () => {
    let isLost = false
    const connected = await client(() => {
      isLost = true
    })
    await connected.close()
    await expect(connected.list()).rejects.toMatchObject({ code: 'E_KEEPER_LOST' })
    expect(isLost).toBe(false)
  })

  test('does not end the session; the next connection continues reading', async () => {
    const { id } = await start('ses_a', 'stty raw -echo; printf ready; cat')
    const first = await client()
    const listener = new RecordingListener()
    await first.attach(id, 0, listener)
    await listener.untilText('ready')
    await first.close()
    const second = await client()
    const later = new RecordingListener()
    await second.attach(id, 5, later)
    await second.write(id, Buffer.from('on'))
    await later.untilText('on')
    expect(later.firstOffset).toBe(5)
  })

  test('is reported, without a crash, if the other side is not a keeper', async () => {
    const other = join(directory, 'other.sock')
    const impostor = createServer(socket => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    await new Promise<void>(resolve => void impostor.listen(other, resolve))
    await expect(KeeperClient.connect(other)).rejects.toMatchObject({ code: 'E_KEEPER_LOST' })
    impostor.close()
  })

  test('has no deadlines if the keeper is of an earlier version', async () => {
    const other = join(directory, 'other.sock')
    const answers = [
      { reply: 1, ok: true, value: { version: 1, pid: 1 } },
      { reply: 2, ok: false, code: 'E_INPUT', message: 'unknown operation deadline' },
    ]
    const older = createServer(socket => socket.on('data', () => socket.write(encodeJson(answers.shift()!))))
    await new Promise<void>(resolve => void older.listen(other, resolve))
    const client = await KeeperClient.connect(other)
    expect(await client.setDeadline({ ms: 1_000, steps: [] })).toBe(false)
    await client.close()
    older.close()
  })

  test('is an error with the next step if the keeper has another version', async () => {
    const other = join(directory, 'other.sock')
    const newer = createServer(socket =>
      socket.once('data', () => socket.write(encodeJson({ reply: 1, ok: true, value: { version: 99, pid: 1 } }))),
    )
    await new Promise<void>(resolve => void newer.listen(other, resolve))
    await expect(KeeperClient.connect(other)).rejects.toMatchObject({
      code: 'E_KEEPER_VERSION',
      next: expect.stringContaining('end the sessions'),
    })
    newer.close()
  })
})

describe('a host that does not read from the keeper', () => {
  /** More than the keeper queues for one host (8 MB), and what fits into the socket. */
  const SIZE = 10 * 1024 * 1024
  /** More than the keeper's memory of old output (256 kB). */
  const OLD = 1024 * 1024

  test('is disconnected without effect on others, and finds the rest in the recording', async () => {
    const socket = await rawSocket()
    const { id, recording } = await start(
      'ses_a',
      `stty raw -echo; printf ready; read _; head -c ${SIZE} /dev/zero | tr '\\0' x; printf END; cat`,
    )
    const good = await client()
    const listener = new RecordingListener()
    await good.attach(id, 0, listener)
    await listener.untilText('ready')
    socket.write(encodeJson({ op: 'attach', id, fromOffset: 5, channel: 1, seq: 1 }))
    await once(socket, 'data')
    socket.pause()
    await good.write(id, Buffer.from('\n'))
    await listener.until(({ size }) => size >= SIZE + 8)
    expect(listener.events.every(item => item.kind === 'output')).toBe(true)

    const slow = await readUntilLagging(socket)
    expect(slow.offset).toBeLessThan(SIZE)
    expect(slow.bytes).toBe(slow.offset - 5)
    // Too far behind for the keeper's memory: the recording has the output up to where the keeper
    // continues.
    expect((await good.attach(id, slow.offset, new RecordingListener())).state).toBe('behind')
    let offset = 0
    for await (const { position } of (await openRecording(recording)).events()) offset = position.outputOffset
    expect(offset).toBe(SIZE + 8)
    const again = new RecordingListener()
    expect(await good.attach(id, offset, again)).toMatchObject({ state: 'attached' })
    await good.write(id, Buffer.from('!'))
    await again.untilText('!')
    expect(again.text).toBe('!')
  })

  test('is disconnected also while old output is sent, and then gets no more of it', async () => {
    const { id } = await start('ses_a', `stty raw -echo; head -c ${OLD} /dev/zero | tr '\\0' x; printf END; cat`)
    const good = await client()
    const listener = new RecordingListener()
    await good.attach(id, 0, listener)
    await listener.until(({ size }) => size >= OLD + 3)
    const socket = await rawSocket()
    socket.pause()
    const behind = await good.attach(id, 0, new RecordingListener())
    const oldest = behind.state === 'behind' ? behind.oldestOffset : 0
    const channels = 60
    for (let channel = 1; channel <= channels; channel++)
      socket.write(encodeJson({ op: 'attach', id, fromOffset: oldest, channel, seq: channel }))
    await good.write(id, Buffer.from('after'))
    await listener.until(({ size }) => size >= OLD + 3 + 5)
    const notices = await readEverything(socket, channels)
    expect(notices.lagging.size).toBeGreaterThan(0)
    for (const channel of notices.lagging) expect(notices.afterLagging.get(channel) ?? 0).toBe(0)
  })
})

async function readUntilLagging(socket: Socket): Promise<{ offset: number; bytes: number }> {
  const reader = new PacketReader()
  let bytes = 0
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    for (const packet of reader.push(chunk)) {
      if (packet.kind === 'output') bytes += packet.bytes.length
      if (packet.kind === 'json' && packet.message.notice === 'lagging')
        return { offset: Number(packet.message.offset), bytes }
    }
  }
  throw new Error('the connection ended')
}

/**
 * Reads until every attach is answered: which channels were cut off, and what arrived for them
 * afterwards.
 */
async function readEverything(socket: Socket, answers: number) {
  const reader = new PacketReader()
  const lagging = new Set<number>()
  const afterLagging = new Map<number, number>()
  let answered = 0
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    for (const packet of reader.push(chunk)) {
      if (packet.kind === 'json' && 'reply' in packet.message) answered++
      const channel = packet.kind === 'json' ? Number(packet.message.channel) : packet.channel
      if (lagging.has(channel)) afterLagging.set(channel, (afterLagging.get(channel) ?? 0) + 1)
      if (packet.kind === 'json' && packet.message.notice === 'lagging') lagging.add(channel)
    }
    if (answered === answers) break
  }
  return { lagging, afterLagging }
}
