import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeNeeding } from '../support/requirements.js'
import { type ProgramKind, programTrial } from './program-sweep.js'
import { compileShim } from './sweep.js'

/*
 * `npm run prove` kills before every event of every kind; `npm test` in the middle of one of them.
 * SIGNALBOX_PROVE_KIND=session chooses one kind, SIGNALBOX_PROVE_EVERY=3 every third event.
 */
const isWhole = process.env.SIGNALBOX_PROVE === 'whole'
const ONLY = process.env.SIGNALBOX_PROVE_KIND
const EVERY = Number(process.env.SIGNALBOX_PROVE_EVERY ?? 1)
const KINDS = (['session', 'oneshot', 'graph', 'pipeline'] as ProgramKind[]).filter(kind => !ONLY || kind === ONLY)
/** A kill in the middle of the run of a graph: the cheapest kind that has steps, a gate and events. */
const SAMPLE = 5

describeNeeding('cc', 'the program, killed before an event becomes durable', () => {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-shim-'))
  const shim = join(directory, 'shim.so')
  beforeAll(() => compileShim(shim))
  afterAll(() => rmSync(directory, { recursive: true, force: true }))

  if (isWhole)
    it.each(KINDS)('loses nothing, does nothing twice, allows nothing: %s', { timeout: 4 * 3_600_000 }, async kind => {
      const points = await programTrial(kind, shim, 0)
      expect(points).toBeGreaterThan(5)
      const violations: string[] = []
      let trials = 0
      for (let at = 1; at <= points; at += EVERY, trials++)
        await programTrial(kind, shim, at).catch((error: Error) => {
          console.log(error.message)
          violations.push(error.message)
        })
      console.log(`${kind}: ${trials} kills at ${points} events, ${violations.length} violations`)
      expect(violations).toEqual([])
    })
  else
    it('continues a run: nothing acknowledged is lost, nothing is done twice', async () => {
      expect(await programTrial('graph', shim, SAMPLE)).toBe(SAMPLE)
    })
})
