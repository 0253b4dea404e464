import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SimulatedClock, systemClock } from '../../src/clock/index.js'
import { SignalboxError } from '../../src/errors/index.js'
import { openStore, quarantine, type StoredEvent } from '../../src/store/index.js'
import { loadDriver } from '../../src/store/sqlite/driver.js'
import { tally } from './tally.js'

const EVENTS = 600
const PAGE = 4096

let directory: string
let goodFile: Buffer
let goodEvents: StoredEvent[]
let count = 0

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-damage-'))
  const path = join(directory, 'good.db')
  const store = await openStore({ path, clock: systemClock, projections: [tally] })
  for (let n = 0; n < EVENTS; n += 1) {
    const data = { n, text: `${n} `.repeat(50 + (n % 7) * 40) }
    await store.append(`s/${n % 5}`, 'any', [{ type: 'test.counted', data }], { durability: 'normal' })
  }
  goodEvents = await store.readAll({ after: 0, limit: EVENTS })
  await store.close()
  goodFile = await wholeFile(path)
})

afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** The database file with an empty journal, as after the end of the last process that used it. */
async function wholeFile(path: string): Promise<Buffer> {
  const driver = await loadDriver()
  const database = new driver(path)
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
  return readFileSync(path)
}

function write(bytes: Buffer): string {
  const path = join(directory, `damaged-${++count}.db`)
  writeFileSync(path, bytes)
  return path
}

function flip(offset: number, bit = 0): Buffer {
  const bytes = Buffer.from(goodFile)
  bytes[offset]! ^= 1 << bit
  return bytes
}

function isTrue(event: StoredEvent): boolean {
  return JSON.stringify(event) === JSON.stringify(goodEvents[event.position - 1])
}

/**
 * Uses a damaged store as a program would. Every event that it returns must be unchanged, and
 * missing events must be reported.
 */
async function examine(path: string): Promise<'whole' | 'damaged'> {
  const store = await openStore({ path, clock: systemClock, projections: [tally] }).catch((error: unknown) => error)
  if (store instanceof SignalboxError) {
    expect(store).toMatchObject({ code: 'E_STORE_CORRUPT', next: expect.stringContaining('doctor --fix') })
    return 'damaged'
  }
  if (store instanceof Error) throw store
  const opened = store as Awaited<ReturnType<typeof openStore>>
  const problems = await opened.check()
  const events = await opened.readAll({ after: 0, limit: 10_000 }).catch((error: unknown) => {
    expect(error).toMatchObject({ code: 'E_STORE_CORRUPT' })
    return null
  })
  await opened.close()
  if (events) expect(events.filter(event => !isTrue(event))).toEqual([])
  if (events?.length !== EVENTS) expect(problems).not.toEqual([])
  return problems.length > 0 ? 'damaged' : 'whole'
}

/**
 * Quarantines it and reads the salvaged store: only unchanged events, no problems, and it accepts
 * appends.
 */
async function fix(path: string): Promise<number> {
  const damaged = readFileSync(path)
  const { movedTo, salvaged } = await quarantine(path, { clock: new SimulatedClock(1_700_000_000_000) })
  expect(movedTo).toMatch(/\.db\.quarantine-20231114T221320000Z$/)
  expect(readFileSync(movedTo).length).toBe(damaged.length)
  expect(existsSync(path)).toBe(salvaged !== null)
  const store = await openStore({ path, clock: systemClock, projections: [tally] })
  const events = await store.readAll({ after: 0, limit: 10_000 })
  expect(events).toHaveLength(salvaged?.events ?? 0)
  expect(events.filter(event => !isTrue(event))).toEqual([])
  expect(await store.check()).toEqual([])
  await store.append('s/0', 'any', [{ type: 'test.counted', data: {} }])
  await store.close()
  return events.length
}

