import type { Projection } from '../../src/store/index.js'

/**
 * Counts the events of each stream. The count must agree with the log, whatever happened to the
 * process that wrote it.
 */
export const tally: Projection = {
  name: 'tally',
  version: 1,
  types: ['test.counted'],
  key: event => event.stream,
  evolve: state => ({ count: ((state as { count: number } | null)?.count ?? 0) + 1 }),
}
