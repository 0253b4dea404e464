import { createHash } from 'node:crypto'
import type { EventStore, Subscription } from '../event-store.js'
import { openStore } from '../index.js'
import type { OpenSqliteOptions } from '../sqlite/open.js'
import { newTestDatabase } from './postgres-server.js'

/**
 * A store for tests of other rooms: the file at `path`, or with SIGNALBOX_TEST_STORE=postgres a
 * schema of its own in the database of the test run (`npm run test:postgres`). Opening the same
 * path again opens the same store.
 */
export async function openTestStore(options: OpenSqliteOptions): Promise<EventStore> {
  if (process.env.SIGNALBOX_TEST_STORE !== 'postgres') return openStore(options)
  const { path, ...rest } = options
  const schema = `test_${createHash('sha256').update(path).digest('hex').slice(0, 16)}`
  const { url, password } = await newTestDatabase(schema)
  const store = await openStore({ url, password, now: () => options.clock.now(), ...rest })
  return counted(store)
}

let underWay = 0

/**
 * Resolves when the code under test waits for something other than the store: no call of a test
 * store was under way for some rounds of the event loop.
 */
export async function storeSettled(turns = 20): Promise<void> {
  for (let quiet = 0; quiet < turns; ) {
    await new Promise(resolve => setImmediate(resolve))
    quiet = underWay > 0 ? 0 : quiet + 1
  }
}

/** Counts the calls that are under way, and the deliveries that follow from appends. */
function counted(store: EventStore): EventStore {
  const subscriptions = new Set<Subscription>()
  const track = async <T>(call: Promise<T>): Promise<T> => {
    underWay += 1
    try {
      return await call
    } finally {
      underWay -= 1
    }
  }
  return new Proxy(store, {
    get(target, name: keyof EventStore) {
      const member = target[name] as unknown
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => {
        const result: unknown = member.apply(target, args)
        if (name === 'subscribe') subscriptions.add(result as Subscription)
        if (!(result instanceof Promise)) return result
        if (name === 'append' || name === 'appendAll')
          void track(result.then(() => Promise.all([...subscriptions].map(each => each.poll()))).catch(() => undefined))
        return track(result)
      }
    },
  })
}
