import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { LEDGER_STREAMS, ledgerProjections } from '../../src/approvals/index.js'
import { SimulatedClock } from '../../src/clock/index.js'
import { runsProjection } from '../../src/engine/index.js'
import { validateEvent } from '../../src/events/index.js'
import { openStore } from '../../src/store/index.js'
import { playSeed } from './seed.js'
import { seedIds } from './seeded-ids.js'
import { World } from './world.js'

/*
 * SIGNALBOX_SEEDS=10000 plays more seeds (`npm run prove`), SIGNALBOX_SEED=17 only one. With
 * SIGNALBOX_SEEDS_FROM=5001 they start there: the whole can be played in pieces.
 */
const SEEDS = Number(process.env.SIGNALBOX_SEEDS ?? 100)
const FROM = Number(process.env.SIGNALBOX_SEEDS_FROM ?? 1)
const ONLY = process.env.SIGNALBOX_SEED
const REPEATED = [7, 391, 894]
/** Files in memory: the seeds are about scheduling, the crash sweep is about the disk. */
const DIRECTORY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

it(`runs and decisions hold their invariants in ${ONLY ? `seed ${ONLY}` : `${SEEDS} seeds`} of delays, crashes, pauses and wrong clocks`, {
  timeout: 6 * 3_600_000,
}, async () => {
  const seeds = ONLY ? [Number(ONLY)] : Array.from({ length: SEEDS }, (_, n) => FROM + n)
  const violations: string[] = []
  while (seeds.length > 0) {
    const piece = seeds.splice(0, 250)
    for (const violation of await playSeeds(piece)) {
      // Printed at once: the whole takes long.
      console.log(violation)
      violations.push(violation)
    }
    if (SEEDS >= 1_000) console.log(`seeds to ${piece.at(-1)}: ${violations.length} violations`)
  }
  expect(violations).toEqual([])
})

it('a seed repeats exactly', async () => {
  for (const seed of REPEATED) {
    const told: string[][] = []
    for (let time = 0; time < 3; time++) await playSeeds([seed], log => told.push(log))
    expect(told[0]!.length).toBeGreaterThan(10)
    expect(told[1]).toEqual(told[0])
    expect(told[2]).toEqual(told[0])
  }
})

async function playSeeds(
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
