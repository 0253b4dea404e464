import type { StoredDocument } from '../event-store.js'
import type { Connection } from './connection.js'
import { decodeJson } from './event-rows.js'

interface DocumentRow {
  key: string
  state: string
  position: number
}

export interface DocumentFilter {
  prefix?: string
  limit?: number
  before?: number
}

type Decoded = StoredDocument<unknown> | 'damaged'

export function readDocument(connection: Connection, projection: string, key: string): Decoded | null {
  const sql = 'SELECT key, state, position FROM documents WHERE projection = ? AND key = ?'
  const row = connection.get<DocumentRow>(sql, projection, key)
  return row ? decodeDocument(row) : null
}

/** Most recently changed first; damaged documents are skipped, `check()` reports them. */
export function readDocuments(
  connection: Connection,
  projection: string,
  filter: DocumentFilter,
): StoredDocument<unknown>[] {
  const sql = `SELECT key, state, position FROM documents WHERE projection = ? AND position < ?
    AND substr(key, 1, length(?)) = ? ORDER BY position DESC LIMIT ?`
  const { prefix = '', limit = -1, before = Number.MAX_SAFE_INTEGER } = filter
  return connection
    .all<DocumentRow>(sql, projection, before, prefix, prefix, limit)
    .map(decodeDocument)
    .filter(document => document !== 'damaged')
}

function decodeDocument({ key, state, position }: DocumentRow): Decoded {
  const decoded = decodeJson(state)
  return decoded === undefined ? 'damaged' : { key, state: decoded, position }
}
