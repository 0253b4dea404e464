import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../clock/index.js'
import { openStore } from '../index.js'
import { type Database, loadDriver } from './driver.js'
import { sumOf } from './event-rows.js'
import { MIGRATIONS, migrate } from './schema.js'

let directory: string
let path: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-open-'))
  path = join(directory, 'home', 'store.db')
})

afterEach(() => rmSync(directory, { recursive: true, force: true }))

const open = (options: { busyLimitMs?: number; maxPages?: number } = {}) =>
  openStore({ path, clock: systemClock, ...options })
const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8)

/** A second connection without the store's rules. */
async function raw(use: (database: Database) => void): Promise<void> {
  const driver = await loadDriver()
  const database = new driver(path)
  try {
    use(database)
  } finally {
    database.close()
  }
}

async function makeStore(count = 0): Promise<void> {
  const store = await open()
  for (let n = 1; n <= count; n += 1) await store.append('a', 'any', [{ type: 'test.counted', data: { n } }])
  await store.close()
}

describe('a new store', () => {
  it('is private, whatever the umask', async () => {
    const before = process.umask(0)
    try {
      const store = await open()
      await store.append('a', 0, [{ type: 'test.x', data: {} }])
      expect(modeOf(join(directory, 'home'))).toBe('700')
      for (const file of readdirSync(join(directory, 'home')))
        expect([file, modeOf(join(directory, 'home', file))]).toEqual([file, '600'])
      await store.close()
    } finally {
      process.umask(before)
    }
  })

  it('becomes private again after its mode was changed', async () => {
    await makeStore()
    chmodSync(path, 0o644)
    await makeStore()
    expect(modeOf(path)).toBe('600')
  })

  it('is created once by five concurrent opens', async () => {
    const stores = await Promise.all(Array.from({ length: 5 }, () => open()))
    expect(new Set(stores.map(store => store.id)).size).toBe(1)
    for (const store of stores) await store.close()
    expect(readdirSync(join(directory, 'home')).filter(file => file.includes('.new-'))).toEqual([])
  })

  it('keeps its id and its events', async () => {
    await makeStore(2)
    const store = await open()
    const { id } = store
    expect(await store.streamVersion('a')).toBe(2)
    await store.close()
    const again = await open()
    expect(again.id).toBe(id)
    await again.close()
  })
})

describe('a file that is not a store', () => {
  const refused = async (code: string, message: RegExp) => {
    const before = readFileSync(path)
    const error = await open().catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code, message: expect.stringMatching(message), place: { file: path } })
    expect(readFileSync(path).equals(before)).toBe(true)
    return error as { next?: string }
  }

  it('is refused and left alone if it is not a database', async () => {
    mkdirSync(join(directory, 'home'))
    writeFileSync(path, 'Dear diary, '.repeat(1000))
    expect((await refused('E_STORE_CORRUPT', /store\.db is damaged/)).next).toContain('signalbox doctor --fix')
  })

  it('is refused if it is empty', async () => {
    mkdirSync(join(directory, 'home'))
    writeFileSync(path, '')
    await refused('E_STORE_CORRUPT', /empty/)
  })

  it('is refused if it belongs to another program', async () => {
    mkdirSync(join(directory, 'home'))
    await raw(database => database.exec('CREATE TABLE recipes (name TEXT)'))
    await refused('E_STORE_CORRUPT', /not a Signalbox store/)
  })

  it('is refused if a newer program created it, naming both versions', async () => {
    await makeStore()
    await raw(database => database.exec("UPDATE meta SET value = '99' WHERE key = 'schema_version'"))
    const store = open()
    await expect(store).rejects.toMatchObject({
      code: 'E_STORE_VERSION',
      message: expect.stringMatching(new RegExp(`schema 99.*up to ${MIGRATIONS.length}`)),
    })
  })

  it('is refused if only its journal is left', async () => {
    mkdirSync(join(directory, 'home'))
    writeFileSync(`${path}-wal`, 'frames')
    await expect(open()).rejects.toMatchObject({ code: 'E_STORE_CORRUPT', message: expect.stringContaining('journal') })
  })

  it('is refused if it is a directory, or a path below a file', async () => {
    mkdirSync(path, { recursive: true })
    await expect(open()).rejects.toMatchObject({ code: 'E_HOME' })
    writeFileSync(join(directory, 'file'), '')
    await expect(openStore({ path: join(directory, 'file', 'store.db'), clock: systemClock })).rejects.toMatchObject({
      code: 'E_HOME',
    })
  })
})

