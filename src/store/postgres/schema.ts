import { randomBytes } from 'node:crypto'
import type { Client } from 'pg'
import { SignalboxError } from '../../errors/index.js'
import { APPEND_FUNCTIONS } from './append-function.js'

/** Group roles: what a server may do, and what a reader may do. Logins are granted one of them. */
export const SERVER_ROLE = 'signalbox_server'
const READER_ROLE = 'signalbox_reader'

/**
 * Migration n brings a schema from n to n + 1; each is additive, so that a server with schema n
 * works on schema n + 1. Migrations are only ever added.
 *
 * `log_end` has one row: the end of the log and its lock. `folded` names the projections whose
 * documents include every event; the others are folded up to `projections.position`. Texts are
 * compared by their bytes, as in every other backend. `data` is text, because jsonb rejects NUL and
 * lone surrogates.
 */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE meta (key text PRIMARY KEY, value text NOT NULL);
   CREATE TABLE log_end (
     one boolean PRIMARY KEY DEFAULT true CHECK (one),
     position bigint NOT NULL,
     folded text NOT NULL,
     chain_streams text[] NOT NULL,
     chain_value text NOT NULL,
     chain_position bigint NOT NULL
   );
   INSERT INTO log_end VALUES (true, 0, '[]', '{}', repeat('0', 64), 0);
   CREATE TABLE events (
     position bigint PRIMARY KEY,
     stream text COLLATE "C" NOT NULL,
     version bigint NOT NULL,
     type text COLLATE "C" NOT NULL,
     at bigint NOT NULL,
     data text NOT NULL,
     append uuid NOT NULL,
     ordinal integer NOT NULL,
     UNIQUE (stream, version)
   );
   CREATE UNIQUE INDEX events_by_append ON events (append) WHERE ordinal = 0;
   CREATE TABLE snapshots (key text COLLATE "C" PRIMARY KEY, version bigint NOT NULL, state text NOT NULL);
   CREATE TABLE projections (
     name text COLLATE "C" PRIMARY KEY,
     version integer NOT NULL,
     position bigint NOT NULL,
     failures bigint NOT NULL
   );
   CREATE TABLE documents (
     projection text COLLATE "C" NOT NULL,
     key text COLLATE "C" NOT NULL,
     state text NOT NULL,
     position bigint NOT NULL,
     revision uuid NOT NULL,
     PRIMARY KEY (projection, key)
   );
   CREATE INDEX documents_by_change ON documents (projection, position);
   CREATE TABLE document_fields (
     projection text COLLATE "C" NOT NULL,
     key text COLLATE "C" NOT NULL,
     field text COLLATE "C" NOT NULL,
     value text COLLATE "C" NOT NULL,
     number double precision,
     PRIMARY KEY (projection, key, field)
   );
   CREATE INDEX document_fields_by_value ON document_fields (projection, field, value);
   CREATE INDEX document_fields_by_number ON document_fields (projection, field, number) WHERE number IS NOT NULL;
   CREATE TABLE leases (
     key text COLLATE "C" PRIMARY KEY,
     owner text NOT NULL,
     epoch bigint NOT NULL,
     expires bigint NOT NULL
   );
   CREATE FUNCTION sb_now() RETURNS bigint LANGUAGE sql VOLATILE AS
     $$ SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;`,
  APPEND_FUNCTIONS,
]

/** The function runs with its owner's rights: it must find its owner's tables, and no others. */
const fixSearchPath = (schema: string) => `ALTER FUNCTION sb_append(json) SET search_path = ${quoted(schema)}, pg_temp`

/** The server's role adds events through the function only; no role changes or removes one. */
const grants = (schema: string) => `
  GRANT USAGE ON SCHEMA ${quoted(schema)} TO ${SERVER_ROLE}, ${READER_ROLE};
  GRANT SELECT ON ALL TABLES IN SCHEMA ${quoted(schema)} TO ${SERVER_ROLE}, ${READER_ROLE};
  GRANT INSERT, UPDATE, DELETE ON snapshots, projections, documents, document_fields, leases TO ${SERVER_ROLE};
  GRANT UPDATE (folded, chain_streams, chain_value, chain_position) ON log_end TO ${SERVER_ROLE};
  REVOKE ALL ON FUNCTION sb_append(json), sb_append_all(json, log_end, bigint) FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION sb_append(json) TO ${SERVER_ROLE}`

/** Roles belong to the whole database server: another store may have created them. */
const createRole = (role: string) => `DO $$ BEGIN
    IF to_regrole('${role}') IS NULL THEN CREATE ROLE ${role} NOLOGIN; GRANT ${role} TO CURRENT_USER; END IF;
  EXCEPTION WHEN duplicate_object OR unique_violation OR insufficient_privilege THEN NULL; END $$`

/** Arbitrary, but the same in every version: only one process migrates at a time. */
const MIGRATION_LOCK = 0x53474258

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/**
 * Creates or migrates the schema, and returns the store's id.
 * @throws SignalboxError `E_STORE_VERSION` for a schema that is too new.
 */
export async function migrate(client: Client, schema: string, shown: string, newId?: string): Promise<string> {
  const known = await readMeta(client, schema)
  const version = Number(known.get('schema_version') ?? 0)
  requireKnown(version, shown)
  if (version < MIGRATIONS.length) await applyMigrations(client, schema, shown, newId)
  const id = (version > 0 ? known : await readMeta(client, schema)).get('store_id')
  if (id) return id
  throw new SignalboxError('E_STORE_CORRUPT', `the store ${shown} is damaged: its store id is missing`)
}

async function applyMigrations(client: Client, schema: string, shown: string, newId: string | undefined) {
  // Outside the transaction: a role that cannot be created must not end it.
  for (const role of [SERVER_ROLE, READER_ROLE]) await client.query(createRole(role))
  // Before the transaction: one that has started may not see the tables that another process
  // creates.
  await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK])
  await client.query('BEGIN')
  try {
    const version = Number((await readMeta(client, schema)).get('schema_version') ?? 0)
    requireKnown(version, shown)
    if (version < MIGRATIONS.length) {
      await client.query(`CREATE SCHEMA IF NOT EXISTS ${quoted(schema)}`)
      await client.query("SELECT set_config('search_path', $1, true)", [quoted(schema)])
      for (const step of MIGRATIONS.slice(version)) await client.query(step)
      await client.query(fixSearchPath(schema))
      const { rows } = await client.query('SELECT to_regrole($1) IS NOT NULL AS has', [SERVER_ROLE])
      if (rows[0].has) await client.query(grants(schema))
      if (version === 0)
        await client.query("INSERT INTO meta VALUES ('store_id', $1)", [newId ?? randomBytes(4).toString('hex')])
      await client.query(
        "INSERT INTO meta VALUES ('schema_version', $1) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        [String(MIGRATIONS.length)],
      )
    }
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined)
    throw error
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined)
  }
}

async function readMeta(client: Client, schema: string): Promise<Map<string, string>> {
  const table = `${quoted(schema)}.meta`
  const { rows } = await client.query('SELECT to_regclass($1) IS NOT NULL AS has', [table])
  if (!rows[0].has) return new Map()
  const found = await client.query<{ key: string; value: string }>(`SELECT key, value FROM ${table}`)
  return new Map(found.rows.map(({ key, value }) => [key, value]))
}

/** One version ahead is fine: migrations only add. */
function requireKnown(version: number, shown: string): void {
  if (version <= MIGRATIONS.length + 1) return
  throw new SignalboxError(
    'E_STORE_VERSION',
    `the store ${shown} has schema ${version}; this version of Signalbox supports schemas up to ${MIGRATIONS.length + 1}`,
    { next: 'use the newer Signalbox that wrote it', details: { found: version, known: MIGRATIONS.length + 1 } },
  )
}
