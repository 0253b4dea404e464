import type { Clock } from '../clock/index.js'

/** How long a session reads before the event loop does other work. */
const SLICE_MS = 10

interface Entry {
  id: string
  /** How many bytes it has to read, as known when it was added. */
  backlog: number
  isUrgent: boolean
  done: Promise<void>
}

/** Ends the slice of a session when its time is over, and resolves when it has the next one. */
export type Pause = () => Promise<void>

/**
 * The sessions that a new host has not read up to the present yet. They take turns in short slices,
 * so that the host answers everyone meanwhile. First come the sessions that someone waits for: a
 * person, a hook of the agent, or a decision that must be delivered. Then those with the least to
 * read: a session that is idle, or has just asked, is live at once, whatever the others have
 * printed. Among equals the newest is first.
 */
export class CatchUpQueue {
  readonly #clock: Clock
  readonly #width: number
  /** In the order of their turns. */
  #entries: readonly Entry[] = []
  readonly #waiting = new Map<Entry, () => void>()
  /** Sessions that have a slice; they may wait for what they read. */
  readonly #reading = new Set<Entry>()
  #isArmed = false
  #isClosed = false
  #isStarted = false

  /** @param width how many sessions may read at the same time, in other threads. */
  constructor(clock: Clock, width = 1) {
    this.#clock = clock
    this.#width = width
  }

  get ids(): readonly string[] {
    return this.#entries.map(({ id }) => id)
  }

  has(id: string): boolean {
    return this.#entries.some(entry => entry.id === id)
  }

  /**
   * Adds a session. `read` waits for its turns with `pause`; the session is live when it resolves.
   */
  add(id: string, backlog: number, read: (pause: Pause) => Promise<void>): Promise<void> {
    const entry: Entry = { id, backlog, isUrgent: false, done: Promise.resolve() }
    let until = Number.NEGATIVE_INFINITY
    const pause = async () => {
      if (this.#clock.monotonic() < until) return
      await this.#turn(entry)
      until = this.#clock.monotonic() + SLICE_MS
    }
    this.#sort([entry, ...this.#entries])
    entry.done = pause()
      .then(() => read(pause))
      .finally(() => {
        this.#sort(this.#entries.filter(other => other !== entry))
        this.#reading.delete(entry)
        this.#arm()
      })
    return entry.done
  }

  /**
   * Sessions wait until here, or until someone waits for one: the host opens its other parts first.
   */
  start(): void {
    this.#isStarted = true
    this.#arm()
  }

  /**
   * Resolves when the session is live, or cannot become so; it is read before others from now on.
   */
  async until(id: string): Promise<void> {
    const own = this.#entries.filter(entry => entry.id === id)
    for (const entry of own) entry.isUrgent = true
    this.#sort(this.#entries)
    this.start()
    await Promise.allSettled(own.map(({ done }) => done))
  }

  /** No session gets another turn. */
  close(): void {
    this.#isClosed = true
  }

  /** Resolves when every session is live. */
  async untilEmpty(): Promise<void> {
    while (this.#entries.length > 0) await Promise.allSettled(this.#entries.map(({ done }) => done))
  }

  #sort(entries: readonly Entry[]): void {
    this.#entries = [...entries].sort((a, b) => Number(b.isUrgent) - Number(a.isUrgent) || a.backlog - b.backlog)
  }

  #turn(entry: Entry): Promise<void> {
    return new Promise(resolve => {
      this.#reading.delete(entry)
      this.#waiting.set(entry, resolve)
      this.#arm()
    })
  }

  /** One slice in each round of the event loop. */
  #arm(): void {
    if (!this.#isStarted || this.#isArmed || this.#waiting.size === 0 || this.#reading.size >= this.#width) return
    this.#isArmed = true
    setImmediate(() => {
      if (this.#isClosed) return
      this.#isArmed = false
      const next = this.#entries.find(entry => this.#waiting.has(entry))
      const resume = next && this.#waiting.get(next)
      if (next) {
        this.#waiting.delete(next)
        this.#reading.add(next)
      }
      resume?.()
      this.#arm()
    })
  }
}
