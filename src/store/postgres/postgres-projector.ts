import type { Client } from 'pg'
import { isChained } from '../chain.js'
import { indexFields, isSameIndex } from '../document-index.js'
import { encodeJson } from '../encode-event.js'
import type { ProjectedEvent, Projection } from '../event-store.js'
import { type AppendPlanner, type Draft, documentId, evolveDraft, knownOf, newAppendId } from './append-plan.js'
import { EVENT_COLUMNS, type EventRow, toStored } from './postgres-reader.js'

/** Events in memory at once while documents are rebuilt. */
const BATCH = 500

interface ProjectionRow {
  name: string
  version: number
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
    const before = new Set((JSON.parse(folded) as string[]).map(each => each.slice(0, each.lastIndexOf('@'))))
    const rows = await this.#readRows(client)
    const known = new Map(rows.map(row => [row.name, before.has(row.name) ? { ...row, position: head } : row]))
    for (const { name, version } of this.#projections.values()) {
      if ((known.get(name)?.version ?? 0) >= version) continue
      await client.query('DELETE FROM documents WHERE projection = $1', [name])
      await client.query('DELETE FROM document_fields WHERE projection = $1', [name])
      await client.query(
        `INSERT INTO projections VALUES ($1, $2, 0, 0)
         ON CONFLICT (name) DO UPDATE SET version = excluded.version, position = 0, failures = 0`,
        [name, version],
      )
      known.set(name, { name, version, position: 0 })
    }
    // Those of a newer program are left to it.
    const current = [...this.#projections.values()].filter(({ name, version }) => known.get(name)?.version === version)
    for (const projection of current) await this.#fold(client, projection, known.get(projection.name)!.position, head)
    await client.query('UPDATE projections SET position = $1 WHERE name = ANY($2)', [
      head,
      [...new Set([...before, ...current.map(({ name }) => name)])],
    ])
    this.#planner.fold(current)
    await client.query('UPDATE log_end SET folded = $1', [this.#planner.folded])
    this.#isPrepared = true
  }

  /** Whether a reader would see old documents, and this program could fold them. */
  isBehind(row: { version: number; folded: string } | undefined, name: string): boolean {
    const projection = this.#projections.get(name)
    if (!row || projection?.version !== row.version) return false
    return !(JSON.parse(row.folded) as string[]).includes(`${name}@${row.version}`)
  }

  async #readRows(client: Client): Promise<ProjectionRow[]> {
    return (await client.query<ProjectionRow>('SELECT name, version, position FROM projections')).rows
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
      await client.query('UPDATE projections SET failures = failures + $2 WHERE name = $1', [projection.name, failures])
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
      [projection.name, [...keys]],
    )
    return new Map(found.rows.map(({ key, revision, state }) => [key, knownOf(projection, revision, state)]))
  }

  /** The position of the newest event is the draft's ordinal here. */
  async #save(client: Client, { projection, key, before, state, ordinal }: Draft): Promise<boolean> {
    let text: string | null
    let fields: ReturnType<typeof indexFields>
    try {
      text = state === null ? null : encodeJson(documentId(projection.name, key), state)
      fields = indexFields(projection, state)
    } catch {
      return false
    }
    if (text === null)
      await client.query('DELETE FROM documents WHERE projection = $1 AND key = $2', [projection.name, key])
    else
      await client.query(
        `INSERT INTO documents (projection, key, state, position, revision) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (projection, key) DO UPDATE SET state = excluded.state, position = excluded.position, revision = excluded.revision`,
        [projection.name, key, text, ordinal, newAppendId(this.#now())],
      )
    if (isSameIndex(before?.fields ?? [], fields)) return true
    await client.query('DELETE FROM document_fields WHERE projection = $1 AND key = $2', [projection.name, key])
    await client.query(
      `INSERT INTO document_fields (projection, key, field, value, number)
       SELECT $1, $2, f.field, f.value, f.number
       FROM json_to_recordset($3) AS f(field text, value text, number double precision)`,
      [projection.name, key, JSON.stringify(fields)],
    )
    return true
  }
}
