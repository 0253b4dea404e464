/*
 * The event store: streams of immutable events, and documents (projections) that are folded from
 * them in the transaction that appends them. Several processes use one store at once. The store
 * knows no event types; src/events/ defines them and passes a validator in.
 *
 * - event-store.ts is the interface; testing/conformance.ts is its contract as a test suite.
 *   open-store.ts chooses the backend. encode-event.ts, document-index.ts, log-subscription.ts and
 *   chain.ts (which makes tampering with the ledger detectable) are the same for all backends.
 * - sqlite/ implements it in a file. open.ts opens or creates it (store-file.ts, schema.ts),
 *   sqlite-store.ts is the class, connection.ts serializes transactions and waits for locks.
 *   event-reader.ts and event-rows.ts read and check rows, projector.ts folds documents,
 *   change-feed.ts notices commits of other processes, leases.ts fences drivers.
 * - postgres/ implements it in a database that several machines share. append-function.ts is the
 *   append, as one call; append-plan.ts computes versions and documents before it, append-queue.ts
 *   sends batches and repeats them. postgres-projector.ts folds what appends did not,
 *   log-listener.ts notices commits, connections.ts reconnects.
 * - backup/ writes and restores a file with everything; move/ moves a store from SQLite to
 *   PostgreSQL; blobs/ keeps files by the hash of their content.
 * - check.ts reports damage; quarantine.ts moves a damaged file aside and salvages what it can
 *   (salvage.ts). Nothing ever overwrites or deletes a damaged store.
 *
 * To change the schema, append a migration to schema.ts; shipped migrations never change.
 */

export type * from './event-store.js'
export { isStoreLost } from './lost-store.js'
export { openStore } from './open-store.js'
export { isStoreUrl, parseStoreUrl, readPasswordFile } from './postgres/store-url.js'
export { type Database, loadDriver } from './sqlite/driver.js'
export { quarantine } from './sqlite/quarantine.js'
export { isVersionConflict, retryConflicts } from './version-conflict.js'
