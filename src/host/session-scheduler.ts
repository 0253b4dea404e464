import type { Clock, Timer } from '../clock/index.js'
import type { KeeperListener } from '../keeper/index.js'

/** Sessions work for so long before whoever else wants the host (requests, the keeper's socket, other timers) has a turn. */
const TURN_MS = 4
/** Output that has waited for so long is read in one go with all that follows it: a look at each piece of it would only add to the delay. */
const BEHIND_MS = 50
/** A session that asked is asked again, mostly: so long after its last question it goes before the others. */
const ASKED_MS = 2_000
/** A piece of output that is so large, and so many times what its session prints mostly, draws something else: a menu, perhaps. */
const DRAWN_BYTES = 512
const DRAWN_TIMES = 4
/** For so long it goes before the others: its look comes some time after its bytes. */
const DRAWN_MS = 300
/** How much one more piece counts in what a session prints mostly. */
const USUAL_SHARE = 0.1
/** Output that is read in one turn of a session. */
const PIECE_MAX = 64 * 1024
/** Output that may wait here. Beyond it nothing more is taken from the keeper, which then cuts us off as it does with any slow host. */
const WAITING_MAX = 8 * 1024 * 1024

/*
 * All sessions of a host share one thread. In the order of arrival a session that shows a menu waits behind everybody's spinners: behind
 * hundreds of pieces of output when many agents write at once. So what comes for a session waits in a lane of its own, and lanes take turns.
 *
 * - A lane whose session asks, has asked a moment ago, or draws much more at once than it mostly does goes first: that may be a question.
 *   Else the one that has waited longest. Among equals nobody waits longer than one turn of everybody.
 * - Within a session what the keeper sends keeps its order, and timers come behind all of it: also behind bytes that come while the timer
 *   waits, and those that lie unread in the socket when it fires. A timer says that nothing was printed until now; only who has read
 *   everything may believe that. Otherwise a busy host would take two halves of one picture for two pictures.
 * - A host that keeps up reads every piece with the time of its own. One that is behind reads what has piled up as if it had been printed
 *   at once: it looks less often, so it does not fall further behind, and what it looks at is the newest.
 * - While nothing waits and the turn is young, output is read where it comes. A host with little to do has no queue and no delay.
 *
 * Symptom → knob: requests to the host are slow while sessions write → TURN_MS down; pictures are missed that stood only for a moment →
 * BEHIND_MS up, at the price of delay.
 */
export class SessionScheduler {
  readonly #clock: Clock
  readonly #onError: (error: unknown) => void
  /** Lanes with something to do, the one that has waited longest first. */
  readonly #first = new Set<SessionQueue>()
  readonly #others = new Set<SessionQueue>()
  #waitingBytes = 0
  #isArmed = false
  #isRunning = false
  /** When sessions first worked in this turn of the event loop; null: not yet. */
  #turnBegan: number | null = null

  constructor(clock: Clock, onError: (error: unknown) => void) {
    this.#clock = clock
    this.#onError = onError
  }

  /** A lane for one session. `isAsking`: it has a question open now. */
  enter(isAsking: () => boolean): SessionQueue {
    const lane: SessionQueue = new SessionQueue(this.#clock, {
      isAsking,
      take: piece => this.#take(lane, piece),
      takeLast: work => {
        lane.last.push(work)
        this.#wait(lane)
      },
    })
    return lane
  }

  /** Lanes with something to do. */
  get waiting(): number {
    return this.#first.size + this.#others.size
  }

  #take(lane: SessionQueue, piece: Piece): void {
    const now = this.#clock.monotonic()
    this.#turnBegan ??= now
    lane.queue.push({ piece, since: now })
    this.#waitingBytes += sizeOf(piece)
    if (typeof piece !== 'function' && lane.notePrinted(piece.bytes.length, now) && this.#others.delete(lane))
      this.#first.add(lane)
    const isFree = this.waiting === 0 && !this.#isRunning && now - this.#turnBegan < TURN_MS
    if (isFree) this.#run(lane, now)
    else this.#wait(lane)
    while (this.#waitingBytes > WAITING_MAX && !this.#isRunning) this.#runNext()
    this.#arm()
  }

  #wait(lane: SessionQueue): void {
    if (!this.#first.has(lane) && !this.#others.has(lane)) {
      const isFirst = lane.mayAsk(this.#clock.monotonic())
      ;(isFirst ? this.#first : this.#others).add(lane)
    }
    this.#arm()
  }

  /** The event loop reads its sockets between timers and this. */
  #arm(): void {
    if (this.#isArmed) return
    this.#isArmed = true
    setImmediate(() => {
      this.#isArmed = false
      this.#turnBegan = null
      const began = this.#clock.monotonic()
      for (let now = began; this.waiting > 0 && now - began < TURN_MS; ) now = this.#runNext()
      if (this.waiting > 0) this.#arm()
    })
  }

  #runNext(): number {
    const lanes = this.#first.size > 0 ? this.#first : this.#others
    const [lane] = lanes
    lanes.delete(lane!)
    this.#run(lane!, this.#clock.monotonic())
    return this.#clock.monotonic()
  }

  /** One turn of one session: all that waits for it, within reason, and its timers if nothing is left before them. */
  #run(lane: SessionQueue, now: number): void {
    this.#isRunning = true
    for (let read = 0; lane.queue.length > 0 && read < PIECE_MAX; ) {
      const { piece, size } = lane.nextPiece(now)
      read += size
      this.#waitingBytes -= size
      this.#attempt(() => perform(piece))
    }
    if (lane.queue.length === 0) for (const work of lane.last.splice(0)) this.#attempt(work)
    this.#isRunning = false
    if (lane.queue.length > 0 || lane.last.length > 0) this.#wait(lane)
  }

  /** A session that fails must not keep the others from their turn. */
  #attempt(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#onError(error)
    }
  }
}

