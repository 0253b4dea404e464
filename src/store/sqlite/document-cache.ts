import type { StoredDocument } from '../event-store.js'
import type { Connection } from './connection.js'
import { type DocumentRow, decodeRows, readDocuments } from './documents.js'

/** Longer lists are read anew each time: they would keep too much memory. */
const DOCUMENTS_MAX = 5_000

interface CachedList {
  version: number
  /** All changes up to this position of the log are in the list. */
  position: number
  /** Most recently changed first. */
  documents: readonly StoredDocument<unknown>[]
}

/**
 * The whole lists of projections, as they were read last. A later read decodes only the documents
 * that have changed since, whichever process changed them: every change of a document has a higher
 * position, and a removed document is missing in the number of rows. The documents are shared
 * between readers, so they are frozen; readers ask for them with `isReadOnly`.
 */
export class DocumentCache {
  readonly #connection: Connection
  readonly #lists = new Map<string, CachedList>()

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** All documents of a projection, most recently changed first. */
  read(projection: string): StoredDocument<unknown>[] {
    const at = this.#connection.get<{ version: number; position: number }>(
      'SELECT version, position FROM projections WHERE name = ?',
      projection,
    )
    const known = this.#lists.get(projection)
    const updated = at && known?.version === at.version ? this.#update(projection, known) : null
    const documents = updated ?? readDocuments(this.#connection, projection, {}).map(freeze)
    this.#lists.delete(projection)
    // What is appended between these statements is read again next time.
    if (at && documents.length <= DOCUMENTS_MAX) this.#lists.set(projection, { ...at, documents })
    return [...documents]
  }

  /** Null if documents were removed. */
  #update(projection: string, { documents, position }: CachedList): readonly StoredDocument<unknown>[] | null {
    const sql = `SELECT key, state, position FROM documents WHERE projection = ? AND position > ?
      ORDER BY position DESC`
    const changed = decodeRows(this.#connection.all<DocumentRow>(sql, projection, position)).map(freeze)
    const keys = new Set(changed.map(({ key }) => key))
    const all = keys.size === 0 ? documents : [...changed, ...documents.filter(({ key }) => !keys.has(key))]
    const { count } = this.#connection.get<{ count: number }>(
      'SELECT count(*) AS count FROM documents WHERE projection = ?',
      projection,
    )!
    return count === all.length ? all : null
  }
}

function freeze(document: StoredDocument<unknown>): StoredDocument<unknown> {
  freezeDeep(document)
  return document
}

function freezeDeep(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  Object.freeze(value)
  for (const part of Object.values(value)) freezeDeep(part)
}
