import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { SimulatedClock } from '../clock/index.js'
import { LoopMonitor } from './loop-monitor.js'

const clock = new SimulatedClock(0)
const monitor = new LoopMonitor(clock)

afterEach(() => monitor.stop())

describe('the loop monitor', () => {
  test('finds the longest block of the event loop and the session that was read at that time', async () => {
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

  test('measures slices while no session works, and the event loop again afterwards', async () => {
    const idleMonitor = new LoopMonitor(clock)
    idleMonitor.start()
    // Nothing works: the first read switches the kernel's timer off.
    clock.advance(10_000)
    clock.advance(6 * 60_000)
    idleMonitor.worked('ses_short', 3)
    idleMonitor.worked('ses_long', 31.4)
    expect(idleMonitor.view.recent).toEqual({ ms: 31, at: clock.now(), session: { id: 'ses_long', ms: 31 } })
    idleMonitor.worked('ses_busy', 90)
    await until(() => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150)
      return idleMonitor.view.recent!.ms >= 100
    })
    expect(idleMonitor.view.recent!.session).toEqual({ id: 'ses_busy', ms: 90 })
    idleMonitor.stop()
  })
})

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await nextTurn()
}
