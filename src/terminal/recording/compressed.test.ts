import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  compressRecording,
  openRecording,
  readPart,
  readWholeRecording,
  recordingSize,
  storedRecording,
} from './index.js'

let directory: string
let path: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-compressed-'))
  path = join(directory, 'ses_a.cast')
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

/** A recording of about a megabyte, whose lines are cut by the borders of its members. */
function record(lines = 3_000): string {
  const header = JSON.stringify({ version: 2, width: 80, height: 24 })
  const events = Array.from({ length: lines }, (_, at) =>
    JSON.stringify([at / 10, 'o', `line ${at} ${'─é'.repeat(60)}`]),
  )
  const text = `${[header, ...events].join('\n')}\n`
  writeFileSync(path, text)
  return text
}

/** One text for all events: comparing thousands of objects takes seconds. */
const read = async (file: string) => JSON.stringify(await readWholeRecording(file))

test('a compressed recording has the same events in less space, and any gzip program can read it', async () => {
  const text = record()
  const before = await read(path)
  const compressed = await compressRecording(path)
  expect(compressed).toEqual({ from: Buffer.byteLength(text), to: statSync(`${path}.gz`).size })
  expect(compressed!.to).toBeLessThan(compressed!.from / 5)
  expect(readdirSync(directory)).toEqual(['ses_a.cast.gz'])
  expect(gunzipSync(readFileSync(`${path}.gz`)).toString()).toBe(text)
  expect(await read(path)).toBe(before)
  expect(storedRecording(path)).toBe(`${path}.gz`)
})

test('a position means the same in both forms, and earlier bytes are not decompressed', async () => {
  record()
  const positions = []
  for await (const { position } of (await openRecording(path)).events()) positions.push(position)
  const from = positions[2_000]!
  const part = await readPart(path, from.fileByte, 100)
  const size = await recordingSize(path)
  await compressRecording(path)
  expect(await readPart(path, from.fileByte, 100)).toEqual(part)
  expect(await recordingSize(path)).toBe(size)
  // The text of the first member is damaged; its header, with the lengths, is not.
  const bytes = readFileSync(`${path}.gz`)
  bytes.fill(0xff, 40, 80)
  writeFileSync(`${path}.gz`, bytes)
  const after = []
  for await (const { position } of (await openOther(path)).events(from)) after.push(position)
  expect(after).toEqual(positions.slice(2_001))
  await expect(readPart(path, 0, 100)).rejects.toMatchObject({ code: 'E_INPUT' })
})

/** Opens a recording whose first member is damaged, through the header of an intact one. */
async function openOther(damaged: string) {
  const bytes = readFileSync(`${damaged}.gz`)
  record()
  const recording = await openRecording(damaged)
  rmSync(damaged)
  writeFileSync(`${damaged}.gz`, bytes)
  return recording
}

test('reading continues while the recording is compressed', async () => {
  record()
  const whole = await read(path)
  const events = []
  for await (const { event } of (await openRecording(path)).events()) {
    if (events.length === 10) await compressRecording(path)
    events.push(event)
  }
  expect(existsSync(path)).toBe(false)
  expect(JSON.stringify(events)).toBe(JSON.stringify((JSON.parse(whole) as { events: unknown[] }).events))
})

test('a recording that another program compressed can be read', async () => {
  const text = record()
  const before = await read(path)
  rmSync(path)
  writeFileSync(`${path}.gz`, gzipSync(text))
  expect(await read(path)).toBe(before)
  expect(await read(`${path}.gz`)).toBe(before)
  expect((await readPart(path, 30, 50)).toString()).toBe(Buffer.from(text).subarray(30, 80).toString())
})

test('a missing recording is not compressed', async () => {
  expect(await compressRecording(path)).toBeNull()
  await expect(readPart(path, 0, 1)).rejects.toMatchObject({ code: 'E_INPUT' })
})
