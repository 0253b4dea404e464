import type { Pack } from '../screen/index.js'
import { candidatesFor, titleRule } from './candidates.js'
import { entryKey, hasWords, type LearnedEntry, patternOf } from './entries.js'
import { countRight, type JudgedRecording, judge } from './judge.js'
import type { TaughtRecording } from './recordings.js'

/*
 * Learning is a search: every moment that is read wrong proposes entries from the rows on its
 * screen, each is tried on all recordings, and the one that corrects the most moments and breaks
 * none is kept. The search repeats until no candidate helps. A candidate that breaks one moment is
 * refused, however many it corrects: a wrong rule is worse than none, because structure reads
 * screens without a rule.
 *
 * Marks come before words. A mark (`│ ✓`) is drawn by the agent; a word may come from a tool or the
 * model, so an entry with words must occur in two recordings.
 */

/** Candidates that are tried in one round after the first that helps; further ones promise less. */
const CANDIDATES_PER_ROUND = 40
/** Recordings in which words must appear. */
const WORD_RECORDINGS_MIN = 2

export interface LearnedPack {
  entries: LearnedEntry[]
  /** For each entry, the moments that it corrected. */
  proofs: Map<LearnedEntry, { recording: string; t: number }[]>
  before: { right: number; all: number }
  after: { right: number; all: number }
  judged: JudgedRecording[]
}

export interface LearnOptions {
  /** The pack with these entries besides what the agent has already. */
  build(entries: readonly LearnedEntry[]): Pack
  /** Whether earlier fixtures of the agent still pass with these entries. */
  keepsFixtures(entries: readonly LearnedEntry[]): Promise<boolean>
  onRound?(state: { entries: number; right: number; all: number }): void
}

export async function learnPack(recordings: readonly TaughtRecording[], options: LearnOptions): Promise<LearnedPack> {
  const plain = options.build([])
  let judged = recordings.map(recording => judge(recording, plain))
  const before = countRight(judged)
  const entries: LearnedEntry[] = []
  const proofs: LearnedPack['proofs'] = new Map()
  const refused = new Set<string>()
  for (;;) {
    const best = await bestOf(ranked(judged, refused), { ...options, judged, entries, refused })
    if (!best) break
    entries.push(best.entry)
    proofs.set(best.entry, best.corrected)
    judged = best.judged
    options.onRound?.({ entries: entries.length, ...countRight(judged) })
  }
  return { entries, proofs, before, after: countRight(judged), judged }
}

/** Candidates of all wrong moments: marks first, then those that several moments propose. */
function ranked(judged: readonly JudgedRecording[], refused: ReadonlySet<string>): LearnedEntry[] {
  const votes = new Map<string, { entry: LearnedEntry; count: number }>()
  const vote = (entry: LearnedEntry) => {
    const key = entryKey(entry)
    const known = votes.get(key)
    if (known) known.count++
    else if (!refused.has(key)) votes.set(key, { entry, count: 1 })
  }
  const wrong = judged.flatMap(({ moments }) => moments.filter(({ isRight }) => !isRight))
  for (const moment of wrong) candidatesFor(moment).forEach(vote)
  const title = wrong.length > 0 ? titleRule(judged) : null
  if (title) vote(title)
  // Of entries with words, a hint that is never content claims the least.
  const rank = { chrome: 3, blocks: 2, terminators: 1, rule: 0 }
  return [...votes.values()]
    .filter(({ entry }) => !hasWords(entry) || seenIn(entry, judged) >= WORD_RECORDINGS_MIN)
    .sort(
      (a, b) =>
        Number(hasWords(a.entry)) - Number(hasWords(b.entry)) ||
        b.count - a.count ||
        rank[b.entry.list] - rank[a.entry.list],
    )
    .map(({ entry }) => entry)
}

function seenIn(entry: LearnedEntry, judged: readonly JudgedRecording[]): number {
  return judged.filter(({ texts }) => appliesTo(entry, texts)).length
}

function appliesTo(entry: LearnedEntry, texts: ReadonlySet<string>): boolean {
  if (entry.list === 'rule' && entry.region === 'title') return true
  const pattern = new RegExp(patternOf(entry).replaceAll(' ', '[\\x20\\u00a0]'), 'u')
  for (const text of texts) if (pattern.test(text)) return true
  return false
}

interface Found {
  entry: LearnedEntry
  judged: JudgedRecording[]
  corrected: { recording: string; t: number }[]
}

interface Round extends LearnOptions {
  judged: readonly JudgedRecording[]
  entries: readonly LearnedEntry[]
  refused: Set<string>
}

async function bestOf(candidates: readonly LearnedEntry[], round: Round): Promise<Found | null> {
  const found: Found[] = []
  let tried = 0
  for (const candidate of candidates) {
    // Words are tried only where no mark helps.
    if (found.length > 0 && (tried >= CANDIDATES_PER_ROUND || (hasWords(candidate) && !hasWords(found[0]!.entry))))
      break
    tried++
    const result = tryOne(withName(candidate, round.entries), round)
    if (result) found.push(result)
    else round.refused.add(entryKey(candidate))
  }
  found.sort((a, b) => b.corrected.length - a.corrected.length)
  for (const result of found) {
    if (await round.keepsFixtures([...round.entries, result.entry])) return result
    round.refused.add(entryKey(result.entry))
  }
  return null
}

/** Null if it corrects nothing or breaks something. */
function tryOne(entry: LearnedEntry, { judged, entries, build }: Round): Found | null {
  const pack = build([...entries, entry])
  const corrected: Found['corrected'] = []
  const next = new Map<JudgedRecording, JudgedRecording>()
  const isWrong = ({ moments }: JudgedRecording) => moments.some(({ isRight }) => !isRight)
  // The recordings that it may correct come first: most candidates end there.
  for (const group of [judged.filter(isWrong), judged.filter(recording => !isWrong(recording))]) {
    for (const before of group) {
      const after = appliesTo(entry, before.texts) ? judge(before.recording, pack) : before
      for (const [index, moment] of after.moments.entries()) {
        const was = before.moments[index]!.isRight
        if (was && !moment.isRight) return null
        if (!was && moment.isRight) corrected.push({ recording: before.recording.name, t: moment.moment.t })
      }
      next.set(before, after)
    }
    if (corrected.length < leastCorrected(entry)) return null
  }
  return { entry, judged: judged.map(recording => next.get(recording)!), corrected }
}

/** Bullets of lists and signs of changes are in answers, too: one moment proves nothing. */
const COMMON_MARK = /^\^(?: |\{\d+\})*\\?[-+*•·](?: |\\S)/u

function leastCorrected(entry: LearnedEntry): number {
  return COMMON_MARK.test(patternOf(entry)) ? 2 : 1
}

/** Rules have names. */
function withName(entry: LearnedEntry, entries: readonly LearnedEntry[]): LearnedEntry {
  if (entry.list !== 'rule') return entry
  const what = entry.view ?? entry.skip ?? 'screen'
  const taken = new Set(entries.flatMap(known => (known.list === 'rule' ? [known.id] : [])))
  let number = 1
  while (taken.has(`learned.${what}.${number}`)) number++
  return { ...entry, id: `learned.${what}.${number}` }
}
