import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import type { Clock, Timer } from '../clock/index.js'

/** How often the kernel's timer checks the loop: shorter blocks are not seen. */
const RESOLUTION_MS = 20
/** How often the histogram is read: the precision of a block's time. */
const READ_MS = 10_000
/**
 * Sessions that use the loop for longer than this between two reads are at work. The kernel's timer
 * wakes the process fifty times a second, which is most of what an idle daemon costs: it runs only
 * while there is work.
 */
const WORK_MS = 100
/** The recent blocks that are shown besides the longest of all. */
const RECENT_MS = 5 * 60_000

/** The longest time in which the event loop did nothing else. */
export interface LoopBlock {
  ms: number
  /** When it ended, to within ten seconds. */
  at: number
  /** The longest slice of a session in the same ten seconds; null if no session worked. */
  session: { id: string; ms: number } | null
}

export interface LoopView {
  /** Since the start of the process; null: no block was measured yet. */
  longest: LoopBlock | null
  /** In the last five minutes. */
  recent: LoopBlock | null
}

/**
 * Measures how long this process blocks its own event loop, and which session had the longest slice
 * at that time. A machine whose cores are all busy delays the loop too: then the block is long and
 * the session's slice is not. While all sessions rest, only their slices are measured.
 */
export class LoopMonitor {
  readonly #clock: Clock
  readonly #histogram: IntervalHistogram
  #timer: Timer | null = null
  #slice: LoopBlock['session'] = null
  /** How long sessions have used the loop since the last read. */
  #workedMs = 0
  #isWatching = false
  #longest: LoopBlock | null = null
  #recent: LoopBlock[] = []

  constructor(clock: Clock) {
    this.#clock = clock
    this.#histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  }

  start(): void {
    this.#watch()
    this.#schedule()
  }

  stop(): void {
    this.#rest()
    this.#timer?.cancel()
    this.#timer = null
  }

  /** A session has used the loop for this long. */
  worked(id: string, ms: number): void {
    if (this.#slice === null || ms > this.#slice.ms) this.#slice = { id, ms }
    this.#workedMs += ms
    if (this.#workedMs >= WORK_MS && this.#timer) this.#watch()
  }

  get view(): LoopView {
    const now = this.#now()
    const recent = this.#recent.filter(block => this.#isRecent(block))
    return { longest: longestOf([this.#longest, now]), recent: longestOf([...recent, now]) }
  }

  #schedule(): void {
    this.#timer = this.#clock.setTimer(READ_MS, () => {
      const now = this.#now()
      this.#longest = longestOf([this.#longest, now])
      this.#recent = this.#recent.filter(block => this.#isRecent(block))
      if (now) this.#recent.push(now)
      if (this.#workedMs < WORK_MS) this.#rest()
      this.#histogram.reset()
      this.#slice = null
      this.#workedMs = 0
      this.#schedule()
    })
  }

  #isRecent({ at }: LoopBlock): boolean {
    return this.#clock.now() - at < RECENT_MS
  }

  #watch(): void {
    if (!this.#isWatching) this.#histogram.enable()
    this.#isWatching = true
  }

  #rest(): void {
    if (this.#isWatching) this.#histogram.disable()
    this.#isWatching = false
  }

  /** The longest block since the last read. */
  #now(): LoopBlock | null {
    if (this.#histogram.count === 0 && this.#slice === null) return null
    // The histogram has the time between two checks; at most the resolution of it was idle.
    const measured = this.#histogram.count === 0 ? 0 : Math.round(this.#histogram.max / 1e6) - RESOLUTION_MS
    const session = this.#slice && { id: this.#slice.id, ms: Math.round(this.#slice.ms) }
    return { ms: Math.max(0, measured, session?.ms ?? 0), at: this.#clock.now(), session }
  }
}

function longestOf(blocks: readonly (LoopBlock | null)[]): LoopBlock | null {
  return blocks.reduce((longest, block) => (!longest || (block && block.ms > longest.ms) ? block : longest), null)
}
