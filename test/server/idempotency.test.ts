import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SimulatedClock } from '../../src/clock/index.js'
import { Idempotency } from '../../src/server/idempotency.js'
import { type EventStore, openStore } from '../../src/store/index.js'

let directory: string
let clock: SimulatedClock
let store: EventStore
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-once-'))
  clock = new SimulatedClock(1_000_000)
  store = await openStore({ path: join(directory, 'store.db'), clock })
})
afterEach(async () => {
  await store.close()
  rmSync(directory, { recursive: true, force: true })
})

const body = (text: string) => new TextEncoder().encode(text)
let done = 0
const write = async () => Response.json({ done: ++done }, { status: 201 })

describe('a request with an Idempotency-Key', () => {
  test('is performed once, also across a restart of the server; after a day the key is new again', async () => {
    const first = await (await new Idempotency(store, clock).performOnce('k', body('a'), write)).json()
    const again = await new Idempotency(store, clock).performOnce('k', body('a'), write)
    expect([again.status, await again.json()]).toEqual([201, first])
    await expect(new Idempotency(store, clock).performOnce('k', body('b'), write)).rejects.toMatchObject({
      code: 'E_IDEMPOTENCY',
    })
    clock.advance(24 * 3_600_000 + 1)
    expect(await (await new Idempotency(store, clock).performOnce('k', body('a'), write)).json()).not.toEqual(first)
  })

  test('is performed once when it is sent twice at the same time', async () => {
    const once = new Idempotency(store, clock)
    let go: () => void = () => undefined
    const gate = new Promise<void>(resolve => {
      go = resolve
    })
    let calls = 0
    const slow = async () => {
      calls++
      await gate
      return Response.json({ calls })
    }
    const both = [once.performOnce('k', body('a'), slow), once.performOnce('k', body('a'), slow)]
    go()
    const told = await Promise.all(both.map(async one => (await one).json()))
    expect([calls, told]).toEqual([1, [{ calls: 1 }, { calls: 1 }]])
  })

  test('may be sent again with the same key if it failed', async () => {
    const once = new Idempotency(store, clock)
    const refuse = async () => Response.json({ error: {} }, { status: 409 })
    expect((await once.performOnce('k', body('a'), refuse)).status).toBe(409)
    await expect(once.performOnce('k', body('a'), () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect((await once.performOnce('k', body('a'), write)).status).toBe(201)
  })

  test('is not performed again if the server died during it', async () => {
    let started: () => void = () => undefined
    const untilStarted = new Promise<void>(resolve => {
      started = resolve
    })
    void new Idempotency(store, clock).performOnce('k', body('a'), () => {
      started()
      return new Promise(() => undefined)
    })
    await untilStarted
    const before = done
    await expect(new Idempotency(store, clock).performOnce('k', body('a'), write)).rejects.toMatchObject({
      code: 'E_IDEMPOTENCY',
      message: expect.stringContaining('its outcome is unknown'),
    })
    expect(done).toBe(before)
  })

  test('takes a bounded amount of space for any number of keys', async () => {
    const once = new Idempotency(store, clock)
    const places = new Set<string>()
    const saved = store.replaceSnapshot.bind(store)
    store.replaceSnapshot = (key, expected, snapshot) => {
      places.add(key)
      expect((snapshot.state as unknown[]).length).toBeLessThanOrEqual(4)
      return saved(key, expected, snapshot)
    }
    for (let n = 0; n < 300; n++) await once.performOnce(`k${n}`, body('a'), write)
    expect(places.size).toBeLessThanOrEqual(2_048)
    expect(places.size).toBeGreaterThan(200)
  })
})