describe('a flipped bit in the file of a store', () => {
  // The offsets hit every kind of place: header, schema, inner pages, rows, index, free space.
  const offsets = Array.from({ length: 24 }, (_, index) => (index * 15_331 + 977 * index) % (EVENTS * 700))

  it('is never returned as data, and most of the other events are salvaged', async () => {
    let damagedFiles = 0
    for (const [index, offset] of offsets.entries()) {
      const path = write(flip(offset % goodFile.length, index % 8))
      if ((await examine(path)) === 'whole') continue
      damagedFiles += 1
      expect(await fix(path), `offset ${offset}`).toBeGreaterThan(EVENTS * 0.9)
    }
    expect(damagedFiles).toBeGreaterThan(offsets.length / 4)
  })

  it.each([
    ['in the magic number', 3],
    ['in the page size', 16],
    ['in the format version', 19],
    ['in the text encoding', 59],
    ['in the application id', 70],
    ['in the schema', 104],
    ['in the text of the schema', 3_900],
  ])('%s loses no event', async (_where, offset) => {
    const path = write(flip(offset))
    if ((await examine(path)) === 'damaged') expect(await fix(path)).toBe(EVENTS)
  })
})

describe('lost pages of a store', () => {
  it('an overwritten page loses its own events and no others', async () => {
    const last = goodFile.length / PAGE
    for (const page of [1, Math.floor(last / 3), Math.floor(last / 2), last - 2]) {
      const bytes = Buffer.from(goodFile)
      bytes.fill(0xa5, page * PAGE, (page + 1) * PAGE)
      const path = write(bytes)
      expect(await examine(path)).toBe('damaged')
      expect(await fix(path)).toBeGreaterThan(EVENTS * 0.9)
    }
  })

  it('an overwritten first page loses no event', async () => {
    const bytes = Buffer.from(goodFile)
    bytes.fill(0, 0, PAGE)
    const path = write(bytes)
    expect(await examine(path)).toBe('damaged')
    expect(await fix(path)).toBe(EVENTS)
  })

  it.each([0.95, 0.7, 0.5, 0.25])('a file cut to %d of its size keeps the events in the rest', async part => {
    for (const size of [Math.floor(goodFile.length * part), Math.floor((goodFile.length * part) / PAGE) * PAGE]) {
      const path = write(goodFile.subarray(0, size))
      expect(await examine(path)).toBe('damaged')
      expect(await fix(path)).toBeGreaterThan(EVENTS * part * 0.8)
    }
  })

  it.each([1, 99, 4_000])('the first %d bytes of a store are not opened as a new store', async size => {
    const path = write(goodFile.subarray(0, size))
    expect(await examine(path)).toBe('damaged')
    expect(await fix(path)).toBe(0)
  })
})

describe('the quarantine of a damaged store', () => {
  it('moves the journal with the store and reads its events', async () => {
    const path = join(directory, 'journal.db')
    writeFileSync(path, goodFile)
    const store = await openStore({ path, clock: systemClock })
    await store.append('late', 0, [{ type: 'test.late', data: {} }])
    const copy = join(directory, 'journal-copy.db')
    for (const suffix of ['', '-wal']) copyFileSync(path + suffix, copy + suffix)
    await store.close()
    const { salvaged } = await quarantine(copy, { clock: systemClock })
    expect(salvaged).toEqual({ events: EVENTS + 1, damaged: 0, brokenStreams: 0 })
  })

  it('gives the new store another id', async () => {
    const path = write(goodFile)
    const before = await openStore({ path, clock: systemClock })
    await before.close()
    await quarantine(path, { clock: systemClock })
    const after = await openStore({ path, clock: systemClock })
    expect(after.id).not.toBe(before.id)
    await after.close()
  })

  it('is refused while the store is open', async () => {
    const path = write(goodFile)
    const store = await openStore({ path, clock: systemClock })
    await store.head()
    await expect(quarantine(path, { clock: systemClock })).rejects.toMatchObject({ code: 'E_STORE_BUSY' })
    expect(await store.append('s/0', 'any', [{ type: 'test.x', data: {} }])).toMatchObject({ stream: 's/0' })
    await store.close()
  })

  it('is refused when there is nothing to move', async () => {
    await expect(quarantine(join(directory, 'none.db'), { clock: systemClock })).rejects.toMatchObject({
      code: 'E_UNKNOWN',
    })
  })

  it('overwrites no earlier quarantine and leaves no other files behind', async () => {
    const path = write(Buffer.from('not a database'))
    const clock = new SimulatedClock(0)
    const first = await quarantine(path, { clock })
    writeFileSync(path, 'not a database either')
    const second = await quarantine(path, { clock })
    expect(second.movedTo).not.toBe(first.movedTo)
    expect(readdirSync(directory).filter(file => file.includes('.new-'))).toEqual([])
  })
})
