// Whether the memory of the server is bounded: sampled once a second, with the slope of the second
// half, when everything has been in use.
import { systemClock } from '../src/clock/index.js'

/**
 * The slope of a shorter run means nothing, and a garbage collection in its middle would distort
 * its times.
 */
export const LONG_S = 120
const EVERY_MS = 1_000

interface Look {
  atS: number
  rss: number
}

interface InUse {
  heapMb: number
  /** Outside the heap: the cells of screens, above all. */
  buffersMb: number
}

export interface HeldMemory {
  rssMb: number
  /** The slope of the second half; null for a short run. */
  slopeMbPerMin: number | null
  /**
   * Memory that is still reachable, in the middle and at the end; null for a short run or without
   * --expose-gc.
   */
  inUse: { middle: InUse; end: InUse } | null
}

export class MemoryWatch {
  readonly #from = systemClock.monotonic()
  readonly #seconds: number
  readonly #looks: Look[] = []
  #middle: InUse | null = null

  constructor(seconds: number) {
    this.#seconds = seconds
  }

  look(): void {
    const atS = (systemClock.monotonic() - this.#from) / 1000
    if (atS * 1000 < this.#looks.length * EVERY_MS) return
    this.#looks.push({ atS, rss: process.memoryUsage().rss / 1e6 })
    if (this.#seconds >= LONG_S && this.#middle === null && atS > this.#seconds / 2) this.#middle = lookAtUse()
  }

  held(): HeldMemory {
    const isLong = this.#seconds >= LONG_S
    const end = isLong ? lookAtUse() : null
    return {
      rssMb: Math.max(0, ...this.#looks.map(({ rss }) => rss)),
      slopeMbPerMin: isLong ? slopeOf(this.#looks.filter(({ atS }) => atS > this.#seconds / 2)) * 60 : null,
      inUse: this.#middle === null || end === null ? null : { middle: this.#middle, end },
    }
  }
}

function lookAtUse(): InUse | null {
  const { gc } = globalThis as { gc?: () => void }
  if (!gc) return null
  gc()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return { heapMb: heapUsed / 1e6, buffersMb: arrayBuffers / 1e6 }
}

/** The slope of the least-squares line, in MB per second. */
function slopeOf(looks: readonly Look[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [atS, rss] = [mean(looks.map(look => look.atS)), mean(looks.map(look => look.rss))]
  const across = looks.reduce((sum, look) => sum + (look.atS - atS) * (look.rss - rss), 0)
  const along = looks.reduce((sum, look) => sum + (look.atS - atS) ** 2, 0)
  return along === 0 ? 0 : across / along
}

export function describeMemory({ rssMb, slopeMbPerMin, inUse }: HeldMemory): string {
  const parts = [`${rssMb.toFixed(0)} MB at most`]
  if (slopeMbPerMin !== null) parts.push(`${slopeMbPerMin.toFixed(1)} MB/min in the second half`)
  const words = ({ heapMb, buffersMb }: InUse) => `${heapMb.toFixed(1)} + ${buffersMb.toFixed(1)} MB`
  if (inUse) parts.push(`in use (heap + buffers) ${words(inUse.middle)} in the middle, ${words(inUse.end)} at the end`)
  return parts.join(', ')
}
