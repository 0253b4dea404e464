import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { describeNeeding } from '../../../test/support/requirements.js'
import { systemClock } from '../../clock/index.js'
import { openStore, type Projection } from '../index.js'
import { describeEventStore, type StoreSite } from '../testing/conformance.js'
import { newTestDatabase } from '../testing/postgres-server.js'

const APPEND_ELSEWHERE = fileURLToPath(new URL('../testing/append-elsewhere.ts', import.meta.url))

/** Counts the events of a stream in steps. */
function counted(version: number, step: number): Projection {
  return {
    name: 'counted',
    version,
    types: ['test.counted'],
    key: ({ stream }) => stream,
    evolve: state => ({ count: ((state as { count: number } | null)?.count ?? 0) + step }),
    index: state => ({ isOdd: (state as { count: number }).count % 2 === 1 }),
  }
}

async function makeSite(): Promise<StoreSite> {
  const database = await newTestDatabase()
  const { url, password } = database
  let passed = 0
  return {
    connect: options => openStore({ url, password, clock: systemClock, ...options }),
    async appendElsewhere(stream, events) {
      const args = ['--import', 'tsx', APPEND_ELSEWHERE, url, stream, JSON.stringify(events)]
      const env = { ...process.env, PGPASSWORD: password }
      const child = spawn(process.execPath, args, { stdio: 'inherit', env })
      const [code] = await once(child, 'exit')
      if (code !== 0) throw new Error(`the other process ended with ${code}`)
    },
    async passTime(ms) {
      passed += ms
      await database.query(`CREATE OR REPLACE FUNCTION sb_now() RETURNS bigint LANGUAGE sql VOLATILE AS
        $$ SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint + ${passed} $$`)
    },
    dispose: () => database.drop(),
  }
}

describeNeeding('postgres', 'PostgreSQL', () => {
  describeEventStore('the PostgreSQL store', makeSite)

  it('serves programs of two versions at once: each folds and reads its own documents', async () => {
    const site = await makeSite()
    const older = await site.connect({ projections: [counted(1, 1)] })
    await older.append('a', 0, [{ type: 'test.counted', data: {} }])
    const newer = await site.connect({ projections: [counted(2, 10)] })
    for (const [version, store] of [older, newer, older, newer, newer].entries())
      await store.append('a', version + 1, [{ type: 'test.counted', data: {} }])
    const open = { where: { isOdd: false } }
    expect(await older.document('counted', 'a')).toMatchObject({ state: { count: 6 } })
    expect(await newer.document('counted', 'a')).toMatchObject({ state: { count: 60 } })
    expect(await older.documents('counted', open)).toMatchObject([{ state: { count: 6 } }])
    expect(await newer.documents('counted', open)).toMatchObject([{ state: { count: 60 } }])
    // A program that only reads gets the newest.
    const reader = await site.connect({ projections: [] })
    expect(await reader.documents('counted', open)).toMatchObject([{ state: { count: 60 } }])
    for (const store of [older, newer, reader]) {
      expect(await store.check()).toEqual([])
      await store.close()
    }
    await site.dispose()
  })

  it('removes the documents of a version that no program folds any more', async () => {
    const database = await newTestDatabase()
    const { url, password } = database
    const older = await openStore({ url, password, clock: systemClock, projections: [counted(1, 1)] })
    await older.append('a', 0, [{ type: 'test.counted', data: {} }])
    await older.close()
    const newer = await openStore({ url, password, clock: systemClock, projections: [counted(2, 10)] })
    const many = Array.from({ length: 10_001 }, () => ({ type: 'test.other', data: {} }))
    await newer.append('b', 0, many)
    await newer.close()
    const again = await openStore({ url, password, clock: systemClock, projections: [counted(3, 100)] })
    expect(await again.document('counted', 'a')).toMatchObject({ state: { count: 100 } })
    const rows = await database.query('SELECT DISTINCT projection FROM documents ORDER BY projection')
    expect(rows).toEqual([{ projection: 'counted@2' }, { projection: 'counted@3' }])
    await again.close()
    await database.drop()
  })
})
