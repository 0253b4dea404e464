import type { Clock, Timer } from '../clock/index.js'
import type { KeeperListener } from '../keeper/index.js'

/** Sessions work for so long before whoever else wants the host (requests, the keeper's socket, other timers) has a turn. */
const TURN_MS = 4
/** After so long what a session has used counts half. */
const HALF_LIFE_MS = 500
/** Output that may wait here. Beyond it nothing more is taken from the keeper, which then cuts us off as it does with any slow host. */
const WAITING_MAX = 8 * 1024 * 1024
/** What a piece of work counts beside its bytes. */
const WORK_BYTES = 256

/*
 * All sessions of a host share one thread. In the order of arrival a session that shows a menu waits behind everybody's spinners: behind
 * hundreds of pieces of output when many agents write at once. So the bytes of each session, its size and its timers wait in a lane of its
 * own, and the lane that has used the least time of late goes first. A session that asks and waits for a person has used next to nothing.
 *
 * - Within a session what the keeper sends keeps its order, and timers come behind all of it: also behind bytes that come while the timer
 *   waits, and those that lie unread in the socket when it fires. A timer says that nothing was printed until now; only who has read
 *   everything may believe that. Otherwise a host that is busy would take two halves of one picture for two pictures.
 * - Between sessions there is no order that anybody could rely on. What a session reads and when it was printed (the keeper's stamps) is
 *   the same however late it is read.
 * - What was used halves with time, so a lane that waits rises: nobody starves.
 * - While nothing waits and the turn is young, work is done where it comes up. A host that keeps up has no queue and no delay.
 *
 * Symptom → knob: requests to the host are slow while sessions write → TURN_MS down; a session that wrote much a moment ago is slow to show
 * its menu → HALF_LIFE_MS down.
 */
export class SessionTurns {
  readonly #clock: Clock
  readonly #onError: (error: unknown) => void
  readonly #lanes = new Set<SessionLane>()
  readonly #waiting = new Set<SessionLane>()
  #waitingBytes = 0
  #isArmed = false
  #isRunning = false
  /** When sessions first worked in this turn of the event loop; null: not yet. */
  #turnBegan: number | null = null
  #halvedAt: number

  constructor(clock: Clock, onError: (error: unknown) => void) {
    this.#clock = clock
    this.#onError = onError
    this.#halvedAt = clock.monotonic()
  }

  /** A lane for one session, until it is left. */
  enter(): SessionLane {
    const lane: SessionLane = new SessionLane(this.#clock, {
      take: (work, bytes) => this.#take(lane, work, bytes),
      takeLast: work => this.#takeLast(lane, work),
      leave: () => this.#lanes.delete(lane),
    })
    this.#lanes.add(lane)
    return lane
  }

  /** Lanes with work that waits. */
  get waiting(): number {
    return this.#waiting.size
  }

  #take(lane: SessionLane, work: () => void, bytes: number): void {
    this.#arm()
    const now = this.#clock.monotonic()
    this.#turnBegan ??= now
    this.#halve(now)
    const isFree = this.#waiting.size === 0 && !this.#isRunning
    if (isFree && now - this.#turnBegan < TURN_MS) return this.#run(lane, work, now)
    lane.queue.push({ work, bytes: bytes + WORK_BYTES })
    this.#waiting.add(lane)
    this.#waitingBytes += bytes + WORK_BYTES
    while (this.#waitingBytes > WAITING_MAX && !this.#isRunning) this.#runNext()
  }

  /** After the sockets were read, which the event loop does between timers and the turn of the sessions. */
  #takeLast(lane: SessionLane, work: () => void): void {
    this.#arm()
    lane.last.push(work)
    this.#waiting.add(lane)
  }

  #arm(): void {
    if (this.#isArmed) return
    this.#isArmed = true
    setImmediate(() => this.#turn())
  }

  #turn(): void {
    this.#isArmed = false
    this.#turnBegan = null
    if (this.#waiting.size === 0) return
    this.#arm()
    const began = this.#clock.monotonic()
    let now = began
    this.#halve(began)
    while (this.#waiting.size > 0 && now - began < TURN_MS) now = this.#runNext()
  }

  #runNext(): number {
    let next: SessionLane | null = null
    for (const lane of this.#waiting) if (next === null || lane.used < next.used) next = lane
    const { work, bytes } = next!.queue.shift() ?? { work: next!.last.shift()!, bytes: 0 }
    this.#waitingBytes -= bytes
    if (next!.queue.length === 0 && next!.last.length === 0) this.#waiting.delete(next!)
    this.#run(next!, work, this.#clock.monotonic())
    return this.#clock.monotonic()
  }

  /** A session that fails must not keep the others from their turn. */
  #run(lane: SessionLane, work: () => void, began: number): void {
    this.#isRunning = true
    try {
      work()
    } catch (error) {
      this.#onError(error)
    }
    this.#isRunning = false
    lane.used += this.#clock.monotonic() - began
  }

  #halve(now: number): void {
    const times = Math.floor((now - this.#halvedAt) / HALF_LIFE_MS)
    if (times <= 0) return
    this.#halvedAt += times * HALF_LIFE_MS
    for (const lane of this.#lanes) lane.used *= 0.5 ** times
  }
}

interface LanePort {
  take(work: () => void, bytes: number): void
  takeLast(work: () => void): void
  leave(): void
}

/** One session's place among the others: what comes for it from the keeper and from its timers, in order. */
export class SessionLane {
  /** Milliseconds of the thread, those of long ago counted less. */
  used = 0
  readonly queue: { work: () => void; bytes: number }[] = []
  /** What comes when the queue is empty. */
  readonly last: (() => void)[] = []
  /** The host's clock, whose timers wait for the session's turn. */
  readonly clock: Clock
  readonly #port: LanePort

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
    const take = (work: () => void, bytes = 0) => this.#port.take(work, bytes)
    return {
      output: (bytes, t, offset) => take(() => session.output(bytes, t, offset), bytes.length),
      resized: (cols, rows, t) => take(() => session.resized(cols, rows, t)),
      exited: exit => take(() => session.exited(exit)),
      lagging: offset => take(() => session.lagging(offset)),
      unrecorded: failure => take(() => session.unrecorded(failure)),
    }
  }

  /** Resolves when everything that waits now has been done. */
  caughtUp(): Promise<void> {
    return new Promise(resolve => this.#port.take(resolve, 0))
  }

  leave(): void {
    this.#port.leave()
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
