import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../clock/index.js'
import type { SightOptions, SightReply } from './messages.js'
import { type SessionQueue, SessionScheduler } from './session-scheduler.js'
import { SightReader } from './sight-reader.js'
import { type FromThread, HEARTBEAT, type ToThread } from './thread-messages.js'

/*
 * A thread that reads the terminals of several sessions. They take turns as they do on a host
 * (session-scheduler.ts). A reader that throws is reported and not used any more; a loop without
 * end is noticed by the host, which knows from the shared memory whose turn it is.
 */

interface Session {
  reader: SightReader
  queue: SessionQueue
  /** Whether queries are answered: in the output that was read last, and in that which came last. */
  isLive: boolean
  willBeLive: boolean
}

const port = parentPort!
const heartbeat = new Int32Array(workerData as SharedArrayBuffer)
const sessions = new Map<number, Session>()
const scheduler = new SessionScheduler(systemClock, error => {
  throw error
})

port.on('message', (message: ToThread) => {
  const { session: id } = message
  if ('open' in message) return open(id, message.open)
  const session = sessions.get(id)
  if (!session) return
  if ('close' in message) return void sessions.delete(id)
  const { request } = message
  const { queue } = session
  if (request.op !== 'feed') return queue.run(() => work(id, ({ reader }) => reader.handle(request)))
  const { bytes, t, offset, isLive } = request
  if (isLive !== session.willBeLive) {
    session.willBeLive = isLive
    queue.run(() => work(id, setLive(isLive)))
  }
  // Old output is read piece by piece, however late, as the earlier host read it.
  if (!isLive) return queue.run(() => work(id, ({ reader }) => reader.feed(bytes, t, offset, false)))
  queue.output(
    (piece, pieceT, at) => work(id, ({ reader, isLive: live }) => reader.feed(piece, pieceT, at, live)),
    bytes,
    t,
    offset,
  )
})

function open(id: number, options: SightOptions): void {
  Atomics.store(heartbeat, HEARTBEAT.session, id)
  try {
    const reader = new SightReader(options, () => systemClock.monotonic())
    sessions.set(id, { reader, queue: scheduler.add(() => reader.isAsking), isLive: false, willBeLive: false })
  } catch (error) {
    fail(id, error)
  } finally {
    Atomics.store(heartbeat, HEARTBEAT.session, 0)
  }
}

function setLive(isLive: boolean): (session: Session) => [] {
  return session => {
    session.isLive = isLive
    return []
  }
}

function work(id: number, read: (session: Session) => SightReply[]): void {
  const session = sessions.get(id)
  if (!session) return
  Atomics.store(heartbeat, HEARTBEAT.session, id)
  try {
    for (const reply of read(session)) post({ session: id, reply })
  } catch (error) {
    fail(id, error)
  } finally {
    Atomics.store(heartbeat, HEARTBEAT.session, 0)
    Atomics.add(heartbeat, HEARTBEAT.count, 1)
  }
}

function fail(id: number, error: unknown): void {
  sessions.delete(id)
  post({ session: id, failed: error instanceof Error ? error.message : String(error) })
}

function post(message: FromThread): void {
  port.postMessage(message)
}
