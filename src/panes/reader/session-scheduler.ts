import type { Clock, Timer } from '../../clock/index.js'
import type { KeeperListener } from '../../keeper/index.js'

/** How long sessions work before other work of the host continues. */
const SLICE_MS = 4
/** Output that waited this long is read at once: a look per chunk adds to the delay. */
const OUTPUT_WAIT_MAX_MS = 50
/** A session that asked usually asks again: how long after its last request it keeps priority. */
const REQUEST_PRIORITY_MS = 2_000
/** A chunk this large and above average probably redraws the screen, perhaps a menu. */
const BURST_BYTES = 512
const BURST_FACTOR = 4
/** How long a burst gives priority: its look comes some time after its bytes. */
const BURST_PRIORITY_MS = 300
/** The weight of a new chunk in the session's average. */
const AVERAGE_WEIGHT = 0.1
/** How much output is read in one slice of a session. */
const SLICE_BYTES = 64 * 1024
/** How much of it is read at once, before the time of the slice is checked again. */
const PIECE_BYTES = 16 * 1024
/** With more output than this waiting, a session is behind. */
const WAITING_MAX_BYTES = 1024 * 1024

/*
 * Orders the work of sessions that share one thread: on the host, the output of the keeper; in a
 * reader thread, the requests of the host. In the order of arrival a session that shows a menu
 * would wait behind the spinners of all others: behind hundreds of chunks when many agents write at
 * once. So the work of each session waits in a queue of its own, and the queues are served in
 * slices.
 *
 * - The queue of a session that asks, asked a moment ago, or prints a burst goes first: the burst
 *   may be a menu. Otherwise the queue that has waited longest. Among equals no queue waits longer
 *   than one slice of every other.
 * - Within a session the keeper's order stays. Timers run behind all output, also behind bytes that
 *   arrive while the timer waits, and behind those that are unread in the socket when it fires. A
 *   timer says that nothing was printed until now, which is true only after everything has been
 *   read. Otherwise a busy host would take two halves of one frame for two frames.
 * - A host that keeps up reads every chunk with its own time. A host that is behind reads what has
 *   piled up as if it had been printed at once: it looks less often, so it does not fall further
 *   behind, and it sees the newest frame.
 * - A session whose output piles up, here or in the thread that reads it, is behind: its owner
 *   stops following the keeper and continues from the recording (`onceBehind`), so that a flood
 *   does not fill the socket that all sessions share (docs/decisions/0096-floods.md).
 * - While no queue waits and the slice has just begun, output is read where it arrives. A host with
 *   little work has no queue and no delay.
 *
 * Symptom → constant: requests to the host are slow while sessions write → SLICE_MS down; frames
 * that lasted only a moment are missed → OUTPUT_WAIT_MAX_MS up, at the price of delay.
 */
export class SessionScheduler {
  readonly #clock: Clock
  readonly #onError: (error: unknown) => void
  readonly #onSlice: (id: string, ms: number) => void
  /** Queues with work, the one that has waited longest first. */
  readonly #urgent = new Set<SessionQueue>()
  readonly #others = new Set<SessionQueue>()
  #isArmed = false
  #isRunning = false
  /** When sessions first worked in this round of the event loop; null: not yet. */
  #sliceBegan: number | null = null

  /** `onSlice`: a session has worked for this long. */
  constructor(
    clock: Clock,
    onError: (error: unknown) => void,
    { onSlice = () => undefined }: { onSlice?(id: string, ms: number): void } = {},
  ) {
    this.#clock = clock
    this.#onError = onError
    this.#onSlice = onSlice
  }

