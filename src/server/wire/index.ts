export { type InMilliseconds, type Sendable, TIME_FIELDS, type TimeForm, toJson } from './time-fields.js'
