import { SignalboxError } from '../../errors/index.js'
import type { Database } from './driver.js'
import { corruptStore } from './sqlite-errors.js'

/** "SGBX": marks our files, so that a wrong path never gets our tables. */
const APPLICATION_ID = 0x53474258

/**
 * Migration n brings a file from schema n to n + 1. Migrations are only ever added: one that has
 * shipped has run somewhere.
 *
 * `projections.position` is how far the documents are folded. Not every program registers every
 * projection, so an append may leave some behind; a program that knows them catches up. `gaps`
 * holds the first version after events that a salvage could not save.
 */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
   CREATE TABLE events (
     position INTEGER PRIMARY KEY AUTOINCREMENT,
     stream TEXT NOT NULL,
     version INTEGER NOT NULL,
     type TEXT NOT NULL,
     at INTEGER NOT NULL,
     data TEXT NOT NULL,
     sum INTEGER NOT NULL,
     UNIQUE (stream, version)
   );
   CREATE TABLE snapshots (key TEXT PRIMARY KEY, version INTEGER NOT NULL, state TEXT NOT NULL);
   CREATE TABLE projections (
     name TEXT PRIMARY KEY,
     version INTEGER NOT NULL,
     position INTEGER NOT NULL,
     failures INTEGER NOT NULL
   ) WITHOUT ROWID;
   CREATE TABLE documents (
     projection TEXT NOT NULL,
     key TEXT NOT NULL,
     state TEXT NOT NULL,
     position INTEGER NOT NULL,
     PRIMARY KEY (projection, key)
   );
   CREATE INDEX documents_by_change ON documents (projection, position);
   CREATE TABLE gaps (stream TEXT NOT NULL, version INTEGER NOT NULL, PRIMARY KEY (stream, version)) WITHOUT ROWID;`,
  'CREATE TABLE leases (key TEXT PRIMARY KEY, owner TEXT NOT NULL, epoch INTEGER NOT NULL, expires INTEGER NOT NULL) WITHOUT ROWID;',
  // The append assigns positions. SQLite's own AUTOINCREMENT cost one more page write per commit,
  // for nothing, because no event is ever deleted. From this schema on `data` may be compressed,
  // which older programs cannot read.
  `CREATE TABLE events_3 (
     position INTEGER PRIMARY KEY,
     stream TEXT NOT NULL,
     version INTEGER NOT NULL,
     type TEXT NOT NULL,
     at INTEGER NOT NULL,
     data TEXT NOT NULL,
     sum INTEGER NOT NULL,
     UNIQUE (stream, version)
   );
   INSERT INTO events_3 (position, stream, version, type, at, data, sum)
     SELECT position, stream, version, type, at, data, sum FROM events ORDER BY position;
   DROP TABLE events;
   ALTER TABLE events_3 RENAME TO events;`,
  `CREATE TABLE document_fields (
     projection TEXT NOT NULL,
     field TEXT NOT NULL,
     value TEXT NOT NULL,
     number REAL,
     key TEXT NOT NULL,
     PRIMARY KEY (projection, key, field)
   ) WITHOUT ROWID;
   CREATE INDEX document_fields_by_value ON document_fields (projection, field, value);
   CREATE INDEX document_fields_by_number ON document_fields (projection, field, number) WHERE number IS NOT NULL;`,
]

export interface NewStoreMeta {
  id: string
  created: number
}

/**
 * Not in WAL mode yet: a new file is moved once it is complete, and must not have a journal next to
 * it. Statements are executed, not prepared, because the driver package keeps a database open after
 * `close()` until its prepared statements are collected.
 */
export function createSchema(database: Database, { id, created }: NewStoreMeta): void {
  database.exec(`PRAGMA application_id = ${APPLICATION_ID}; BEGIN IMMEDIATE`)
  for (const step of MIGRATIONS) database.exec(step)
  const rows = Object.entries({ store_id: id, created, schema_version: MIGRATIONS.length })
  database.exec(
    `INSERT INTO meta (key, value) VALUES ${rows.map(([key, value]) => `('${key}', '${value}')`).join(', ')}; COMMIT`,
  )
}

/** Migrates to the newest schema; throws for a file that is newer or not ours. */
export function migrate(database: Database, path: string, migrations: readonly string[] = MIGRATIONS): void {
  const id = database.prepare('PRAGMA application_id').get() as { application_id: number } | undefined
  if (id?.application_id !== APPLICATION_ID) throw corruptStore(path, 'it is not a Signalbox store')
  if (needsMigration(database, path, migrations.length)) {
    database.exec('BEGIN IMMEDIATE')
    try {
      // Another process may have migrated it while this one waited for the lock.
      if (needsMigration(database, path, migrations.length)) applySteps(database, path, migrations)
      database.exec('COMMIT')
    } catch (error) {
      database.exec('ROLLBACK')
      throw error
    }
  }
}

/** @throws SignalboxError `E_STORE_MOVED` */
export function requireNotMoved(database: Database, path: string): void {
  const to = readMeta(database, 'moved_to')
  if (to === undefined) return
  throw new SignalboxError('E_STORE_MOVED', `the events of ${path} were moved to ${to}`, {
    next: `set store.url = "${to}" in the settings`,
    place: { file: path },
  })
}

export function readStoreId(database: Database, path: string): string {
  const id = readMeta(database, 'store_id')
  if (!id || !/^[0-9a-f]{8}$/.test(id)) throw corruptStore(path, 'its store id is missing')
  return id
}

function applySteps(database: Database, path: string, migrations: readonly string[]): void {
  for (const step of migrations.slice(schemaVersion(database, path))) database.exec(step)
  database.prepare("UPDATE meta SET value = ? WHERE key = 'schema_version'").run(String(migrations.length))
}

function needsMigration(database: Database, path: string, known: number): boolean {
  const found = schemaVersion(database, path)
  if (found > known) {
    throw new SignalboxError(
      'E_STORE_VERSION',
      `the store ${path} has schema ${found}; this version of Signalbox supports schemas up to ${known}`,
      {
        next: 'use the newer Signalbox that wrote it',
        place: { file: path },
        details: { found, known },
      },
    )
  }
  return found < known
}

function schemaVersion(database: Database, path: string): number {
  const version = Number(readMeta(database, 'schema_version'))
  if (!Number.isInteger(version) || version < 1) throw corruptStore(path, 'its schema version is missing')
  return version
}

function readMeta(database: Database, key: string): string | undefined {
  const row = database.prepare('SELECT value FROM meta WHERE key = ?').get(key) as { value: string } | undefined
  return row?.value
}
