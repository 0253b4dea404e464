export {
  buildPack,
  loadDetections,
  loadPack,
  packAgents,
  readSources,
} from '../pack-files.js'
export { type PackFixture, readFixtures } from '../pack-fixtures.js'
export { changedPacks, fetchPack, installPack, readInstalled, removePack } from '../pack-install.js'
