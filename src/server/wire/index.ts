/*
 * What leaves the server: JSON with moments as RFC 3339 (time-fields.ts) and without secrets
 * (clean-text.ts). To add a field that holds a moment: its name in time-fields.ts.
 */

export { type Sendable, TIME_FIELDS, type TimeForm, toJson } from './time-fields.js'
