import { afterEach, beforeEach, expect, it } from 'vitest'
import { systemClock } from '../../src/clock/index.js'
import { type EventStore, openStore } from '../../src/store/index.js'
import { newTestDatabase, type TestDatabase } from '../../src/store/testing/postgres-server.js'
import { BreakingProxy } from '../support/breaking-proxy.js'
import { describeNeeding } from '../support/requirements.js'
import { Child } from './child-process.js'
import { tally } from './tally.js'

const counted = (n: number) => ({ type: 'test.counted', data: { n } })

describeNeeding('postgres', 'a PostgreSQL store', () => {
  let database: TestDatabase
  let open: EventStore[] = []
  let proxies: BreakingProxy[] = []

  beforeEach(async () => {
    database = await newTestDatabase()
  })
  afterEach(async () => {
    for (const store of open) await store.close()
    for (const proxy of proxies) await proxy.close()
    open = []
    proxies = []
    await database.drop()
  })

  const connect = async (url = database.url) => {
    const { password } = database
    const options = { projections: [tally], chained: ['shared'], onError: () => undefined }
    const store = await openStore({ url, password, clock: systemClock, ...options })
    open.push(store)
    return store
  }
  const proxied = async () => {
    const proxy = await BreakingProxy.before(database.url)
    proxies.push(proxy)
    return proxy
  }
  const writer = (name: string, count: number) =>
    new Child('postgres-writer.child.ts', [database.url, name, String(count)], {
      env: { PGPASSWORD: database.password },
    })

  it('gives 4 processes that append 1 000 events each one log without gaps', async () => {
    const store = await connect()
    const received: number[] = []
    const subscription = store.subscribe({ after: 0 }, events => received.push(...events.map(event => event.position)))
    const writers = ['a', 'b', 'c', 'd'].map(name => writer(name, 1_000))
    await Promise.all(writers.map(each => each.line()))
    const finished = writers.map(each => each.finish())
    for (const each of writers) each.send('go')
    await Promise.all(finished)
    await subscription.poll()
    const events = await store.readAll({ after: 0, limit: 10_000 })
    expect(new Set(events.map(({ data }) => `${data.by} ${data.n}`)).size).toBe(4_000)
    expect(received).toEqual(Array.from({ length: 4_000 }, (_, index) => index + 1))
    expect(await store.document('tally', 'shared')).toMatchObject({ state: { count: 1_000 } })
    for (const name of ['a', 'b', 'c', 'd'])
      expect(await store.document('tally', `own/${name}`)).toMatchObject({ state: { count: 750 } })
    expect([await store.check(), await store.checkChain()]).toEqual([[], []])
  })

  it('writes every append exactly once over a connection that breaks before and after commits', async () => {
    const proxy = await proxied()
    const store = await connect(proxy.url)
    let requests = 0
    proxy.onRequest = data => {
      if (!data.includes('"units":')) return 'pass'
      requests += 1
      return requests % 5 === 0 ? 'lose answer' : requests % 5 === 2 ? 'lose request' : 'pass'
    }
    await Promise.all(
      Array.from({ length: 4 }, async (_, lane) => {
        for (let n = lane; n < 200; n += 4) {
          const stream = n % 2 === 0 ? 'shared' : `own/${lane}`
          await store.append(stream, 'any', [counted(n)])
        }
      }),
    )
    proxy.onRequest = () => 'pass'
    expect(proxy.cuts).toBeGreaterThan(10)
    const events = await store.readAll({ after: 0, limit: 1_000 })
    expect(events.map(({ data }) => data.n).sort((a, b) => Number(a) - Number(b))).toEqual(
      Array.from({ length: 200 }, (_, index) => index),
    )
    expect(await store.document('tally', 'shared')).toMatchObject({ state: { count: 100 } })
    expect([await store.check(), await store.checkChain()]).toEqual([[], []])
  })

  it('returns the original result of an append whose answer was lost', async () => {
    const proxy = await proxied()
    const store = await connect(proxy.url)
    await store.append('a', 0, [counted(0)])
    let requests = 0
    proxy.onRequest = data => (data.includes('"units":') && requests++ === 0 ? 'lose answer' : 'pass')
    const appends = [
      { stream: 'a', expected: 1, events: [counted(1), counted(2)] },
      { stream: 'b', expected: 0, events: [] },
      { stream: 'c', expected: 'any' as const, events: [counted(3)] },
      { stream: 'a', expected: 'any' as const, events: [counted(4)] },
    ]
    expect(await store.appendAll(appends)).toEqual([
      { stream: 'a', version: 3, position: 3 },
      { stream: 'b', version: 0, position: 0 },
      { stream: 'c', version: 1, position: 4 },
      { stream: 'a', version: 4, position: 5 },
    ])
    expect(proxy.cuts).toBe(1)
  })

  it('delivers events to a subscriber whose connection broke', async () => {
    const proxy = await proxied()
    const [far, near] = [await connect(proxy.url), await connect()]
    const received: unknown[] = []
    far.subscribe({ after: 0 }, events => received.push(...events.map(({ data }) => data.n)))
    await near.append('a', 0, [counted(1)])
    await expect.poll(() => received).toEqual([1])
    proxy.cut()
    await near.append('a', 1, [counted(2)])
    await expect.poll(() => received).toEqual([1, 2])
    await near.append('a', 2, [counted(3)])
    await expect.poll(() => received).toEqual([1, 2, 3])
  })

  it('shows which processes are connected, until their connection ends', async () => {
    const proxy = await proxied()
    const [near, far] = [await connect(), await connect(proxy.url)]
    for (const store of [near, far]) store.subscribe({ after: 0 }, () => undefined)
    await far.announce('far')
    // Nothing is said of others before they had time to connect.
    expect(await near.connectedAmong(['far'])).toBeNull()
    await expect.poll(() => near.connectedAmong(['far', 'other'])).toEqual(new Set(['far']))
    proxy.cut()
    await expect.poll(() => near.connectedAmong(['far'])).toEqual(new Set(['far']))
    await far.close()
    await expect.poll(() => near.connectedAmong(['far'])).toEqual(new Set())
  })

  it('refuses to continue on a database that was rolled back', async () => {
    const proxy = await proxied()
    const store = await connect(proxy.url)
    await store.append('a', 0, [counted(1), counted(2)])
    await database.query('DELETE FROM events WHERE position = 2; UPDATE log_end SET position = 1')
    const other = await connect()
    await other.append('a', 1, [counted(3)])
    proxy.cut()
    const failed = expect.objectContaining({ code: 'E_STORE_ROLLED_BACK' })
    await expect(store.append('a', 'any', [counted(4)])).rejects.toThrow(failed)
    await expect(store.readStream('a')).rejects.toThrow(failed)
    expect(await other.streamVersion('a')).toBe(2)
  })

  it('detects a rollback also if its connections were idle when they broke', async () => {
    const proxy = await proxied()
    const store = await connect(proxy.url)
    await store.append('a', 0, [counted(1), counted(2)])
    proxy.cut()
    await database.query('DELETE FROM events WHERE position = 2; UPDATE log_end SET position = 1')
    await expect.poll(() => proxy.open).toBe(0)
    await expect(store.head()).rejects.toThrow(expect.objectContaining({ code: 'E_STORE_ROLLED_BACK' }))
  })

  it('is restored completely from a dump that was made while a process wrote', async () => {
    const store = await connect()
    const busy = writer('busy', 1_000)
    await busy.line()
    const finished = busy.finish()
    busy.send('go')
    await expect.poll(() => store.head()).toBeGreaterThan(100)
    const restored = await newTestDatabase()
    try {
      // A restore creates the schema and fills it; `pg_dump` reads one snapshot, too.
      await (await connect(restored.url)).close()
      await copyTables(database, restored)
      await finished
      const copy = await connect(restored.url)
      const head = await copy.head()
      expect(copy.id).toBe(store.id)
      expect(head).toBeGreaterThan(100)
      expect([await copy.check(), await copy.checkChain()]).toEqual([[], []])
      expect(await copy.readAll({ after: 0, limit: 10_000 })).toEqual(
        (await store.readAll({ after: 0, limit: 10_000 })).slice(0, head),
      )
      const count = (await copy.readStream('shared')).length
      expect(await copy.document('tally', 'shared')).toMatchObject({ state: { count } })
      expect(await copy.append('shared', count, [counted(1)])).toMatchObject({ position: head + 1 })
    } finally {
      for (const opened of open.splice(0)) await opened.close()
      await restored.drop()
    }
  })

  it('appends while another writing process is stopped', async () => {
    const store = await connect()
    const stopped = writer('stopped', 2_000)
    await stopped.line()
    const finished = stopped.finish()
    stopped.send('go')
    let own = 0
    for (let round = 1; round <= 5; round++) {
      const head = await store.head()
      // A quick writer may have finished: each round needs a part of its events.
      await expect.poll(() => store.head()).toBeGreaterThanOrEqual(Math.min(head + 1, 2_000 + own))
      stopped.process.kill('SIGSTOP')
      for (let n = 0; n < 20; n++, own++) await store.append('shared', 'any', [counted(n)])
      stopped.process.kill('SIGCONT')
    }
    await finished
    expect(await store.document('tally', 'shared')).toMatchObject({ state: { count: 600 } })
    expect([await store.head(), await store.check(), await store.checkChain()]).toEqual([2_100, [], []])
  })

  it('does not let the database role of servers change or remove events', async () => {
    const store = await connect()
    await store.append('a', 0, [counted(1)])
    for (const sql of [
      'UPDATE events SET type = type',
      'DELETE FROM events',
      'TRUNCATE events',
      "INSERT INTO events VALUES (2, 'a', 2, 't', 0, '{}', gen_random_uuid(), 0)",
      'UPDATE log_end SET position = 0',
      "UPDATE meta SET value = ''",
    ])
      await expect(database.query(`SET ROLE signalbox_server; ${sql}`), sql).rejects.toMatchObject({ code: '42501' })
    for (const sql of ['DELETE FROM leases', "SELECT sb_append('{}')"])
      await expect(database.query(`SET ROLE signalbox_reader; ${sql}`), sql).rejects.toMatchObject({ code: '42501' })
    // The store itself runs with that role, although it is opened by the owner of the database.
    await database.query('REVOKE EXECUTE ON FUNCTION sb_append(json) FROM signalbox_server')
    await expect(store.append('a', 1, [counted(2)])).rejects.toMatchObject({ code: 'E_STORE_ACCESS' })
  })

  it('reports a database that does not exist, and a wrong or missing password, without waiting', async () => {
    const absent = database.url.replace('/postgres?', '/absent?')
    await expect(connect(absent)).rejects.toMatchObject({ code: 'E_STORE_ACCESS' })
    const wrong = openStore({ url: database.url, password: 'wrong', clock: systemClock })
    await expect(wrong).rejects.toMatchObject({ code: 'E_STORE_ACCESS' })
    const none = openStore({ url: database.url, clock: systemClock })
    await expect(none).rejects.toMatchObject({
      code: 'E_STORE_ACCESS',
      message: expect.stringContaining('asks for a password'),
    })
  })

  it('reports a schema two versions ahead as too new, and works with a schema one version ahead', async () => {
    await (await connect()).append('a', 0, [counted(1)])
    await database.query("UPDATE meta SET value = '3' WHERE key = 'schema_version'")
    expect(await (await connect()).head()).toBe(1)
    await database.query("UPDATE meta SET value = '4' WHERE key = 'schema_version'")
    await expect(connect()).rejects.toMatchObject({ code: 'E_STORE_VERSION' })
  })
})

async function copyTables(from: TestDatabase, to: TestDatabase): Promise<void> {
  const [source, target] = [from, to].map(({ url }) => new URL(url).searchParams.get('schema')!)
  const tables = await from.query(`SELECT tablename AS name FROM pg_tables WHERE schemaname = '${source}'`)
  const copies = tables.map(
    ({ name }) => `TRUNCATE ${target}.${name} CASCADE; INSERT INTO ${target}.${name} SELECT * FROM ${source}.${name};`,
  )
  await from.query(`BEGIN ISOLATION LEVEL REPEATABLE READ; ${copies.join(' ')} COMMIT`)
}
