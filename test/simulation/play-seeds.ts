import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LEDGER_STREAMS, ledgerProjections } from '../../src/approvals/index.js'
import { SimulatedClock } from '../../src/clock/index.js'
import { runsProjection } from '../../src/engine/index.js'
import { validateEvent } from '../../src/events/index.js'
import { openStore } from '../../src/store/index.js'
import { playSeed } from './seed.js'
import { seedIds } from './seeded-ids.js'
import { World } from './world.js'

/** Files in memory: the seeds are about scheduling, the crash sweep is about the disk. */
const DIRECTORY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** Plays seeds one after the other. @returns the violated invariants, each with its seed. */
export async function playSeeds(
  seeds: readonly number[],
  listen: (log: string[]) => void = () => undefined,
): Promise<string[]> {
  const directory = mkdtempSync(join(DIRECTORY, 'signalbox-seeds-'))
  const found: string[] = []
  try {
    for (const seed of seeds) {
      const restoreIds = seedIds(seed)
      const clock = new SimulatedClock(1_000_000_000)
      const store = await openStore({
        path: join(directory, `${seed}.db`),
        clock,
        projections: [runsProjection, ...ledgerProjections] as never,
        chained: LEDGER_STREAMS,
        validate: validateEvent,
        onError: () => undefined,
      })
      const { problems, log } = await playSeed(new World(seed, store, clock))
      listen(log.map(({ stream, type, at, data }) => `${at} ${stream} ${type} ${JSON.stringify(data)}`))
      problems.push(...(await store.checkChain()).map(({ message }) => message))
      found.push(...problems.map(problem => `SIGNALBOX_SEED=${seed}: ${problem}`))
      await store.close()
      restoreIds()
    }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
  return found
}
