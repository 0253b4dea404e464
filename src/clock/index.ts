export type { Clock, Timer } from './clock.js'
export { type IdPrefix, newId, newNonce } from './ids.js'
export { SimulatedClock } from './simulated-clock.js'
export { delay, systemClock } from './system-clock.js'