describe('migrations of a store', () => {
  it('run once, in order, and only if they are missing', async () => {
    await makeStore()
    const done = MIGRATIONS.map((_, n) => `not SQL: step ${n + 1} has run already`)
    const steps = [...done, 'CREATE TABLE extra (x)', "INSERT INTO extra VALUES ('done')"]
    await raw(database => {
      migrate(database, path, steps)
      migrate(database, path, steps)
      expect(database.prepare('SELECT x FROM extra').all()).toHaveLength(1)
    })
  })

  it('leave the file at its old version if a step fails', async () => {
    await makeStore()
    await raw(database => {
      const done = MIGRATIONS.map(() => '')
      expect(() => migrate(database, path, [...done, 'CREATE TABLE extra (x)', 'nonsense'])).toThrow(/nonsense/)
      expect(() => database.prepare('SELECT x FROM extra')).toThrow(/no such table/)
      migrate(database, path, done)
    })
  })
})

describe('a store of schema 2', () => {
  it('keeps every event, its documents and its positions', async () => {
    const driver = await loadDriver()
    await makeStore()
    // As the first two migrations left a file; the checksums have not changed since.
    rmSync(path)
    const old = new driver(path)
    old.exec(`PRAGMA application_id = ${0x53474258}`)
    for (const step of MIGRATIONS.slice(0, 2)) old.exec(step)
    old.exec("INSERT INTO meta VALUES ('store_id', '0123abcd'), ('created', '1'), ('schema_version', '2')")
    const insert = old.prepare(
      'INSERT INTO events (position, stream, version, type, at, data, sum) VALUES (?,?,?,?,?,?,?)',
    )
    const rows = [1, 2, 3].map(n => ({
      position: n,
      stream: 'a',
      version: n,
      type: 'test.counted',
      at: n,
      data: `{"n":${n}}`,
    }))
    for (const row of rows) insert.run(...Object.values(row), sumOf(row))
    old.close()

    const store = await open()
    expect((await store.readStream('a')).map(({ position, data }) => [position, data.n])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ])
    expect(await store.append('a', 3, [{ type: 'test.counted', data: { n: 4 } }])).toMatchObject({
      position: 4,
      version: 4,
    })
    expect(await store.check()).toEqual([])
    await store.close()
  })
})

describe('a long event', () => {
  it('is compressed in the file, read unchanged, and rejected after one byte of it has changed', async () => {
    const store = await open()
    const text = 'the same line again and again\n'.repeat(2_000)
    await store.append('a', 0, [{ type: 'test.x', data: { text } }])
    await store.append('a', 1, [{ type: 'test.x', data: { text: 'short' } }])
    expect((await store.readStream('a')).map(({ data }) => data.text)).toEqual([text, 'short'])
    await raw(database => {
      const kinds = database
        .prepare('SELECT typeof(data) AS kind, length(data) AS size FROM events ORDER BY position')
        .all()
      expect(kinds).toEqual([
        { kind: 'blob', size: expect.toSatisfy((size: number) => size < 1_000) },
        { kind: 'text', size: 16 },
      ])
      database.exec(
        "UPDATE events SET data = CAST(substr(data, 1, 20) || x'00' || substr(data, 22) AS BLOB) WHERE position = 1",
      )
    })
    expect((await store.readStream('a')).map(({ data }) => data.text)).toEqual(['short'])
    expect(await store.check()).toMatchObject([{ location: 'position 1' }])
    await store.close()
  })
})

describe('a store that another process has locked', () => {
  it('is awaited without blocking the event loop', async () => {
    await makeStore()
    const store = await open()
    const driver = await loadDriver()
    const holder = new driver(path)
    holder.exec('BEGIN IMMEDIATE')
    const appended = store.append('a', 0, [{ type: 'test.x', data: {} }])
    let ticks = 0
    while (ticks < 3) {
      await new Promise(resolve => setImmediate(resolve))
      ticks += 1
    }
    holder.exec('COMMIT')
    expect(await appended).toMatchObject({ version: 1 })
    holder.close()
    await store.close()
  })

  it('gives an error after the limit', async () => {
    await makeStore()
    const store = await open({ busyLimitMs: 60 })
    const driver = await loadDriver()
    const holder = new driver(path)
    holder.exec('BEGIN IMMEDIATE')
    await expect(store.append('a', 0, [{ type: 'test.x', data: {} }])).rejects.toMatchObject({ code: 'E_STORE_BUSY' })
    expect(await store.head()).toBe(0)
    holder.exec('ROLLBACK')
    holder.close()
    await store.close()
  })
})

