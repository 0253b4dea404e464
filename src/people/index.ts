/*
 * The people who may use Signalbox from other devices, and their roles (`people.json`).
 *
 * To add a role: `ROLES` in people.ts, from the least to the most powerful; what each may do is
 * defined by the `role` of routes and bot commands.
 */
export { People, type Person, type PersonRole } from './people.js'
