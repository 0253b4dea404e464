/*
 * Time and randomness, injected: the system's clock, a simulated one for tests, and ids. Nothing
 * else reads the time or starts a timer.
 */

export type { Clock, Timer } from './clock.js'
export { ClosableClock } from './closable-clock.js'
export { idPrefix, matchingIds, newId, newNonce } from './ids.js'
export { SimulatedClock } from './simulated-clock.js'
export { SynchronizedClock } from './synchronized-clock.js'
export { delay, setDeadline, systemClock } from './system-clock.js'
