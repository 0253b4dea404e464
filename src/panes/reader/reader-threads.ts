import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { type MessagePort, Worker } from 'node:worker_threads'
import { type Clock, systemClock, type Timer } from '../../clock/index.js'
import { ownProgram } from '../../process/index.js'
import type { ReaderOptions, ReaderReply, ReaderRequest } from './messages.js'
import type { OpenReader, ReaderFactory } from './reader-client.js'
import { type SessionQueue, SessionScheduler } from './session-scheduler.js'
import { TerminalReader } from './terminal-reader.js'

/** Another thread is started when each has this many sessions: a thread needs memory of its own. */
const SESSIONS_PER_THREAD = 4
/**
 * How often threads are checked, and how long one piece of work may take. It usually takes 1 ms.
 */
const CHECK_MS = 1_000
const STUCK_MS = 10_000
/** After this many failures without a known reason no thread is started any more. */
const UNEXPLAINED_MAX = 5

/**
 * What the host and a thread that reads terminals send each other. Sessions are numbered from 1.
 */
type ToThread = { session: number } & ({ open: ReaderOptions } | { request: ReaderRequest } | { close: true })

type FromThread = { session: number } & ({ reply: ReaderReply } | { failed: string })

/**
 * What a thread writes to the memory that it shares with the host: the session that is being read
 * (0: none), and how many slices have been read.
 */
const HEARTBEAT = { session: 0, count: 1 } as const
const HEARTBEAT_BYTES = 8

interface ReaderThreadsOptions {
  clock: Clock
  /** How many threads at most; never more than the cores that the host leaves free. */
  max: number
}

export interface ThreadReaderOptions {
  /** Handles a reply in the session's queue. */
  deliver(work: () => void, options: { isUrgent: boolean }): void
  /** Output that was sent to be read, or that was read (a negative number), in bytes. */
  onUnread(bytes: number): void
  /** The session gets a thread of its own: its reader has failed before. */
  isAlone: boolean
  /** The terminal can no longer be read. `isCause`: reading it was the reason. */
  onLost(why: string, options: { isCause: boolean }): void
}

/** How a thread failed: while it read a terminal, or not. */
type Failure = 'explained' | 'unexplained' | 'at its start'

/** One session in a thread, as the host sees it. */
interface Entry {
  receive(reply: ReaderReply): void
  onUnread(bytes: number): void
  lose(why: string, isCause: boolean): void
}

interface OpenEntry extends Entry {
  unread: number
  sentTo: number
}

/**
 * The threads in which a daemon reads terminals, so that emulation and classification use other
 * cores than its decisions. A session stays in its thread. A thread that crashes or loops without
 * end is ended; its sessions are lost here, and their owner opens them again.
 */
export class ReaderThreads {
  readonly #options: ReaderThreadsOptions
  readonly max: number
  readonly #threads = new Set<ReaderThread>()
  #numbers = 0
  #unexplained = 0
  #timer: Timer | null = null

  constructor(options: ReaderThreadsOptions) {
    this.#options = options
    this.max = Math.min(options.max, Math.max(1, availableParallelism() - 1))
  }

  /** False where the program of a thread was not built. */
  static get areAvailable(): boolean {
    return existsSync(ownProgram('panes/reader/thread-main'))
  }

  /** Threads do not work here: they fail, and no terminal is the reason. */
  get areBroken(): boolean {
    return this.#unexplained >= UNEXPLAINED_MAX
  }

  get count(): number {
    return this.#threads.size
  }

  factoryFor({ deliver, onUnread, isAlone, onLost }: ThreadReaderOptions): ReaderFactory {
    return {
      open: (options, receive, onLostReader) => {
        const thread = this.#threadFor(isAlone)
        const lose = (why: string, isCause: boolean) => {
          onLostReader(new Error(why))
          onLost(why, { isCause })
        }
        const opened = thread.open(++this.#numbers, options, {
          receive: reply => deliver(() => receive(reply), { isUrgent: isAsking(reply) }),
          onUnread,
          lose,
        })
        this.#watch()
        return opened
      },
    }
  }

  close(): void {
    this.#timer?.cancel()
    for (const thread of this.#threads) thread.end()
    this.#threads.clear()
  }

  #threadFor(isAlone: boolean): ReaderThread {
    const shared = [...this.#threads].filter(thread => !thread.isAlone).sort((a, b) => a.size - b.size)
    const [emptiest] = shared
    const isFull = emptiest === undefined || (emptiest.size >= SESSIONS_PER_THREAD && shared.length < this.max)
    return isAlone || isFull ? this.#start(isAlone) : emptiest
  }

  #start(isAlone: boolean): ReaderThread {
    const thread: ReaderThread = new ReaderThread(isAlone, failure => {
      this.#threads.delete(thread)
      if (failure === 'at its start') this.#unexplained = UNEXPLAINED_MAX
      else if (failure === 'unexplained') this.#unexplained++
    })
    this.#threads.add(thread)
    return thread
  }

  #watch(): void {
    if (this.#timer || this.#threads.size === 0) return
    this.#timer = this.#options.clock.setTimer(CHECK_MS, () => {
      this.#timer = null
      for (const thread of this.#threads) thread.check(this.#options.clock.monotonic())
      this.#watch()
    })
  }
}

