import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import S3rver from 's3rver'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BLOB_MAX, openBlobs } from './index.js'

let directory: string
let bucket: S3rver
let endpoint: string
const env = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' }

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-blobs-'))
  bucket = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: join(directory, 's3'),
    configureBuckets: [{ name: 'team', configs: [] }],
  })
  const { address, port } = await bucket.run()
  endpoint = `http://${address}:${port}`
})
afterAll(async () => {
  await bucket.close()
  rmSync(directory, { recursive: true, force: true })
})

const open = (url: string | null) => openBlobs(url, { dataDirectory: directory, env })
/** A directory for blobs. */
function directoryOf(name: string): string {
  const path = join(directory, name)
  mkdirSync(path, { recursive: true })
  return pathToFileURL(path).href
}
const places = {
  files: () => directoryOf('files'),
  bucket: () => `s3://team/recordings?endpoint=${endpoint}`,
}

describe.each(Object.entries(places))('blobs in %s', (_, url) => {
  test('are read as they were written, by the hash of their content', async () => {
    const blobs = await open(url())
    for (const bytes of [Buffer.alloc(0), Buffer.from('text \u{1f980}'), Buffer.alloc(BLOB_MAX, 'ab')]) {
      const name = await blobs.put(bytes)
      expect(name).toMatch(/^[0-9a-f]{64}$/)
      expect((await blobs.get(name))!.equals(bytes)).toBe(true)
      expect(await blobs.put(bytes)).toBe(name)
    }
  })

  test('are null if they do not exist, and names that are not a hash are refused', async () => {
    const blobs = await open(url())
    expect(await blobs.get('0'.repeat(64))).toBe(null)
    await expect(blobs.get('../x')).rejects.toMatchObject({ code: 'E_INPUT' })
    await expect(blobs.put(Buffer.alloc(BLOB_MAX + 1))).rejects.toMatchObject({ code: 'E_LIMIT' })
  })
})

test('are not read if they are damaged', async () => {
  const blobs = await open(directoryOf('damaged'))
  const name = await blobs.put(Buffer.from('once'))
  const [file] = readdirSync(join(directory, 'damaged'))
  writeFileSync(join(directory, 'damaged', file!), 'something else')
  await expect(blobs.get(name)).rejects.toMatchObject({ code: 'E_BLOB' })
})

test('a directory that is gone is an error that names it, and is used again when it is back', async () => {
  const place = join(directory, 'mounted')
  const blobs = await open(directoryOf('mounted'))
  const name = await blobs.put(Buffer.from('before'))
  renameSync(place, `${place}-gone`)
  const away = { code: 'E_BLOBS_AWAY', message: expect.stringContaining(place) }
  await expect(blobs.put(Buffer.from('meanwhile'))).rejects.toMatchObject(away)
  // Not null: the blob is not lost.
  await expect(blobs.get(name)).rejects.toMatchObject(away)
  renameSync(`${place}-gone`, place)
  expect(String(await blobs.get(name))).toBe('before')
  expect(await blobs.get(await blobs.put(Buffer.from('meanwhile')))).toEqual(Buffer.from('meanwhile'))
})

test('a bucket that is missing or does not answer is an error', async () => {
  const missing = await open(`s3://nobody?endpoint=${endpoint}`)
  const silent = await open('s3://team?endpoint=http://127.0.0.1:1')
  for (const blobs of [missing, silent]) {
    await expect(blobs.put(Buffer.from('x'))).rejects.toMatchObject({ code: 'E_BLOBS_AWAY' })
    // Not null: the blob is not lost.
    await expect(blobs.get('0'.repeat(64))).rejects.toMatchObject({ code: 'E_BLOBS_AWAY' })
  }
  await expect(open('s3://team')).resolves.toBeDefined()
  await expect(openBlobs('s3://team', { dataDirectory: directory, env: {} })).rejects.toMatchObject({
    code: 'E_CONFIG',
  })
})

test.each(['ftp://x', 'nonsense', 'postgres:', 's3://', 's3://key:secret@team'])(
  '%s is not a place for blobs',
  async url => {
    await expect(open(url)).rejects.toMatchObject({ code: 'E_CONFIG' })
  },
)
