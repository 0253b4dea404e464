import { expect, it } from 'vitest'
import { playSeeds } from './play-seeds.js'

/*
 * A sample: `npm run prove` plays 10 000 seeds. SIGNALBOX_SEED=17 plays only that one.
 */
const SEEDS = 100
const ONLY = process.env.SIGNALBOX_SEED
const REPEATED = [7, 391, 894]

it(`runs and decisions hold their invariants in ${ONLY ? `seed ${ONLY}` : `${SEEDS} seeds`} of delays, crashes and wrong clocks`, async () => {
  const seeds = ONLY ? [Number(ONLY)] : Array.from({ length: SEEDS }, (_, n) => 1 + n)
  expect(await playSeeds(seeds)).toEqual([])
})

it('a seed repeats a simulation exactly', async () => {
  for (const seed of REPEATED) {
    const told: string[][] = []
    for (let time = 0; time < 3; time++) await playSeeds([seed], log => told.push(log))
    expect(told[0]!.length).toBeGreaterThan(10)
    expect(told[1]).toEqual(told[0])
    expect(told[2]).toEqual(told[0])
  }
})
