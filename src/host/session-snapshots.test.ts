import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
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

function snapshotsOf(clock: SimulatedClock): SessionSnapshots {
  const sessions = stages.map(({ session }) => session)
  return new SessionSnapshots(directory, clock, () => sessions, raise, EVERY_MS)
}

function raise(error: unknown): never {
  throw error
}

it('a snapshot names its offset before it is read, unless another version wrote it', () => {
  const clock = new SimulatedClock()
  const snapshots = snapshotsOf(clock)
  expect(snapshots.offsetOf('ses_a')).toBe(0)
  clock.advance(EVERY_MS + 1_000)
  expect(snapshots.offsetOf('ses_a')).toBe(72_000)
  const file = join(directory, 'ses_a.json')
  writeFileSync(file, readFileSync(file, 'utf8').replace(/"format":\d+/, '"format":1'))
  expect(snapshots.offsetOf('ses_a')).toBe(0)
  expect(snapshots.load('ses_a')).toBeNull()
  snapshots.stop()
})

it('a session that prints megabytes is saved before other sessions are due', async () => {
  const clock = new SimulatedClock()
  const snapshots = snapshotsOf(clock)
  await stages[1]!.print(`${'x'.repeat(70)}\r\n`.repeat(60_000), 50)
  clock.advance(1_000)
  expect(readdirSync(directory)).toEqual(['ses_b.json'])
  snapshots.stop()
})

it('a session that draws many small frames is saved like one that prints a lot', async () => {
  const [drawing] = stages
  await drawing!.print('.')
  const before = { offset: drawing!.session.offset, seq: drawing!.session.frame!.seq }
  const clock = new SimulatedClock()
  const snapshots = snapshotsOf(clock)
  clock.advance(EVERY_MS + 1_000)
  for (let frame = 0; frame < 120; frame++) await drawing!.print(`\r${frame}`, 60 + frame)
  expect(drawing!.session.offset - before.offset).toBeLessThan(1_000)
  expect(drawing!.session.frame!.seq - before.seq).toBeGreaterThanOrEqual(100)
  clock.advance(EVERY_MS + 1_000)
  expect(snapshots.offsetOf('ses_a')).toBe(drawing!.session.offset)
  snapshots.stop()
})

it('a closing host saves every session that has printed since its last snapshot', async () => {
  const clock = new SimulatedClock()
  const snapshots = snapshotsOf(clock)
  await stages[1]!.print('one more line\r\n', 51)
  await snapshots.saveAll()
  expect(snapshots.offsetOf('ses_b')).toBe(72_015)
  expect(readdirSync(directory).sort()).toEqual(['ses_a.json', 'ses_b.json', 'ses_c.json'])
  const before = statSync(join(directory, 'ses_a.json')).ino
  await snapshots.saveAll()
  expect(statSync(join(directory, 'ses_a.json')).ino).toBe(before)
  snapshots.stop()
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
