import { batch } from '@preact/signals'

/** Sooner than this nobody sees a difference. */
const SOONEST_MS = 60
/** Later than this somebody does. */
const LATEST_MS = 180
/** Time between two rounds for each millisecond that a round took: a page spends at most a fifth of its time on what merely passes. */
const PATIENCE = 4
/** So long what merely passes keeps out of the way of something that somebody waits for. */
const GIVE_WAY_MS = 80
/** A round that takes longer until it is drawn is one of a machine with more to do than it can. */
const BUSY_MS = 50
/** What was said of a round is no longer true after this. */
const REMEMBERED_MS = 2_000

let lastRound = { at: Number.NEGATIVE_INFINITY, cost: 0 }

/** Whether there is time for motion: on a machine that hardly keeps up, a picture that moves keeps others from being drawn at all. */
export function isCalm(): boolean {
  return lastRound.cost < BUSY_MS || performance.now() - lastRound.at > REMEMBERED_MS
}

/**
 * What passes by faster than it can be looked at: of each kind only the newest is kept, and all of them are taken in together, so often
 * as the page can afford. With a few panes that is as they come; with hundreds on a slow machine it is a few times a second.
 */
export class Latest {
  #waiting = new Map<string, () => void>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #nextAt = 0
  #notBefore = 0

  put(key: string, take: () => void): void {
    this.#waiting.set(key, take)
    if (this.#timer === undefined) this.#wait()
  }

  /** Something else is drawn first; many of them one after the other hold up nothing for longer than one does. */
  giveWay(): void {
    const now = performance.now()
    if (now < this.#notBefore) return
    this.#notBefore = now + GIVE_WAY_MS
    this.#waitAnew()
  }

  #wait(): void {
    const at = Math.max(this.#nextAt, this.#notBefore)
    this.#timer = setTimeout(() => this.#flush(), Math.max(0, at - performance.now()))
  }

  #waitAnew(): void {
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    this.#wait()
  }

  #flush(): void {
    const begun = performance.now()
    const waiting = this.#waiting
    this.#waiting = new Map()
    this.#timer = undefined
    this.#nextAt = begun + LATEST_MS
    batch(() => {
      for (const take of waiting.values()) take()
    })
    // A page that nobody looks at draws nothing, and keeps the longest pause.
    if (document.visibilityState !== 'visible') return
    afterFrame(() => {
      const cost = performance.now() - begun
      lastRound = { at: begun, cost }
      this.#nextAt = begun + Math.min(LATEST_MS, Math.max(SOONEST_MS, cost * (PATIENCE + 1)))
      this.#waitAnew()
    })
  }
}

/** When the picture has been handed over. */
function afterFrame(done: () => void): void {
  requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      done()
    }
    port2.postMessage(null)
  })
}
