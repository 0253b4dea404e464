import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeNeeding } from '../support/requirements.js'
import { programTrial } from './program-sweep.js'
import { compileShim } from './sweep.js'

/*
 * A sample: `npm run prove` kills before every event of every kind. A kill in the middle of the run
 * of a graph is the cheapest one that has steps, a gate and events.
 */
const SAMPLE = 5

describeNeeding('cc', 'the program, killed before an event becomes durable', () => {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-shim-'))
  const shim = join(directory, 'shim.so')
  beforeAll(() => compileShim(shim))
  afterAll(() => rmSync(directory, { recursive: true, force: true }))

  it('continues a run: nothing acknowledged is lost, and nothing is done twice', async () => {
    expect(await programTrial('graph', shim, { at: SAMPLE, isCalls: false, loss: 'none' })).toBe(SAMPLE)
  })
})