  /** Adds a queue for one session. `isAsking`: the session has an open request now. */
  add(isAsking: () => boolean, id = ''): SessionQueue {
    const queue: SessionQueue = new SessionQueue(this.#clock, {
      id,
      isAsking,
      enqueue: work => this.#enqueue(queue, work),
      enqueueLast: callback => {
        queue.timers.push(callback)
        this.#wait(queue)
      },
      drop: () => {
        queue.work.splice(0)
        for (const callback of queue.timers.splice(0)) this.#attempt(callback)
        this.#urgent.delete(queue)
        this.#others.delete(queue)
      },
    })
    return queue
  }

  /** How many queues have work. */
  get waiting(): number {
    return this.#urgent.size + this.#others.size
  }

  #enqueue(queue: SessionQueue, work: Work): void {
    const now = this.#clock.monotonic()
    this.#sliceBegan ??= now
    queue.work.push({ work, since: now })
    queue.addUnread(sizeOf(work))
    if (typeof work !== 'function' && queue.recordChunk(work.bytes.length, now) && this.#others.delete(queue))
      this.#urgent.add(queue)
    const isFree = this.waiting === 0 && !this.#isRunning && now - this.#sliceBegan < SLICE_MS
    if (isFree) this.#run(queue, now)
    else this.#wait(queue)
    this.#arm()
  }

  #wait(queue: SessionQueue): void {
    if (!this.#urgent.has(queue) && !this.#others.has(queue)) {
      const isUrgent = queue.mayAsk(this.#clock.monotonic())
      ;(isUrgent ? this.#urgent : this.#others).add(queue)
    }
    this.#arm()
  }

  /** The event loop reads its sockets between timers and this. */
  #arm(): void {
    if (this.#isArmed) return
    this.#isArmed = true
    setImmediate(() => {
      this.#isArmed = false
      this.#sliceBegan = null
      const began = this.#clock.monotonic()
      for (let now = began; this.waiting > 0 && now - began < SLICE_MS; ) now = this.#runNext()
      if (this.waiting > 0) this.#arm()
    })
  }

  #runNext(): number {
    const queues = this.#urgent.size > 0 ? this.#urgent : this.#others
    const [queue] = queues
    queues.delete(queue!)
    this.#run(queue!, this.#clock.monotonic())
    return this.#clock.monotonic()
  }

  /** One slice of one session: its work up to a limit, and then its timers if no work is left. */
  #run(queue: SessionQueue, now: number): void {
    this.#isRunning = true
    const until = now + SLICE_MS
    for (let read = 0; queue.work.length > 0 && read < SLICE_BYTES && this.#clock.monotonic() < until; ) {
      const { work, size } = queue.next(now)
      read += size
      queue.addUnread(-size)
      this.#attempt(() => perform(work))
    }
    if (queue.work.length === 0) for (const callback of queue.timers.splice(0)) this.#attempt(callback)
    this.#isRunning = false
    this.#onSlice(queue.id, this.#clock.monotonic() - now)
    if (queue.work.length > 0 || queue.timers.length > 0) this.#wait(queue)
  }

  /** A session that fails must not stop the others. */
  #attempt(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#onError(error)
    }
  }
}

type OutputReader = (bytes: Uint8Array, t: number, offset: number) => void

/** A chunk of output to read, or something else to do in its order. */
type Work = Output | (() => void)

interface Output {
  read: OutputReader
  bytes: Uint8Array
  t: number
  offset: number
}

interface QueuePort {
  id: string
  isAsking(): boolean
  enqueue(work: Work): void
  enqueueLast(callback: () => void): void
  /** Forgets all work that waits. */
  drop(): void
}

/** The work of one session, in order: what the keeper sends, and behind it the session's timers. */
export class SessionQueue {
  readonly work: { work: Work; since: number }[] = []
  /** Callbacks of timers that have fired; they run when no work is left. */
  readonly timers: (() => void)[] = []
  /** The host's clock, whose timers wait in the queue of the session. */
  readonly clock: Clock
  readonly id: string
  readonly #port: QueuePort
  #askedAt = Number.NEGATIVE_INFINITY
  #burstAt = Number.NEGATIVE_INFINITY
  #averageChunk = 0
  #unread = 0
  #onBehind: (() => void) | null = null
  #isClosed = false
  readonly #now: () => number

  constructor(clock: Clock, port: QueuePort) {
    this.#port = port
    this.id = port.id
    this.#now = () => clock.monotonic()
    this.clock = {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      setTimer: (ms, callback) => this.#setTimer(clock, ms, callback),
    }
  }

  /**
   * Passes what the keeper sends to the session, in its order. `isOld`: what was printed before the
   * session went live is read piece by piece, however late, as the earlier host did.
   */
  listener(session: KeeperListener, isOld: () => boolean = () => false): KeeperListener {
    const { enqueue } = this.#port
    const read: OutputReader = (bytes, t, offset) => session.output(bytes, t, offset)
    return {
      output: (bytes, t, offset) =>
        isOld() ? this.run(() => read(bytes, t, offset)) : this.output(read, bytes, t, offset),
      resized: (cols, rows, t) => enqueue(() => session.resized(cols, rows, t)),
      exited: exit => enqueue(() => session.exited(exit)),
      lagging: offset => enqueue(() => session.lagging(offset)),
      unrecorded: failure => enqueue(() => session.unrecorded(failure)),
    }
  }

