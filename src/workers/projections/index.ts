/** What the store needs of workers: a second entry point, for programs that must start fast. */
export { workersProjection } from '../worker-record.js'
