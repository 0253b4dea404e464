/*
 * A second entry point: the screens that packs did not recognise, kept as files.
 */

export { DriftFiles } from './drift-files.js'
