export { DriftFiles, type DriftScreen, type DriftVersion } from './drift-files.js'
