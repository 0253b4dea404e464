import { type Block, blockWords, reconcile } from '../../screen/index.js'

/** One finished piece of the agent's answer as the agent itself wrote it down. `t`: seconds since the session's start. */
export interface ReportedText {
  id: string
  t: number
  blocks: readonly Block[]
}

export interface Reconciled {
  blocks: Block[]
  /** Records whose words the screen showed. */
  found: Set<string>
  /** All text of the screen is confirmed by a record. */
  isConfirmed: boolean
}

/** Share of the words that two texts must have in common to be the same one. */
const SAME = 0.6
/** Texts of fewer words must be equal. */
const SHORT = 4
const TEXT = new Set(['prose', 'code', 'list', 'table', 'diff'])

/**
 * The screen's blocks with the agent's own words in their place.
 *
 * A record is compared with every run of neighbouring text blocks, not block with block: the screen may have read two paragraphs as one, or
 * a list as prose, and text that is not found again would stand there twice. Of all runs behind the one before, that with the most words in
 * common is replaced. What is drawn last, or has lost its beginning, may be a part of the record only.
 *
 * @param isFinal no more rows will come: records that no run was found for are put in block by block.
 */
export function reconcileReported(
  shown: readonly Block[],
  said: readonly ReportedText[],
  { isFinal }: { isFinal: boolean },
): Reconciled {
  const found = new Set<string>()
  const confirmed = new Set<number>()
  const result: Block[] = []
  let next = 0
  let waiting: ReportedText[] = []
  const copyTo = (end: number) => {
    const between = shown.slice(next, end)
    result.push(
      ...(isFinal && waiting.length > 0
        ? reconcile(
            between,
            waiting.flatMap(of => [...of.blocks]),
          )
        : between),
    )
    if (isFinal) for (const { id } of waiting) found.add(id)
    waiting = []
    next = end
  }
  for (const record of said) {
    const run = findRun(shown, next, record)
    if (!run) {
      waiting.push(record)
      continue
    }
    copyTo(run.first)
    result.push(...inPlaceOf(shown.slice(run.first, run.last + 1), record))
    for (let index = run.first; index <= run.last; index++) confirmed.add(index)
    found.add(record.id)
    next = run.last + 1
  }
  copyTo(shown.length)
  const isConfirmed = shown.every((block, index) => !TEXT.has(block.kind) || confirmed.has(index))
  return { blocks: result, found, isConfirmed }
}

function findRun(shown: readonly Block[], from: number, record: ReportedText): { first: number; last: number } | null {
  const wanted = record.blocks.flatMap(blockWords)
  if (wanted.length === 0) return null
  let best: { first: number; last: number; score: number } | null = null
  for (let first = from; first < shown.length; first++) {
    const left = countWords(wanted)
    let common = 0
    let total = 0
    let isPart = false
    for (let last = first; last < shown.length && TEXT.has(shown[last]!.kind); last++) {
      const block = shown[last]!
      isPart ||= block.missing || block.provisional
      for (const word of blockWords(block)) {
        total++
        const count = left.get(word) ?? 0
        if (count === 0) continue
        left.set(word, count - 1)
        common++
      }
      const score = scoreOf(common, total, wanted.length, isPart)
      if (score !== null && score > (best?.score ?? 0)) best = { first, last, score }
      if (total > wanted.length * 2 + SHORT) break
    }
  }
  return best
}

function scoreOf(common: number, shown: number, wanted: number, isPart: boolean): number | null {
  if (shown === 0) return null
  const whole = isPart ? Math.min(shown, wanted) : Math.max(shown, wanted)
  const isSame = whole < SHORT ? common === whole : common >= whole * SAME
  // Among parts that fit, the longer one.
  return isSame ? common / Math.max(shown, wanted) : null
}

/** Ids stay where they were, so that whoever shows a block replaces it. */
function inPlaceOf(run: readonly Block[], record: ReportedText): Block[] {
  const rows: [number, number] = [run[0]!.rows[0], run.at(-1)!.rows[1]]
  return record.blocks.map((block, index) => ({
    ...block,
    id: run[index]?.id ?? `${run[0]!.id}+${index}`,
    rows: run[index]?.rows ?? rows,
  }))
}

function countWords(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}
