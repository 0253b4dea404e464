import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SimulatedClock } from '../../clock/index.js'
import { runsProjection } from '../../engine/index.js'
import { SignalboxError } from '../../errors/index.js'
import { newEvent } from '../../events/index.js'
import type { EventStore } from '../../store/index.js'
import { openTestStore } from '../../store/testing/open-test-store.js'
import { followWorktreeUpdates } from './worktree-updates.js'

let directory: string
let store: EventStore
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-updates-'))
  store = await openTestStore({
    path: join(directory, 'store.db'),
    clock: new SimulatedClock(1_000_000),
    projections: [runsProjection],
  })
})
afterEach(async () => {
  await store.close()
  rmSync(directory, { recursive: true })
})

test('a worktree is updated when the blob store is back, and until then nothing is reported', async () => {
  const clock = new SimulatedClock()
  const [tried, errors]: [string[], unknown[]] = [[], []]
  let isAway = true
  const stop = await followWorktreeUpdates({
    store,
    clock,
    updateWorktree: async run => {
      tried.push(run)
      if (isAway) throw new SignalboxError('E_BLOBS_AWAY', 'away')
    },
    onError: error => void errors.push(error),
  })
  await store.append('run/run_1', 0, [newEvent('run.completed', { reason: 'done' })])
  const afterRetries = (count: number) =>
    expect
      .poll(() => {
        clock.advance(10_000)
        return tried.length
      })
      .toBeGreaterThanOrEqual(count)
  await afterRetries(3)
  isAway = false
  await afterRetries(4)
  const updated = tried.length
  clock.advance(60_000)
  expect([tried.length, new Set(tried), errors]).toEqual([updated, new Set(['run_1']), []])
  stop()
})
