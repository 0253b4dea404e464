import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { systemClock } from '../../clock/index.js'
import { openStore, type Projection } from '../index.js'

const newest: Projection = {
  name: 'newest',
  version: 1,
  types: ['test.counted'],
  key: ({ stream }) => stream,
  evolve: (_, { data }) => data,
}

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-cache-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

it('a list decodes only the documents that have changed since its last read', async () => {
  const store = await openStore({ path: join(directory, 'store.db'), clock: systemClock, projections: [newest] })
  const set = (stream: string, n: number) => store.append(stream, 'any', [{ type: 'test.counted', data: { n } }])
  for (const stream of ['a', 'b', 'c']) await set(stream, 1)
  const before = await store.documents('newest', { isReadOnly: true })
  await set('b', 2)
  const after = await store.documents('newest', { isReadOnly: true })
  expect(after.map(({ key }) => key)).toEqual(['b', 'c', 'a'])
  expect(after[0]).toMatchObject({ state: { n: 2 } })
  // Those that did not change are the same objects; no reader can change them for the others.
  expect(after.slice(1)).toEqual([before[0], before[2]])
  for (const [index, document] of [before[0], before[2]].entries()) expect(after[index + 1]).toBe(document)
  expect(() => Object.assign(after[0]!.state as object, { n: 3 })).toThrow(TypeError)
  await store.close()
})
