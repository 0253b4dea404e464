import { isLowPriority, isMergeable, isProtected, type Signal } from './signals.js'

/*
 * Signals of one pane, first in, first out, at most `max`.
 *
 * A pane that floods must neither exhaust the memory of the host nor displace the one signal that
 * ends its work. So there are two steps: from 80 % on, signals that the next of their kind makes
 * redundant are refused; and when the queue is full, the oldest unimportant signal is dropped, then
 * the oldest unprotected one, and if everything queued is protected the new one is refused. A
 * protected new signal is always accepted: the queue may then exceed `max`, by the number of
 * signals that must not be lost. Every drop and merge is counted with its reason.
 */
const DROP_LOW_FROM_SHARE = 0.8

export type DropReason = 'stale_generation' | 'low_priority' | 'overflow_low' | 'overflow_normal' | 'refused' | 'merged'

export class SignalQueue {
  readonly #max: number
  readonly #count: (reason: DropReason) => void
  #waiting: Signal[] = []
  #generation = 0

  constructor(options: { max: number; count(reason: DropReason): void }) {
    this.#max = options.max
    this.#count = options.count
  }

  get length(): number {
    return this.#waiting.length
  }

  /** The pane's process was replaced: the signals of its predecessor are void. */
  renew(generation: number): void {
    this.#generation = generation
    this.#waiting = this.#waiting.filter(signal => {
      const isStale = signal.generation < generation
      if (isStale) this.#count('stale_generation')
      return !isStale
    })
  }

  /** False if it was refused. */
  push(signal: Signal): boolean {
    if (signal.generation < this.#generation) return this.#drop('stale_generation')
    const last = this.#waiting.at(-1)
    if (last && isMergeable(signal) && isMergeable(last)) {
      this.#waiting[this.#waiting.length - 1] = { ...signal, data: { ...last.data, ...signal.data } }
      this.#count('merged')
      return true
    }
    if (isLowPriority(signal) && this.#waiting.length >= this.#max * DROP_LOW_FROM_SHARE)
      return this.#drop('low_priority')
    if (this.#waiting.length >= this.#max && !this.#makeRoom() && !isProtected(signal)) return this.#drop('refused')
    this.#waiting.push(signal)
    return true
  }

  /** Everything queued, oldest first. */
  drain(): Signal[] {
    const taken = this.#waiting
    this.#waiting = []
    return taken
  }

  #drop(reason: DropReason): false {
    this.#count(reason)
    return false
  }

  #makeRoom(): boolean {
    return this.#evict(isLowPriority, 'overflow_low') || this.#evict(signal => !isProtected(signal), 'overflow_normal')
  }

  #evict(isEvictable: (signal: Signal) => boolean, reason: DropReason): boolean {
    const at = this.#waiting.findIndex(isEvictable)
    if (at < 0) return false
    this.#waiting.splice(at, 1)
    this.#count(reason)
    return true
  }
}
