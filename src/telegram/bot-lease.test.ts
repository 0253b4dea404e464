import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SimulatedClock } from '../clock/index.js'
import type { EventStore } from '../store/index.js'
import { openTestStore } from '../store/testing/open-test-store.js'
import { BotLease } from './bot-lease.js'

let directory: string
let clock: SimulatedClock
let store: EventStore
let isAway: boolean
const lost: string[] = []

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-bot-lease-'))
  clock = new SimulatedClock(1_000_000)
  isAway = false
  lost.length = 0
  const opened = await openTestStore({ path: join(directory, 'store.db'), clock })
  store = new Proxy(opened, {
    get(target, name: keyof EventStore) {
      const member = target[name] as unknown
      if (name === 'renewLease' && isAway) return () => Promise.reject(new Error('the store does not answer'))
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
})
afterEach(async () => {
  await store.close()
  rmSync(directory, { recursive: true })
})

const leaseOf = (owner: string) =>
  new BotLease({ store, clock, owner, onLost: () => void lost.push(owner), onError: () => undefined })
/** Lets time pass in the steps in which leases are renewed. */
const pass = async (seconds: number) => {
  for (let n = 0; n < seconds; n++) {
    clock.advance(1_000)
    await store.head()
  }
}

test('one of two servers runs the bot, and the other one after the first has ended', async () => {
  const [first, second] = [leaseOf('one'), leaseOf('two')]
  await first.acquire()
  await expect(second.acquire()).rejects.toMatchObject({ code: 'E_BUSY' })
  await pass(60)
  await expect(second.acquire()).rejects.toMatchObject({ code: 'E_BUSY' })
  await first.release()
  await second.acquire()
  expect(lost).toEqual([])
  await second.release()
})

test('a server that once could not renew its lease keeps it', async () => {
  const [first, second] = [leaseOf('one'), leaseOf('two')]
  await first.acquire()
  isAway = true
  await pass(12)
  isAway = false
  await pass(60)
  await expect(second.acquire()).rejects.toMatchObject({ code: 'E_BUSY' })
  expect(lost).toEqual([])
  await first.release()
})

test('a server that was away for longer finds that another one runs the bot', async () => {
  const [first, second] = [leaseOf('one'), leaseOf('two')]
  await first.acquire()
  isAway = true
  await pass(40)
  isAway = false
  await second.acquire()
  await pass(15)
  expect(lost).toEqual(['one'])
  await second.release()
})
