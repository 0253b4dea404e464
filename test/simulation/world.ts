import type { Clock, SimulatedClock, Timer } from '../../src/clock/index.js'
import type { EventStore } from '../../src/store/index.js'

/*
 * A deterministic world: one seed decides every delay, the order in which calls reach the store,
 * crashes, pauses and steps of clocks. Nothing in it waits for real time, so a seed repeats
 * exactly.
 */

/** mulberry32: the same numbers on every machine. */
export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let t = this.#state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }

  /** From 0 to `below` - 1. */
  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)]!
  }
}

/**
 * The clock of one process: its wall time is wrong by an amount that changes, and its timers die
 * with it.
 */
class ProcessClock implements Clock {
  readonly #world: SimulatedClock
  readonly #isDead: () => boolean
  skewMs = 0

  constructor(world: SimulatedClock, isDead: () => boolean) {
    this.#world = world
    this.#isDead = isDead
  }

  now(): number {
    return this.#world.now() + this.skewMs
  }

  monotonic(): number {
    return this.#world.monotonic()
  }

  setTimer(ms: number, callback: () => void): Timer {
    return this.#world.setTimer(ms, () => {
      if (!this.#isDead()) callback()
    })
  }
}

const never = new Promise<never>(() => undefined)

/** A process that can be killed or paused: nothing that it does later has an effect, or not yet. */
export class SimulatedProcess {
  readonly clock: ProcessClock
  readonly store: EventStore
  readonly owner: string
  isDead = false
  pausedUntil = 0
  readonly #world: World

  constructor(world: World, owner: string) {
    this.#world = world
    this.owner = owner
    this.clock = new ProcessClock(world.clock, () => this.isDead)
    this.store = this.#reach(world.store)
  }

  kill(): void {
    this.isDead = true
  }

  /** Passes when the process runs; a dead one never continues. */
  async #turn(): Promise<void> {
    await this.#world.pass(this.#world.dice.below(40))
    while (!this.isDead && this.pausedUntil > this.#world.clock.now())
      await this.#world.pass(this.pausedUntil - this.#world.clock.now())
    if (this.isDead) await never
  }

  /** The store over a way with delays. The process may die before or after the store has acted. */
  #reach(store: EventStore): EventStore {
    return new Proxy(store, {
      get: (target, name) => {
        const member = Reflect.get(target, name, target) as unknown
        if (typeof member !== 'function') return member
        const call = member.bind(target) as (...args: unknown[]) => unknown
        if (name === 'subscribe')
          return (options: unknown, handler: (events: unknown) => void) => this.#subscribe(call, options, handler)
        return async (...args: unknown[]) => {
          await this.#turn()
          const result = await call(...args)
          await this.#turn()
          return result
        }
      },
    })
  }

  /** Events arrive late, in order. */
  #subscribe(call: (...args: unknown[]) => unknown, options: unknown, handler: (events: unknown) => void): unknown {
    let last: Promise<unknown> = Promise.resolve()
    return call(options, (events: unknown) => {
      last = last.then(() => this.#turn()).then(() => handler(events))
      return last
    })
  }
}

export class World {
  readonly clock: SimulatedClock
  readonly dice: Dice
  readonly store: EventStore

  constructor(seed: number, store: EventStore, clock: SimulatedClock) {
    this.dice = new Dice(seed)
    this.store = store
    this.clock = clock
  }

  pass(ms: number): Promise<void> {
    return new Promise(resolve => void this.clock.setTimer(ms, resolve))
  }

  /**
   * Lets time pass until `isOver`, in steps of different lengths. False: the limit was reached
   * first.
   */
  async run(isOver: () => Promise<boolean>, limitMs: number): Promise<boolean> {
    const until = this.clock.now() + limitMs
    for (let step = 0; this.clock.now() < until; step++) {
      await new Promise(resolve => setImmediate(resolve))
      if (step % 64 === 0 && (await isOver())) return true
      this.clock.advance(1 + this.dice.below(80))
    }
    return false
  }
}
