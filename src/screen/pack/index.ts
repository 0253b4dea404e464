/*
 * Packs: pack-schema.ts is the format, pack-source.ts merges the files of a pack, parse-pack.ts
 * makes a `Pack` of them (pack.ts), detection.ts and versions.ts choose the pack of a running
 * agent. fixture-file.ts reads the fixtures beside a pack.
 */

export { type Detection, readDetection, readRange } from './detection.js'
export { parseFixtureFile } from './fixture-file.js'
export type { FixtureSpec, Pack, RuleSpec, RuleTimer } from './pack.js'
export type { PackSource } from './pack-source.js'
export { composePack, parsePack } from './parse-pack.js'
export { chooseRange, isInRange } from './versions.js'
