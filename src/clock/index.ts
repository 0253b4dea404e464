export type { Clock, Timer } from './clock.js'
export { newId, newNonce } from './ids.js'
export { SimulatedClock } from './simulated-clock.js'
export { delay, systemClock } from './system-clock.js'