describe('a store with a maximum size', () => {
  it('refuses with E_DISK_FULL, keeps its data, and continues when there is space', async () => {
    const store = await open({ maxPages: 40 })
    const large = (n: number) => ({ type: 'test.large', data: { n, text: 'x'.repeat(20_000) } })
    let written = 0
    const fill = async () => {
      for (;;) written = (await store.append('a', written, [large(written + 1)])).version
    }
    await expect(fill()).rejects.toMatchObject({ code: 'E_DISK_FULL' })
    expect(written).toBeGreaterThan(2)
    await expect(store.append('b', 0, [large(1), large(2)])).rejects.toMatchObject({ code: 'E_DISK_FULL' })
    expect(await store.streamVersion('b')).toBe(0)
    expect(await store.readStream('a')).toHaveLength(written)
    expect(await store.check()).toEqual([])
    await store.close()
    const roomy = await open()
    expect(await roomy.append('a', written, [large(0)])).toMatchObject({ version: written + 1 })
    await roomy.close()
  })
})

describe('a damaged row in a good file', () => {
  const damages: [string, string][] = [
    ['broken JSON', `UPDATE events SET data = '{"n":' WHERE version = 3`],
    ['changed data', `UPDATE events SET data = '{"n":7}' WHERE version = 3`],
    ['a type that is another one', `UPDATE events SET type = 'test.other' WHERE version = 3`],
    ['a number beyond all numbers', 'UPDATE events SET at = 9223372036854775807 WHERE version = 3'],
    ['data that are bytes', "UPDATE events SET data = x'00ff' WHERE version = 3"],
  ]
  it.each(damages)('(%s) is skipped, counted and reported', async (_what, sql) => {
    await makeStore(5)
    await raw(database => database.exec(sql))
    const store = await open()
    const versions = (events: { version: number }[]) => events.map(event => event.version)
    expect(versions(await store.readStream('a'))).toEqual([1, 2, 4, 5])
    expect(versions(await store.readAll({ after: 0, limit: 4 }))).toEqual([1, 2, 4, 5])
    expect(versions(await store.readAll({ after: 2, limit: 1 }))).toEqual([4])
    expect(await store.check()).toEqual([expect.objectContaining({ location: 'position 3' })])
    expect(await store.append('a', 5, [{ type: 'test.x', data: {} }])).toMatchObject({ version: 6 })
    await store.close()
  })

  it('is not delivered, and does not stop a subscription', async () => {
    await makeStore(3)
    await raw(database => database.exec("UPDATE events SET data = 'x'"))
    const store = await open()
    const seen: number[] = []
    const subscription = store.subscribe({ after: 0 }, events => seen.push(...events.map(event => event.version)))
    await store.append('a', 3, [{ type: 'test.x', data: {} }])
    await subscription.poll()
    expect(seen).toEqual([4])
    await store.close()
  })

  it('does not affect other rows, including damaged documents and snapshots', async () => {
    await makeStore()
    await raw(database => {
      database.exec("INSERT INTO snapshots VALUES ('s', 1, '{')")
      database.exec("INSERT INTO projections VALUES ('p', 1, 0, 0)")
      database.exec(
        "INSERT INTO documents VALUES ('p', 'bad', '{', 0), ('p', 'good', '{}', 0), ('p', 'ahead', '{}', 9)",
      )
    })
    const store = await open()
    expect(await store.loadSnapshot('s')).toBeNull()
    expect(await store.document('p', 'bad')).toBeNull()
    expect((await store.documents('p')).map(document => document.key).sort()).toEqual(['ahead', 'good'])
    const messages = (await store.check()).map(problem => problem.message).join('\n')
    expect(messages).toMatch(/document bad.*damaged[\s\S]*document ahead.*ahead[\s\S]*snapshot s/)
    await store.close()
  })

  it('is reported by check() if it is missing', async () => {
    await makeStore(4)
    await raw(database => database.exec('DELETE FROM events WHERE version = 2'))
    const store = await open()
    expect(await store.check()).toEqual([{ message: 'the stream a jumps from version 1 to 3', location: 'a' }])
    await store.close()
  })
})
