import type { EventStore, StoredEvent } from '../../store/index.js'

/** The store of a process that can be killed: then no call succeeds, and no event arrives. */
export class KillableStore {
  readonly store: EventStore
  isDead = false
  #left = Number.POSITIVE_INFINITY
  #when: 'before' | 'after' = 'before'

  constructor(store: EventStore) {
    this.store = new Proxy(store, {
      get: (target, key) => {
        const value = Reflect.get(target, key, target) as unknown
        if (typeof value !== 'function') return value
        if (key === 'appendAll') return (...args: Parameters<EventStore['appendAll']>) => this.#append(target, args)
        if (key === 'subscribe') return (...args: Parameters<EventStore['subscribe']>) => this.#subscribe(target, args)
        return (...args: unknown[]) => (this.isDead ? Promise.reject(killed()) : value.apply(target, args))
      },
    })
  }

  kill(): void {
    this.isDead = true
  }

  /** Dies at the n-th append from now on, before or after it is written. */
  dieAt(n: number, when: 'before' | 'after'): void {
    this.#left = n
    this.#when = when
  }

  async #append(store: EventStore, args: Parameters<EventStore['appendAll']>) {
    const isLast = --this.#left <= 0
    if (isLast && this.#when === 'before') this.kill()
    if (this.isDead) throw killed()
    const result = await store.appendAll(...args)
    if (isLast) this.kill()
    if (this.isDead) throw killed()
    return result
  }

  #subscribe(store: EventStore, [options, handler]: Parameters<EventStore['subscribe']>) {
    const deliver = (events: StoredEvent[]) => {
      if (!this.isDead) handler(events)
    }
    return store.subscribe(options, deliver)
  }
}

const killed = () => new Error('killed')

/** A store that dies at the n-th append, before or after it is written. */
export function storeKilledAt(store: EventStore, at: number, when: 'before' | 'after'): EventStore {
  const killable = new KillableStore(store)
  killable.dieAt(at, when)
  return killable.store
}
