/*
 * A second entry point: reads, builds, installs and checks packs without loading the adapters of
 * agents.
 */

export {
  buildPack,
  loadDetections,
  loadPack,
  packAgents,
  readSources,
} from '../pack-files.js'
export { type PackFixture, readFixtures } from '../pack-fixtures.js'
export { changedPacks, fetchPack, installPack, readInstalled, removePack } from '../pack-install.js'
