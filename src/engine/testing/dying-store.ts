import type { EventStore } from '../../store/index.js'

/** A store that fails at the n-th append, before or after it is written. */
export function dyingStore(store: EventStore, at: number, when: 'before' | 'after'): EventStore {
  let left = at
  return new Proxy(store, {
    get(target, key) {
      const value = Reflect.get(target, key, target) as unknown
      if (key !== 'appendAll') return typeof value === 'function' ? value.bind(target) : value
      return async (...args: Parameters<EventStore['appendAll']>) => {
        left--
        if (left === 0 && when === 'before') throw new Error('killed')
        const result = await target.appendAll(...args)
        if (left === 0) throw new Error('killed')
        return result
      }
    },
  })
}