/** Output to read, or something else to do in its place. */
type Piece = Output | (() => void)

interface Output {
  session: KeeperListener
  bytes: Uint8Array
  t: number
  offset: number
}

interface LanePort {
  isAsking(): boolean
  take(piece: Piece): void
  takeLast(work: () => void): void
}

/** One session's place among the others: what comes for it from the keeper and from its timers, in order. */
export class SessionQueue {
  readonly queue: { piece: Piece; since: number }[] = []
  /** What comes when the queue is empty. */
  readonly last: (() => void)[] = []
  /** The host's clock, whose timers wait for the session's turn. */
  readonly clock: Clock
  readonly #port: LanePort
  #askedAt = Number.NEGATIVE_INFINITY
  #drewAt = Number.NEGATIVE_INFINITY
  /** Bytes of a piece, mostly. */
  #usual = 0

  constructor(clock: Clock, port: LanePort) {
    this.#port = port
    this.clock = {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      setTimer: (ms, callback) => this.#setTimer(clock, ms, callback),
    }
  }

  /** What the keeper tells the session, in its turn. */
  listener(session: KeeperListener): KeeperListener {
    const { take } = this.#port
    return {
      output: (bytes, t, offset) => take({ session, bytes, t, offset }),
      resized: (cols, rows, t) => take(() => session.resized(cols, rows, t)),
      exited: exit => take(() => session.exited(exit)),
      lagging: offset => take(() => session.lagging(offset)),
      unrecorded: failure => take(() => session.unrecorded(failure)),
    }
  }

  /** Resolves when everything that the keeper has sent so far has been read. */
  caughtUp(): Promise<void> {
    return new Promise(resolve => this.#port.take(resolve))
  }

  /** Whether so much at once is something else than what the session prints mostly. */
  notePrinted(bytes: number, now: number): boolean {
    const isOther = bytes >= DRAWN_BYTES && bytes >= this.#usual * DRAWN_TIMES
    this.#usual += (bytes - this.#usual) * USUAL_SHARE
    if (isOther) this.#drewAt = now
    return isOther
  }

  /** It has a question open, or had one a moment ago, or has just drawn what may be one. */
  mayAsk(now: number): boolean {
    if (this.#port.isAsking()) this.#askedAt = now
    return now - this.#askedAt < ASKED_MS || now - this.#drewAt < DRAWN_MS
  }

  /** What is first in the queue; with all the output behind it, if it has waited for long. */
  nextPiece(now: number): { piece: Piece; size: number } {
    const { piece, since } = this.queue.shift()!
    let size = sizeOf(piece)
    if (typeof piece === 'function' || now - since < BEHIND_MS) return { piece, size }
    const parts = [piece]
    while (size < PIECE_MAX) {
      const next = this.queue[0]?.piece
      if (next === undefined || typeof next === 'function') break
      parts.push(next)
      size += sizeOf(next)
      this.queue.shift()
    }
    return { piece: parts.length === 1 ? piece : joined(parts), size }
  }

  #setTimer(clock: Clock, ms: number, callback: () => void): Timer {
    let isCancelled = false
    const timer = clock.setTimer(ms, () =>
      this.#port.takeLast(() => {
        if (!isCancelled) callback()
      }),
    )
    return {
      cancel: () => {
        isCancelled = true
        timer.cancel()
      },
    }
  }
}

/** As if it had been printed at once, when the last of it was. */
function joined(parts: readonly Output[]): Output {
  const { session, offset } = parts[0]!
  return { session, offset, t: parts.at(-1)!.t, bytes: Buffer.concat(parts.map(({ bytes }) => bytes)) }
}

function perform(piece: Piece): void {
  if (typeof piece === 'function') piece()
  else piece.session.output(piece.bytes, piece.t, piece.offset)
}

/** What a piece counts beside its bytes. */
const PIECE_BYTES = 256

function sizeOf(piece: Piece): number {
  return PIECE_BYTES + (typeof piece === 'function' ? 0 : piece.bytes.length)
}
