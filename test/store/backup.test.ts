import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemClock } from '../../src/clock/index.js'
import { type EventStore, openStore } from '../../src/store/index.js'
import { describeNeeding } from '../support/requirements.js'
import { SystemPostgres } from '../support/system-postgres.js'
import { Child } from './child-process.js'
import { tally } from './tally.js'

const counted = (n: number) => ({ type: 'test.counted', data: { n } })

// The commands are those of docs/guides/operations.md.
describeNeeding('a PostgreSQL of the system', 'a dump of a PostgreSQL store', () => {
  const database = new SystemPostgres()
  const open: EventStore[] = []

  beforeAll(() => database.start())
  afterAll(async () => {
    for (const store of open) await store.close()
    await database.close()
  })

  const connect = async (name: string) => {
    const options = { projections: [tally], chained: ['shared'], onError: () => undefined }
    const { password } = database
    const store = await openStore({ url: database.url(name), password, clock: systemClock, ...options })
    open.push(store)
    return store
  }

  it('is complete after pg_restore, although a process wrote while pg_dump made it', async () => {
    database.run('psql', ['-c', 'CREATE DATABASE team', 'postgres'])
    const store = await connect('team')
    await store.saveSnapshot('blobs/one', { version: 1, state: { bytes: 'ÿ\0' } })
    const writer = new Child('postgres-writer.child.ts', [database.url('team'), 'busy', '2000'], {
      env: { PGPASSWORD: database.password },
    })
    await writer.line()
    const finished = writer.finish()
    writer.send('go')
    await expect.poll(() => store.head()).toBeGreaterThan(100)
    database.run('pg_dump', ['--schema=signalbox', '--format=custom', '--file', database.file('backup'), 'team'])
    await finished

    database.run('psql', ['-c', 'CREATE DATABASE restored', 'postgres'])
    database.run('pg_restore', ['--dbname=restored', '--exit-on-error', database.file('backup')])
    const copy = await connect('restored')
    const head = await copy.head()
    expect(copy.id).toBe(store.id)
    expect(head).toBeGreaterThan(100)
    expect(await copy.readAll({ after: 0, limit: 10_000 })).toEqual(
      (await store.readAll({ after: 0, limit: 10_000 })).slice(0, head),
    )
    expect([await copy.check(), await copy.checkChain()]).toEqual([[], []])
    expect(await copy.loadSnapshot('blobs/one')).toEqual({ version: 1, state: { bytes: 'ÿ\0' } })
    const count = (await copy.readStream('shared')).length
    expect(await copy.document('tally', 'shared')).toMatchObject({ state: { count } })
    expect(await copy.append('shared', count, [counted(1)])).toMatchObject({ position: head + 1 })
    // The rights are part of the backup: servers cannot change events there, either.
    expect(() =>
      database.run('psql', ['-c', 'SET ROLE signalbox_server; DELETE FROM signalbox.events', 'restored']),
    ).toThrow(/permission denied/)
  })
})
