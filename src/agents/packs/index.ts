export {
  buildPack,
  loadDetections,
  loadPack,
  type PackDirectories,
  packAgents,
  packDirectory,
  readSources,
} from '../pack-files.js'
export { type PackFixture, readFixtures } from '../pack-fixtures.js'
