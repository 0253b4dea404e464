import { type IndexedField, type StoredTest, storedTests } from '../document-index.js'
import { decodeJson } from '../encode-event.js'
import type { DocumentFilter, StoredDocument } from '../event-store.js'
import type { Connection } from './connection.js'

export interface DocumentRow {
  key: string
  state: string
  position: number
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
  const { prefix = '', limit = -1, before = Number.MAX_SAFE_INTEGER, where } = filter
  const tests = storedTests(where)
  const sql = `SELECT key, state, position FROM documents WHERE projection = ? AND position < ?
    AND substr(key, 1, length(?)) = ?${tests.map(testSql).join('')} ORDER BY position DESC LIMIT ?`
  const values = tests.flatMap(test => [projection, test.field, testValue(test)])
  return decodeRows(connection.all<DocumentRow>(sql, projection, before, prefix, prefix, ...values, limit))
}

export function decodeRows(rows: readonly DocumentRow[]): StoredDocument<unknown>[] {
  return rows.map(decodeDocument).filter(document => document !== 'damaged')
}

/** Replaces the indexed fields of a document. */
export function saveFields(
  connection: Connection,
  projection: string,
  key: string,
  fields: readonly IndexedField[],
): void {
  connection.run('DELETE FROM document_fields WHERE projection = ? AND key = ?', projection, key)
  for (const { field, value, number } of fields)
    connection.run(
      'INSERT INTO document_fields (projection, key, field, value, number) VALUES (?, ?, ?, ?, ?)',
      projection,
      key,
      field,
      value,
      number,
    )
}

function testSql(test: StoredTest): string {
  const matches = 'atMost' in test ? 'number <= ?' : 'value IN (SELECT value FROM json_each(?))'
  return ` AND key IN (SELECT key FROM document_fields WHERE projection = ? AND field = ? AND ${matches})`
}

function testValue(test: StoredTest): string | number {
  return 'atMost' in test ? test.atMost : JSON.stringify(test.values)
}

function decodeDocument({ key, state, position }: DocumentRow): Decoded {
  const decoded = decodeJson(state)
  return decoded === undefined ? 'damaged' : { key, state: decoded, position }
}
