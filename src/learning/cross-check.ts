import { countRight, judge } from './judge.js'
import { type LearnedPack, type LearnOptions, learnPack } from './learn-pack.js'
import type { TaughtRecording } from './recordings.js'

/** How a learned pack reads recordings that it was not learned from. */
export interface CrossCheck {
  all: number
  /** Right without the learned entries. */
  without: number
  /** Right with them. */
  learned: number
}

/** A learned pack with what it is worth on other recordings. */
export interface Proposal extends LearnedPack {
  /** Null if nothing was learned, or if there are too few recordings to tell. */
  unseen: CrossCheck | null
  /** It reads other recordings worse than no pack does: it must not be written. */
  isWorse: boolean
}

const GROUPS = 3

/** Learns a pack and checks it: `signalbox packs learn` writes the entries unless `isWorse`. */
export async function proposePack(
  recordings: readonly TaughtRecording[],
  { onCheck, ...options }: LearnOptions & { onCheck?: () => void },
): Promise<Proposal> {
  const learned = await learnPack(recordings, options)
  if (learned.entries.length === 0) return { ...learned, unseen: null, isWorse: false }
  onCheck?.()
  const unseen = await crossCheck(recordings, { build: options.build, keepsFixtures: options.keepsFixtures })
  return { ...learned, unseen, isWorse: unseen !== null && unseen.learned < unseen.without }
}

/**
 * What an agent does in one recording may be different in the next: an entry that corrects a moment
 * here may break one there. The recordings are dealt into groups, and each group is read with what
 * the other groups teach. Null if there are too few recordings to tell.
 */
async function crossCheck(
  recordings: readonly TaughtRecording[],
  options: Omit<LearnOptions, 'onRound'>,
): Promise<CrossCheck | null> {
  if (recordings.length < GROUPS) return null
  const plain = options.build([])
  const sum: CrossCheck = { all: 0, without: 0, learned: 0 }
  for (let group = 0; group < GROUPS; group++) {
    const heldOut = recordings.filter((_, index) => index % GROUPS === group)
    const lessons = recordings.filter((_, index) => index % GROUPS !== group)
    const { entries } = await learnPack(lessons, options)
    const pack = options.build(entries)
    const without = countRight(heldOut.map(recording => judge(recording, plain)))
    sum.all += without.all
    sum.without += without.right
    sum.learned += countRight(heldOut.map(recording => judge(recording, pack))).right
  }
  return sum
}
