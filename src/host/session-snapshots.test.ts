import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { SimulatedClock } from '../clock/index.js'
import type { SessionSnapshot } from '../sessions/index.js'
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
  const file = join(directory, 'ses_a.snapshot')
  writeFileSync(file, readFileSync(file, 'latin1').replace(/"format":\d+/, '"format":1'), 'latin1')
  expect(snapshots.offsetOf('ses_a')).toBe(0)
  expect(snapshots.load('ses_a')).toBeNull()
  snapshots.stop()
})

it('a session that prints megabytes is saved before other sessions are due', async () => {
  const clock = new SimulatedClock()
  const snapshots = snapshotsOf(clock)
  await stages[1]!.print(`${'x'.repeat(70)}\r\n`.repeat(60_000), 50)
  clock.advance(1_000)
  expect(readdirSync(directory)).toEqual(['ses_b.snapshot'])
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

it('a session with a large state is saved after more frames, but not after too many', async () => {
  const [drawing] = stages
  // Rows that do not compress: 2 000 of them are more than 50 bytes for each of 1 000 frames.
  const noise = Array.from({ length: 40_000 }, (_, index) => ((index * 2_654_435_761) % 4_294_967_296).toString(36))
  await drawing!.print(`${noise.join(' ')}\r\n`, 60)
  const clock = new SimulatedClock()
  const snapshots = snapshotsOf(clock)
  clock.advance(EVERY_MS + 1_000)
  const first = snapshots.offsetOf('ses_a')
  expect(statSync(join(directory, 'ses_a.snapshot')).size).toBeGreaterThan(50_000)
  const draw = async (from: number, to: number) => {
    for (let frame = from; frame < to; frame++) await drawing!.print(`\r${frame}`, 70 + frame)
    clock.advance(EVERY_MS + 1_000)
    return snapshots.offsetOf('ses_a')
  }
  expect(await draw(0, 900)).toBe(first)
  expect(await draw(900, 1_100)).toBe(drawing!.session.offset)
  snapshots.stop()
})

it('a snapshot is loaded as it was saved', async () => {
  const snapshots = snapshotsOf(new SimulatedClock())
  const saved = await new Promise<SessionSnapshot>((resolve, reject) => stages[0]!.session.snapshot(resolve, reject))
  await snapshots.saveAll()
  expect(snapshots.load('ses_a')).toEqual(saved)
  snapshots.stop()
})

it('a closing host saves every session that has printed since its last snapshot', async () => {
  const clock = new SimulatedClock()
  const snapshots = snapshotsOf(clock)
  await stages[1]!.print('one more line\r\n', 51)
  await snapshots.saveAll()
  expect(snapshots.offsetOf('ses_b')).toBe(72_015)
  expect(readdirSync(directory).sort()).toEqual(['ses_a.snapshot', 'ses_b.snapshot', 'ses_c.snapshot'])
  const before = statSync(join(directory, 'ses_a.snapshot')).ino
  await snapshots.saveAll()
  expect(statSync(join(directory, 'ses_a.snapshot')).ino).toBe(before)
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
  expect(saved()).toEqual(['ses_a.snapshot'])
  live = live.filter(({ id }) => id !== 'ses_b')
  clock.advance(1_000)
  expect(saved()).toEqual(['ses_a.snapshot', 'ses_c.snapshot'])
  expect(snapshots.load('ses_c')?.offset).toBe(72_000)
  expect(clock.pending).toBe(1)
  snapshots.stop()
  expect(clock.pending).toBe(0)
})
