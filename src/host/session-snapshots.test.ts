import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { SimulatedClock } from '../clock/index.js'
import { SessionFixture } from '../sessions/testing/session-fixture.js'
import { SessionSnapshots } from './session-snapshots.js'

const EVERY_MS = 30_000

let directory: string
let stages: SessionFixture[]
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-snapshots-'))
  stages = []
  for (const id of ['ses_a', 'ses_b', 'ses_c']) {
    const fixture = await SessionFixture.open({ record: { id } })
    await fixture.print(`${'x'.repeat(70)}\r\n`.repeat(1_000), 50)
    stages.push(fixture)
  }
})
afterEach(async () => {
  for (const fixture of stages) await fixture.close()
  rmSync(directory, { recursive: true, force: true })
})

it('sessions are saved one at a time with a pause in between, and not after they have ended', () => {
  const clock = new SimulatedClock()
  let live = stages.map(({ session }) => session)
  const onError = (error: unknown) => {
    throw error
  }
  const snapshots = new SessionSnapshots(directory, clock, () => live, onError, EVERY_MS)
  const saved = () => readdirSync(directory).sort()
  clock.advance(EVERY_MS)
  expect(saved()).toEqual(['ses_a.json'])
  live = live.filter(({ id }) => id !== 'ses_b')
  clock.advance(1_000)
  expect(saved()).toEqual(['ses_a.json', 'ses_c.json'])
  expect(snapshots.load('ses_c')?.offset).toBe(72_000)
  expect(clock.pending).toBe(1)
  snapshots.stop()
  expect(clock.pending).toBe(0)
})
