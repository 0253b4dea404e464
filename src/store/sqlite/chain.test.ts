import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../clock/index.js'
import { type EventStore, openStore } from '../index.js'
import { type Database, loadDriver } from './driver.js'
import { type EventRow, sumOf } from './event-rows.js'

let directory: string
let path: string
let store: EventStore

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-chain-'))
  path = join(directory, 'store.db')
  store = await openStore({ path, clock: systemClock, chained: ['ledger/'] })
  for (let n = 1; n <= 6; n++) await store.append(`ledger/${n % 2}`, 'any', [{ type: 'test.counted', data: { n } }])
})

afterEach(async () => {
  await store.close()
  rmSync(directory, { recursive: true, force: true })
})

/**
 * Edits the file like an attacker who knows about the checksums of rows, but not about the chain.
 */
async function tamper(work: (database: Database) => void): Promise<void> {
  const driver = await loadDriver()
  const database = new driver(path, { timeout: 5000 })
  work(database)
  database.close()
}

describe('checkChain', () => {
  test('names an event that was rewritten with a correct checksum', async () => {
    await tamper(database => {
      const row = database.prepare('SELECT * FROM events WHERE position = 3').get() as EventRow
      const data = String(row.data).replace('"n":3', '"n":4')
      database.exec(`UPDATE events SET data = '${data}', sum = ${sumOf({ ...row, data })} WHERE position = 3`)
    })
    expect(await store.check()).toEqual([])
    expect(await store.checkChain()).toMatchObject([{ position: 3, stream: 'ledger/1', version: 2 }])
  })

  test('names the event after a removed one', async () => {
    await tamper(database => database.exec('DELETE FROM events WHERE position = 4'))
    expect(await store.checkChain()).toMatchObject([{ position: 5 }])
  })

  test('detects that the newest events were removed', async () => {
    await tamper(database => database.exec('DELETE FROM events WHERE position > 4'))
    expect(await store.checkChain()).toMatchObject([{ message: 'the newest events of the ledger are missing' }])
  })

  test('detects an inserted event', async () => {
    await tamper(database => {
      const row = { position: 7, stream: 'ledger/1', version: 4, type: 'test.counted', at: 1, data: '{"n":9}' }
      database.exec(`INSERT INTO events VALUES (7, '${row.stream}', 4, '${row.type}', 1, '${row.data}', ${sumOf(row)})`)
    })
    expect(await store.checkChain()).toMatchObject([{ position: 7, message: expect.stringContaining('not part') }])
  })

  test('reports only the break, and accepts later appends as an intact chain', async () => {
    await tamper(database => database.exec('DELETE FROM events WHERE position = 2'))
    await store.append('ledger/1', 'any', [{ type: 'test.counted', data: { n: 7 } }])
    expect((await store.checkChain()).map(problem => problem.position)).toEqual([3])
  })
})
