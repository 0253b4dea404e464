import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { SimulatedClock } from '../clock/index.js'
import { LoopMonitor } from './loop-monitor.js'

const clock = new SimulatedClock(0)
const monitor = new LoopMonitor(clock)

afterEach(() => monitor.stop())

describe('the loop monitor', () => {
  test('finds the longest block of the event loop and the session that worked meanwhile', async () => {
    monitor.start()
    await until(() => monitor.view.longest !== null)
    monitor.worked('ses_short', 3)
    monitor.worked('ses_long', 150)
    monitor.worked('ses_other', 20)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150)
    await until(() => monitor.view.longest!.ms >= 100)
    const { longest, recent } = monitor.view
    expect(longest!.session).toEqual({ id: 'ses_long', ms: 150 })
    expect(recent).toEqual(longest)
    // After five minutes it is the longest of all and no longer recent.
    clock.advance(10_000)
    monitor.stop()
    clock.advance(6 * 60_000)
    expect(monitor.view).toEqual({ longest: { ...longest, at: 10_000 }, recent: null })
  })
})

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await nextTurn()
}