  output(read: OutputReader, bytes: Uint8Array, t: number, offset: number): void {
    if (!this.#isClosed) this.#port.enqueue({ read, bytes, t, offset })
  }

  /** Runs work in its order. `isUrgent`: the session asks for something. */
  run(work: () => void, { isUrgent = false } = {}): void {
    if (this.#isClosed) return
    if (isUrgent) this.#askedAt = this.#now()
    this.#port.enqueue(work)
  }

  /** Calls `callback` when too much output waits: once, also if it waits already. */
  onceBehind(callback: () => void): void {
    this.#onBehind = callback
    this.addUnread(0)
  }

  /** Output waits here or where it is read; a negative number: it has been read. */
  addUnread(bytes: number): void {
    this.#unread += bytes
    if (this.#unread <= WAITING_MAX_BYTES) return
    const callback = this.#onBehind
    this.#onBehind = null
    callback?.()
  }

  /** After closing, nothing is read, so timers need not keep an order. */
  close(): void {
    this.#isClosed = true
    this.#port.drop()
  }

  /** Resolves when everything that the keeper has sent so far has been passed on. */
  caughtUp(): Promise<void> {
    return new Promise(resolve => this.#port.enqueue(resolve))
  }

  /** Adds a chunk to the average; returns whether it is a burst. */
  recordChunk(bytes: number, now: number): boolean {
    const isBurst = bytes >= BURST_BYTES && bytes >= this.#averageChunk * BURST_FACTOR
    this.#averageChunk += (bytes - this.#averageChunk) * AVERAGE_WEIGHT
    if (isBurst) this.#burstAt = now
    return isBurst
  }

  /** The session has an open request, had one a moment ago, or has just printed a burst. */
  mayAsk(now: number): boolean {
    if (this.#port.isAsking()) this.#askedAt = now
    return now - this.#askedAt < REQUEST_PRIORITY_MS || now - this.#burstAt < BURST_PRIORITY_MS
  }

  /** The first work, or a part of it; with the output behind it if it has waited long. */
  next(now: number): { work: Work; size: number } {
    const { work, since } = this.work.shift()!
    let size = sizeOf(work)
    if (typeof work !== 'function' && work.bytes.length > PIECE_BYTES) {
      const { bytes, offset } = work
      this.work.unshift({ work: { ...work, bytes: bytes.subarray(PIECE_BYTES), offset: offset + PIECE_BYTES }, since })
      return { work: { ...work, bytes: bytes.subarray(0, PIECE_BYTES) }, size: PIECE_BYTES }
    }
    if (typeof work === 'function' || now - since < OUTPUT_WAIT_MAX_MS) return { work, size }
    const parts = [work]
    while (size < PIECE_BYTES) {
      const next = this.work[0]?.work
      if (next === undefined || typeof next === 'function') break
      parts.push(next)
      size += sizeOf(next)
      this.work.shift()
    }
    return { work: parts.length === 1 ? work : joined(parts), size }
  }

  #setTimer(clock: Clock, ms: number, callback: () => void): Timer {
    let isCancelled = false
    const run = () => {
      if (!isCancelled) callback()
    }
    // A caller that still waits for a session that was closed must not wait without end.
    const timer = clock.setTimer(ms, () => (this.#isClosed ? run() : this.#port.enqueueLast(run)))
    return {
      cancel: () => {
        isCancelled = true
        timer.cancel()
      },
    }
  }
}

/** As if all of it had been printed at the time of the last chunk. */
function joined(parts: readonly Output[]): Output {
  const { read, offset } = parts[0]!
  return { read, offset, t: parts.at(-1)!.t, bytes: Buffer.concat(parts.map(({ bytes }) => bytes)) }
}

function perform(work: Work): void {
  if (typeof work === 'function') work()
  else work.read(work.bytes, work.t, work.offset)
}

/** Fixed cost of an item of work, in addition to its bytes. */
const WORK_BYTES = 256

function sizeOf(work: Work): number {
  return WORK_BYTES + (typeof work === 'function' ? 0 : work.bytes.length)
}
