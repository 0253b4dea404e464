import type { Client } from 'pg'
import type { Clock } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import { type ChainEnd, checkChain } from '../chain.js'
import type { EventStore, StoredEvent } from '../event-store.js'
import { newAppendId } from '../postgres/append-plan.js'
import { openClient } from '../postgres/connections.js'
import { toStoreError } from '../postgres/postgres-errors.js'
import { EVENT_COLUMNS, type EventRow, toStored } from '../postgres/postgres-reader.js'
import { migrate, quoted } from '../postgres/schema.js'
import { type PostgresTarget, parseStoreUrl } from '../postgres/store-url.js'
import { openSqlite } from '../sqlite/open.js'
import { markMoved, readFileChainEnd } from './moved-file.js'

const BATCH = 500

export interface MoveOptions {
  path: string
  url: string
  password?: string
  clock: Clock
}

/**
 * Copies every event with its position and version, in one transaction that is committed only if
 * the chain of the ledger is whole on both sides. The file is left as it is, marked as moved.
 * @throws SignalboxError `E_STORE_MOVE` if the target has events or a chain is broken.
 */
export async function moveStore({ path, url, password, clock }: MoveOptions): Promise<{ id: string; events: number }> {
  const target = parseStoreUrl(url)
  const source = await openSqlite({ path, clock })
  try {
    await requireWhole(source, path)
    const chain = await readFileChainEnd(path)
    const client = await openClient({ target, password })
    try {
      await requireEmpty(client, target)
      await migrate(client, target.schema, target.shown, source.id)
      await copy(client, target, source, chain)
    } finally {
      await client.end()
    }
    await markMoved(path, target.shown)
    return { id: source.id, events: await source.head() }
  } catch (error) {
    throw toStoreError(error, target.shown)
  } finally {
    await source.close()
  }
}

async function requireWhole(source: EventStore, path: string): Promise<void> {
  const [problem] = [...(await source.check()), ...(await source.checkChain())]
  if (!problem) return
  throw new SignalboxError('E_STORE_MOVE', `${path} is not moved: ${problem.message}`, { next: 'signalbox doctor' })
}

async function requireEmpty(client: Client, { schema, shown }: PostgresTarget): Promise<void> {
  const found = await client.query('SELECT to_regclass($1) IS NOT NULL AS has', [`${quoted(schema)}.events`])
  if (!found.rows[0].has) return
  const events = await client.query(`SELECT 1 FROM ${quoted(schema)}.events LIMIT 1`)
  if (events.rows.length > 0)
    throw new SignalboxError('E_STORE_MOVE', `the store ${shown} already has events; nothing was written`, {
      next: 'choose another database, or another schema with ?schema=name',
    })
}

async function copy(client: Client, target: PostgresTarget, source: EventStore, chain: ChainEnd | null) {
  await client.query('BEGIN')
  try {
    await client.query("SELECT set_config('search_path', $1, true)", [quoted(target.schema)])
    await client.query('SELECT 1 FROM log_end FOR UPDATE')
    await requireEmpty(client, target)
    let last = 0
    for (;;) {
      const page = await source.readAll({ after: last, limit: BATCH })
      if (page.length > 0) await insert(client, page)
      last = page.at(-1)?.position ?? last
      if (page.length < BATCH) break
    }
    await client.query('UPDATE log_end SET position = $1', [last])
    // Positions and versions that a salvage could not save are missing here, too.
    await client.query("INSERT INTO meta VALUES ('moved_position', $1)", [String(last)])
    await client.query("UPDATE meta SET value = $1 WHERE key = 'store_id'", [source.id])
    if (chain) await copyChainEnd(client, target, chain)
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined)
    throw error
  }
}

async function insert(client: Client, events: readonly StoredEvent[]): Promise<void> {
  const rows = events.map(({ data, ...event }) => ({
    ...event,
    data: JSON.stringify(data),
    append: newAppendId(event.at),
  }))
  await client.query(
    `INSERT INTO events (position, stream, version, type, at, data, append, ordinal)
     SELECT position, stream, version, type, at, data, append, 0 FROM json_to_recordset($1)
       AS e(position bigint, stream text, version bigint, type text, at bigint, data text, append uuid)`,
    [JSON.stringify(rows)],
  )
}

async function copyChainEnd(client: Client, { shown }: PostgresTarget, end: ChainEnd): Promise<void> {
  await client.query('UPDATE log_end SET chain_streams = $1, chain_value = $2, chain_position = $3', [
    end.streams,
    end.value,
    end.position,
  ])
  const sql = `SELECT ${EVENT_COLUMNS} FROM events WHERE position > $1
    AND EXISTS (SELECT 1 FROM unnest($2::text[]) AS prefix WHERE starts_with(stream, prefix)) ORDER BY position LIMIT $3`
  const [problem] = await checkChain(end, async (after, limit) => {
    const { rows } = await client.query<EventRow>(sql, [after, end.streams, limit])
    return rows.map(row => ({
      position: row.position,
      stream: row.stream,
      version: row.version,
      event: toStored(row),
      text: row.data,
    }))
  })
  if (problem) throw new SignalboxError('E_STORE_MOVE', `the copy in ${shown} is incomplete: ${problem.message}`)
}
