import type { Client } from 'pg'
import { isChained } from '../chain.js'
import { indexFields, isSameIndex } from '../document-index.js'
import { encodeJson } from '../encode-event.js'
import type { ProjectedEvent, Projection } from '../event-store.js'
import { type AppendPlanner, type Draft, evolveDraft, knownOf, newAppendId, storedName } from './append-plan.js'
import { EVENT_COLUMNS, type EventRow, toStored } from './postgres-reader.js'

/** Events in memory at once while documents are rebuilt. */
const BATCH = 500
/**
 * Documents of an older version that are this many events behind are removed: no server folds them
 * any more. One that does after all builds them again.
 */
const UNUSED_AFTER = 10_000

interface ProjectionRow {
  /** With its version. */
  name: string
  position: number
}

/**
 * Folds what the appends of this process did not fold: new and changed projections, and events of
 * programs that do not know them. Everything here runs in a transaction that holds the lock of the
 * log.
 */
export class PostgresProjector {
  readonly #projections: ReadonlyMap<string, Projection>
  readonly #planner: AppendPlanner
  readonly #now: () => number
  #isPrepared = false

  constructor(projections: readonly Projection[], planner: AppendPlanner, now: () => number) {
    this.#projections = new Map(projections.map(projection => [projection.name, projection]))
    this.#planner = planner
    this.#now = now
  }

  async locked<T>(client: Client, work: () => Promise<T>): Promise<T> {
    await client.query('BEGIN')
    try {
      await client.query('SELECT 1 FROM log_end FOR UPDATE')
      const result = await work()
      await client.query('COMMIT')
      return result
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined)
      throw error
    }
  }

  /**
   * Brings all projections of this program to the end of the log, and lets its appends fold them.
   */
  async catchUp(client: Client): Promise<void> {
    const end = await client.query<{ position: number; folded: string; chained: string[] }>(
      'SELECT position, folded, chain_streams AS chained FROM log_end',
    )
    const { position: head, folded, chained } = end.rows[0]!
    this.#planner.chained = chained
    if (this.#isPrepared && folded === this.#planner.folded) return
    const before = new Set(JSON.parse(folded) as string[])
    const rows = (await client.query<ProjectionRow>('SELECT name, position FROM projections')).rows
    const known = new Map(rows.map(({ name, position }) => [name, before.has(name) ? head : position]))
    for (const projection of this.#projections.values()) {
      const name = storedName(projection)
      if (!known.has(name)) await this.#create(client, name, projection.version)
      await this.#fold(client, projection, known.get(name) ?? 0, head)
    }
    const current = [...this.#projections.values()].map(storedName)
    const folding = [...new Set([...before, ...current])]
    await client.query('UPDATE projections SET position = $1 WHERE name = ANY($2)', [head, folding])
    await this.#removeUnused(client, head)
    this.#planner.fold([...this.#projections.values()])
    await client.query('UPDATE log_end SET folded = $1', [this.#planner.folded])
    this.#isPrepared = true
  }

  async #create(client: Client, name: string, version: number): Promise<void> {
    // Left by a program that was killed, or removed as unused and folded again.
    await this.#remove(client, [name])
    await client.query('INSERT INTO projections VALUES ($1, $2, 0, 0)', [name, version])
  }

  async #removeUnused(client: Client, head: number): Promise<void> {
    const names = [...this.#projections.keys()]
    const { rows } = await client.query<{ name: string }>(
      "SELECT name FROM projections WHERE position < $1 AND split_part(name, '@', 1) = ANY($2)",
      [head - UNUSED_AFTER, names],
    )
    if (rows.length > 0)
      await this.#remove(
        client,
        rows.map(({ name }) => name),
      )
  }

  async #remove(client: Client, names: readonly string[]): Promise<void> {
    await client.query('DELETE FROM documents WHERE projection = ANY($1)', [names])
    await client.query('DELETE FROM document_fields WHERE projection = ANY($1)', [names])
    await client.query('DELETE FROM projections WHERE name = ANY($1)', [names])
  }

  /** The projection of this program with this name. */
  find(name: string): Projection | undefined {
    return this.#projections.get(name)
  }

  async #fold(client: Client, projection: Projection, from: number, head: number): Promise<void> {
    let failures = 0
    for (let cursor = from; cursor < head; ) {
      const { rows } = await client.query<EventRow>(
        `SELECT ${EVENT_COLUMNS} FROM events WHERE position > $1 AND type = ANY($2) ORDER BY position LIMIT ${BATCH}`,
        [cursor, projection.types],
      )
      if (rows.length === 0) break
      cursor = rows.at(-1)!.position
      const known = await this.#readKnown(client, projection, rows)
      const drafts = new Map<string, Draft>()
      for (const row of rows)
        if (!evolveDraft(projection, this.#projected(row), row.position, drafts, key => known.get(key))) failures += 1
      for (const draft of drafts.values()) if (draft.ordinal >= 0 && !(await this.#save(client, draft))) failures += 1
    }
    if (failures > 0)
      await client.query('UPDATE projections SET failures = failures + $2 WHERE name = $1', [
        storedName(projection),
        failures,
      ])
  }

  /** As the append saw it: chain values are assigned only under the lock. */
  #projected(row: EventRow): ProjectedEvent {
    const { data, position: _position, ...event } = toStored(row)
    const { chain: _chain, ...rest } = data
    return { ...event, data: isChained({ streams: this.#planner.chained }, row.stream) ? rest : data }
  }

  async #readKnown(client: Client, projection: Projection, rows: readonly EventRow[]) {
    const keys = new Set<string>()
    for (const row of rows) {
      try {
        const key = projection.key(this.#projected(row))
        if (typeof key === 'string') keys.add(key)
      } catch {
        // Folding counts it as a failure.
      }
    }
    const found = await client.query<{ key: string; revision: string; state: string }>(
      'SELECT key, revision, state FROM documents WHERE projection = $1 AND key = ANY($2)',
      [storedName(projection), [...keys]],
    )
    return new Map(found.rows.map(({ key, revision, state }) => [key, knownOf(projection, revision, state)]))
  }

  /** The position of the newest event is the draft's ordinal here. */
  async #save(client: Client, { projection, key, before, state, ordinal }: Draft): Promise<boolean> {
    const name = storedName(projection)
    let text: string | null
    let fields: ReturnType<typeof indexFields>
    try {
      text = state === null ? null : encodeJson(`The document ${projection.name}/${key}`, state)
      fields = indexFields(projection, state)
    } catch {
      return false
    }
    if (text === null) await client.query('DELETE FROM documents WHERE projection = $1 AND key = $2', [name, key])
    else
      await client.query(
        `INSERT INTO documents (projection, key, state, position, revision) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (projection, key) DO UPDATE SET state = excluded.state, position = excluded.position, revision = excluded.revision`,
        [name, key, text, ordinal, newAppendId(this.#now())],
      )
    if (isSameIndex(before?.fields ?? [], fields)) return true
    await client.query('DELETE FROM document_fields WHERE projection = $1 AND key = $2', [name, key])
    await client.query(
      `INSERT INTO document_fields (projection, key, field, value, number)
       SELECT $1, $2, f.field, f.value, f.number
       FROM json_to_recordset($3) AS f(field text, value text, number double precision)`,
      [name, key, JSON.stringify(fields)],
    )
    return true
  }
}
