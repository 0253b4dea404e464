export { DriftFiles } from './drift-files.js'
