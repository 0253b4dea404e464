import { expect, test } from 'vitest'
import { SimulatedClock } from '../../clock/index.js'
import { SessionNotices } from './session-notices.js'
import { DEFAULT_TIMES } from './session-options.js'

test('a stopped session sets no timer, which would keep the process alive', () => {
  const clock = new SimulatedClock(1_000)
  const notices = new SessionNotices({
    session: { number: 1, agent: 'demo', startedAt: clock.now() },
    clock,
    times: DEFAULT_TIMES,
    lastRows: () => [],
    unattendedMs: () => 0,
    notify: () => undefined,
    onSilence: () => undefined,
    onAbandoned: () => undefined,
  })
  notices.start({ isReady: false })
  expect(clock.pending).toBe(1)
  notices.stop()
  notices.atWork(true)
  notices.start({ isReady: false })
  notices.needsSignIn({ view: 'auth_required', payload: {} } as never)
  notices.endUnlessAttended(() => true)
  expect(clock.pending).toBe(0)
})
