/*
 * The event store: streams of immutable events, and documents (projections) that are folded from
 * them in the transaction that appends them. Several processes use one file at once. The store
 * knows no event types; src/events/ defines them and passes a validator in.
 *
 * - event-store.ts is the interface; testing/conformance.ts is its contract as a test suite.
 * - sqlite/ implements it. open.ts opens or creates the file (store-file.ts, schema.ts),
 *   sqlite-store.ts is the class, connection.ts serializes transactions and waits for locks.
 *   event-reader.ts and event-rows.ts read and check rows, projector.ts folds documents,
 *   subscription.ts and change-feed.ts deliver new events, leases.ts fences drivers, chain.ts makes
 *   tampering with the ledger detectable.
 * - check.ts reports damage; quarantine.ts moves a damaged file aside and salvages what it can
 *   (readable-copy.ts, salvage.ts). Nothing ever overwrites or deletes a damaged store.
 *
 * To change the schema, append a migration to schema.ts; shipped migrations never change.
 */

export type * from './event-store.js'
export { type Database, loadDriver } from './sqlite/driver.js'
export type { EventValidator } from './sqlite/event-rows.js'
export { type OpenStoreOptions, openStore } from './sqlite/open.js'
export { type Quarantine, quarantine } from './sqlite/quarantine.js'
export type { SalvageCounts } from './sqlite/salvage.js'
