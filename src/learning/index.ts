/*
 * Learns packs: from recordings of an agent, and from what was really happening in them, it
 * proposes marks and rules that read those screens right.
 *
 *   recordings + truth ─► readRecordings      casts; moments with the views that are right then
 *     ├ labels.ts             truth by hand: NAME.json beside the recording
 *     └ transcript-moments.ts truth by the agent: its own transcript, with times
 *   wrong moments ─► candidatesFor            marks of blocks and rules, from rows on the screen
 *   candidates ─► learnPack                   keeps those that correct moments and break none
 *   both ─► proposePack                       and whether it holds for recordings it has not seen
 *   entries ─► packText, fixtures.ts          the file, and the recordings that prove each entry
 *
 * Where to add what
 *
 * - A kind of entry that can be learned: candidates.ts, and its place in pack-text.ts.
 * - A form of transcripts of agents without an adapter: any-transcript.ts.
 */
export { type CrossCheck, proposePack } from './cross-check.js'
export { type LearnedEntry, readLearnedEntries } from './entries.js'
export { fixtureFiles } from './fixtures.js'
export { judgeAll } from './judge.js'
export { acceptedViews, mayNeedPerson, needsPerson } from './labels.js'
export type { LearnedPack } from './learn-pack.js'
export { packText } from './pack-text.js'
export { readRecordings, type TaughtRecording } from './recordings.js'
export { readSession } from './session-lessons.js'
export { momentsOf } from './transcript-moments.js'
