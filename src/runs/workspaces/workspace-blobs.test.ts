import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SimulatedClock } from '../../clock/index.js'
import { openBlobs } from '../../store/blobs/index.js'
import type { Snapshot } from '../../store/index.js'
import { BlobFiles } from '../../workers/index.js'
import { WorkspaceBlobs, waitingBundles, waitingDirectoryOf } from './workspace-blobs.js'

let directory: string
let clock: SimulatedClock
let errors: unknown[]
/** The store that the servers share, as far as bundles use it. */
let snapshots: Map<string, Snapshot>
const place = () => join(directory, 'mounted')

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-bundles-'))
  clock = new SimulatedClock()
  errors = []
  snapshots = new Map()
  mkdirSync(place())
})
afterEach(() => rmSync(directory, { recursive: true }))

async function server(name: string): Promise<WorkspaceBlobs> {
  const dataDirectory = join(directory, name)
  const blobs = await openBlobs(pathToFileURL(place()).href, { dataDirectory, env: {} })
  return new WorkspaceBlobs({
    files: new BlobFiles(join(dataDirectory, 'blobs')),
    waitingDirectory: waitingDirectoryOf(dataDirectory),
    store: {
      isShared: true,
      loadSnapshot: async key => snapshots.get(key) ?? null,
      saveSnapshot: async (key, snapshot) => void snapshots.set(key, snapshot),
      deleteSnapshot: async key => void snapshots.delete(key),
    },
    blobs,
    clock,
    onError: error => void errors.push(error),
  })
}

function bundle({ files }: WorkspaceBlobs, text: string): string {
  const draft = files.draft('run_1')
  files.write(draft, 0, Buffer.from(text))
  return files.keep(draft)
}

const unmount = () => renameSync(place(), `${place()}-gone`)
const mount = () => renameSync(`${place()}-gone`, place())
async function readShared(at: WorkspaceBlobs, blob: string): Promise<Buffer> {
  await at.path(blob)
  return at.files.read(blob, 0)
}
const AWAY = { code: 'E_BLOBS_AWAY' }

test('a bundle waits on its server while the blob store is away, and others are told to wait', async () => {
  const [first, second] = [await server('first'), await server('second')]
  unmount()
  const blob = bundle(first, 'the files of a run')
  await first.share(blob)
  await first.share(bundle(first, 'more files'))
  // Once: the blob store is away for everything.
  expect(errors).toEqual([expect.objectContaining({ ...AWAY, message: expect.stringContaining(place()) })])
  await expect(second.path(blob)).rejects.toMatchObject(AWAY)
  // The server that has it needs no blob store.
  expect(await first.path(blob)).toContain(blob)
  await first.shareWaiting()
  expect(waitingBundles(waitingDirectoryOf(join(directory, 'first'))).length).toBe(2)

  mount()
  first.start()
  clock.advance(10_000)
  await expect.poll(() => waitingBundles(waitingDirectoryOf(join(directory, 'first')))).toEqual([])
  first.close()
  expect(String(await readShared(second, blob))).toBe('the files of a run')
  expect([...snapshots.keys()].filter(key => key.startsWith('bundle-waits/'))).toEqual([])
})

test('a bundle that waited is sent after a restart of its server', async () => {
  const before = await server('first')
  unmount()
  const blob = bundle(before, 'the files of a run')
  await before.share(blob)
  mount()
  await (await server('first')).shareWaiting()
  const other = await server('second')
  expect(other.files.has(blob)).toBe(false)
  expect(String(await readShared(other, blob))).toBe('the files of a run')
})

test('a bundle that no server has given is an error that does not ask to wait', async () => {
  await expect((await server('first')).path('0'.repeat(64))).rejects.toMatchObject({ code: 'E_BLOB' })
})