class ReaderThread {
  readonly isAlone: boolean
  readonly #thread: Worker
  readonly #heartbeat = new Int32Array(new SharedArrayBuffer(HEARTBEAT_BYTES))
  readonly #sessions = new Map<number, OpenEntry>()
  readonly #onEnded: (failure: Failure | null) => void
  /** The slice that was being read at the last check, and since when. */
  #slice = { count: -1, since: 0 }
  #hasAnswered = false
  #isEnded = false

  constructor(isAlone: boolean, onEnded: (failure: Failure | null) => void) {
    this.isAlone = isAlone
    this.#onEnded = onEnded
    this.#thread = new Worker(ownProgram('panes/reader/thread-main'), { workerData: this.#heartbeat.buffer })
    this.#thread.on('message', (message: FromThread) => this.#receive(message))
    this.#thread.on('error', error => this.#fail(error.message))
    this.#thread.on('exit', code => this.#fail(`the thread ended with code ${code}`))
    // The daemon decides when it ends.
    this.#thread.unref()
  }

  get size(): number {
    return this.#sessions.size
  }

  open(number: number, options: ReaderOptions, entry: Entry): OpenReader {
    const session = { ...entry, unread: 0, sentTo: 0 }
    this.#sessions.set(number, session)
    const { ruleTimer, ...pack } = options.pack
    this.#send({ session: number, open: { ...options, pack } })
    return {
      send: request => {
        if (request.op === 'feed') this.#count(session, request)
        this.#send({ session: number, request })
      },
      close: () => this.#close(number),
    }
  }

  /** Ends the thread if the same slice has been read for too long. */
  check(now: number): void {
    const count = Atomics.load(this.#heartbeat, HEARTBEAT.count)
    const isWorking = Atomics.load(this.#heartbeat, HEARTBEAT.session) !== 0
    if (count !== this.#slice.count || !isWorking) this.#slice = { count, since: now }
    else if (now - this.#slice.since >= STUCK_MS) this.#fail(`no answer for ${STUCK_MS / 1000} s`)
  }

  end(): void {
    this.#isEnded = true
    void this.#thread.terminate()
  }

  #count(session: OpenEntry, { bytes, offset }: ReaderRequest & { op: 'feed' }): void {
    session.sentTo = offset + bytes.length
    session.unread += bytes.length
    session.onUnread(bytes.length)
  }

  #send(message: ToThread): void {
    if (!this.#isEnded) this.#thread.postMessage(message)
  }

  #receive(message: FromThread): void {
    this.#hasAnswered = true
    const session = this.#sessions.get(message.session)
    if (!session) return
    if ('failed' in message) {
      this.#close(message.session)
      return session.lose(message.failed, true)
    }
    const { offset } = message.reply
    if (offset !== null) this.#release(session, session.sentTo - offset)
    session.receive(message.reply)
  }

  /** @param left bytes that are still unread */
  #release(session: OpenEntry, left: number): void {
    const read = session.unread - left
    session.unread = left
    session.onUnread(-read)
  }

  #close(number: number): void {
    const session = this.#sessions.get(number)
    if (!session) return
    this.#release(session, 0)
    this.#sessions.delete(number)
    this.#send({ session: number, close: true })
    if (this.isAlone && this.size === 0) {
      this.end()
      this.#onEnded(null)
    }
  }

  /** All its sessions are lost, whichever of them was read. */
  #fail(why: string): void {
    if (this.#isEnded) return
    const cause = Atomics.load(this.#heartbeat, HEARTBEAT.session)
    this.end()
    this.#onEnded(cause !== 0 ? 'explained' : this.#hasAnswered ? 'unexplained' : 'at its start')
    const lost = [...this.#sessions]
    for (const [, session] of lost) this.#release(session, 0)
    this.#sessions.clear()
    for (const [number, { lose }] of lost) lose(why, number === cause)
  }
}

function isAsking({ outputs }: ReaderReply): boolean {
  return outputs.some(output => output.type === 'look' && (output.look.observation?.awaiting ?? null) !== null)
}

interface ReadSession {
  reader: TerminalReader
  queue: SessionQueue
  /** Whether queries in output that has been read are answered. */
  isLive: boolean
  /** Whether queries in output that is queued will be answered. */
  willBeLive: boolean
}

/**
 * The program of a thread that reads the terminals of several sessions. They are read in slices, as
 * on a host (session-scheduler.ts). A reader that throws is reported and not used any more; a loop
 * without end is noticed by the host, which knows from the shared memory which session is being
 * read.
 */
export function serveReaders(port: MessagePort, memory: SharedArrayBuffer): void {
  const heartbeat = new Int32Array(memory)
  const sessions = new Map<number, ReadSession>()
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

  function open(id: number, options: ReaderOptions): void {
    Atomics.store(heartbeat, HEARTBEAT.session, id)
    try {
      const reader = new TerminalReader(options, () => systemClock.monotonic())
      sessions.set(id, { reader, queue: scheduler.add(() => reader.isAsking), isLive: false, willBeLive: false })
    } catch (error) {
      fail(id, error)
    } finally {
      Atomics.store(heartbeat, HEARTBEAT.session, 0)
    }
  }

  function setLive(isLive: boolean): (session: ReadSession) => [] {
    return session => {
      session.isLive = isLive
      return []
    }
  }

  function work(id: number, read: (session: ReadSession) => ReaderReply[]): void {
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
}
