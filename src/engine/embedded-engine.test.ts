import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from 'vitest'
import { approvalsProjection } from '../approvals/index.js'
import { SimulatedClock } from '../clock/index.js'
import { validateEvent } from '../events/index.js'
import { openTestStore } from '../store/testing/open-test-store.js'
import { EmbeddedEngine } from './embedded-engine.js'
import { runsProjection } from './runs-projection.js'
import { describeRunEngine } from './testing/conformance.js'

describe('the embedded engine', () => {
  describeRunEngine(async () => {
    const directory = mkdtempSync(join(tmpdir(), 'signalbox-engine-'))
    const clock = new SimulatedClock(1_000_000)
    const projections = [runsProjection, approvalsProjection] as never
    const store = await openTestStore({
      path: join(directory, 'store.db'),
      clock,
      projections,
      validate: validateEvent,
    })
    const engine = new EmbeddedEngine({
      store,
      clock,
      owner: 'test',
      isGone: () => true,
      hasRoom: () => true,
      isWanted: () => true,
      onError: () => undefined,
    })
    return {
      store,
      clock,
      engine,
      close: async () => {
        await store.close()
        rmSync(directory, { recursive: true })
      },
    }
  })
})
