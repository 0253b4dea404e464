import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { systemClock } from '../../src/clock/index.js'
import { openStore } from '../../src/store/index.js'
import { Child } from './child-process.js'

const NOBODY = 65_534
/** Permissions do not restrict root: then the test uses the store as another user. */
const isRoot = process.getuid?.() === 0

it('a store in a read-only file or directory is refused with E_HOME', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-read-only-'))
  const [file, closed, empty, good] = ['file', 'closed', 'empty', 'good'].map(name => join(directory, name)) as [
    string,
    string,
    string,
    string,
  ]
  try {
    for (const place of [file, closed]) {
      const store = await openStore({ path: join(place, 'store.db'), clock: systemClock })
      await store.append('a', 0, [{ type: 'test.x', data: {} }])
      await store.close()
    }
    for (const place of [empty, good]) mkdirSync(place)
    if (isRoot)
      for (const place of [directory, file, join(file, 'store.db'), closed, empty, good])
        chownSync(place, NOBODY, NOBODY)
    chmodSync(join(file, 'store.db'), 0o400)
    for (const place of [closed, empty]) chmodSync(place, 0o500)

    const paths = [file, closed, empty, good].map(place => join(place, 'store.db'))
    const child = new Child('read-only.child.ts', paths, isRoot ? { uid: NOBODY } : {})
    expect(await child.finish()).toEqual(['E_HOME', 'E_HOME', 'E_HOME', 'written'])
  } finally {
    for (const place of [closed, empty]) chmodSync(place, 0o700)
    rmSync(directory, { recursive: true, force: true })
  }
})
