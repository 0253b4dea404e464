/*
 * Moves a store from a SQLite file to a PostgreSQL database. A part of its own, so that only the
 * command that moves loads it.
 */

export { moveStore } from './move-store.js'
