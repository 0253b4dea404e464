import { describe, expect, it } from 'vitest'
import { SimulatedClock } from '../../clock/index.js'
import { runToEnd } from '../../clock/testing/run-to-end.js'
import { Connections } from './connections.js'
import { AWAY_LIMIT_MS } from './postgres-errors.js'
import { parseStoreUrl } from './store-url.js'

describe('calls to a database that does not answer', () => {
  const clock = new SimulatedClock()
  const connections = new Connections({
    target: parseStoreUrl('postgres://someone@127.0.0.1:1/nowhere'),
    password: undefined,
    clock,
  })
  const refused = () => connections.retrying(() => Promise.reject(new Error('connection refused')))

  it('give up together, however many of them wait', async () => {
    const calls = async () => {
      for (let call = 0; call < 40; call++) await expect(refused()).rejects.toMatchObject({ code: 'E_STORE_AWAY' })
    }
    await runToEnd(clock, calls(), { stepMs: 50 })
    expect(clock.monotonic()).toBeLessThan(2 * AWAY_LIMIT_MS)
  })

  it('wait again after the database has answered', async () => {
    await connections.retrying(() => Promise.resolve())
    const began = clock.monotonic()
    await runToEnd(clock, expect(refused()).rejects.toMatchObject({ code: 'E_STORE_AWAY' }), { stepMs: 50 })
    expect(clock.monotonic() - began).toBeGreaterThanOrEqual(AWAY_LIMIT_MS)
  })
})
