import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SimulatedClock } from '../clock/index.js'
import { validateEvent } from '../events/index.js'
import type { EventStore } from '../store/index.js'
import { openTestStore } from '../store/testing/open-test-store.js'
import { Servers } from './servers.js'
import { serversProjection } from './servers-projection.js'

let directory: string
let clock: SimulatedClock
let store: EventStore
/** The servers whose connection to the store is open; null: the store cannot tell. */
let connected: Set<string> | null
const open: Servers[] = []

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-servers-'))
  clock = new SimulatedClock(1_000_000)
  const projections = [serversProjection] as never
  const opened = await openTestStore({ path: join(directory, 'store.db'), clock, projections, validate: validateEvent })
  store = new Proxy(opened, {
    get(target, name: keyof EventStore) {
      if (name === 'connectedAmong') return async () => connected
      const member = target[name] as unknown
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
})
afterEach(async () => {
  for (const servers of open.splice(0)) await servers.close()
  await store.close()
  rmSync(directory, { recursive: true })
})

async function joined(id: string): Promise<Servers> {
  const servers = new Servers({ store, clock, id, engine: 'store', version: '1', onError: () => undefined })
  await servers.join()
  open.push(servers)
  return servers
}

async function pair(): Promise<[Servers, Servers]> {
  connected = null
  const [a, b] = [await joined('home_a'), await joined('home_b')]
  connected = new Set([a.owner, b.owner])
  await a.refresh()
  return [a, b]
}

test('a server whose connection has ended counts as gone although its lease is valid', async () => {
  const [a, b] = await pair()
  connected!.delete(b.owner)
  await a.refresh()
  expect(a.isGone(b.owner)).toBe(false)
  let changes = 0
  a.onChange(() => changes++)
  await expect
    .poll(() => {
      clock.advance(100)
      return a.isGone(b.owner)
    })
    .toBe(true)
  expect(clock.now() - 1_000_000).toBeLessThan(2_500)
  expect([changes, a.live.map(({ id }) => id)]).toEqual([1, ['home_a']])
})

test('a server that reconnects in time stays, and so does one whose connection was never seen', async () => {
  const [a, b] = await pair()
  connected!.delete(b.owner)
  await a.refresh()
  connected!.add(b.owner)
  await a.refresh()
  clock.advance(400)
  connected!.delete(b.owner)
  await a.refresh()
  expect(a.isGone(b.owner)).toBe(false)
  const starting = await joined('home_c')
  for (let n = 0; n < 3; n++, clock.advance(400)) await a.refresh()
  expect([a.isGone(b.owner), a.isGone(starting.owner)]).toEqual([true, false])
})

test('a missing connection has no effect while the store cannot detect connections', async () => {
  const [a, b] = await pair()
  connected!.delete(b.owner)
  await a.refresh()
  connected = null
  for (let n = 0; n < 3; n++, clock.advance(400)) await a.refresh()
  expect(a.isGone(b.owner)).toBe(false)
})
