import { lineDiff } from '../../../src/text/line-diff'

/** A range of characters of a line. */
export interface Span {
  from: number
  to: number
}

export interface DiffLine {
  kind: 'same' | 'added' | 'removed' | 'note'
  /** Its number in the old and in the new text. */
  before: number | null
  after: number | null
  text: string
  /** The characters that changed, where a line replaces another one. */
  changed: readonly Span[]
  /** The line that it replaces, or that replaces it: what changed is found when it is drawn. */
  twin?: DiffLine
  /** Characters that imitate others; only a request needs them marked. */
  imitations?: readonly (Span & { reading: string })[]
}

/** The difference of two texts, all lines of it. `first`: the number of their first line. */
export function diffTexts(before: string, after: string, first = 1): DiffLine[] {
  let [old, now] = [first, first]
  const lines = lineDiff(splitLines(before), splitLines(after)).map(({ kind, text }): DiffLine => {
    const numbers = {
      before: kind === 'added' ? null : old,
      after: kind === 'removed' ? null : now,
    }
    if (kind !== 'added') old++
    if (kind !== 'removed') now++
    return { kind, ...numbers, text, changed: [] }
  })
  return markChanges(lines)
}

function splitLines(text: string): string[] {
  if (text === '') return []
  return text.replace(/\n$/, '').split('\n')
}

export function note(text: string): DiffLine {
  return { kind: 'note', before: null, after: null, text, changed: [] }
}

/**
 * An added line replaces the removed line at the same position of its block: the words that differ
 * are marked in both, unless nearly everything does.
 */
export function markChanges(lines: readonly DiffLine[]): DiffLine[] {
  const marked = [...lines]
  let at = 0
  while (at < marked.length) {
    const removed = runLength(marked, at, 'removed')
    const added = runLength(marked, at + removed, 'added')
    for (let index = 0; index < Math.min(removed, added); index++) {
      const [old, now] = [marked[at + index]!, marked[at + removed + index]!]
      const [inOld, inNow] = changedSpans(old.text, now.text)
      marked[at + index] = { ...old, changed: inOld }
      marked[at + removed + index] = { ...now, changed: inNow }
    }
    at += Math.max(1, removed + added)
  }
  return marked
}

function runLength(lines: readonly DiffLine[], from: number, kind: DiffLine['kind']): number {
  let count = 0
  while (lines[from + count]?.kind === kind) count++
  return count
}

/** A mark that covers nearly the whole line says nothing. */
const MARKED_SHARE_MAX = 0.7

/** Words of a line that are aligned; of longer ones, only beginning and end are compared. */
const WORDS_MAX = 120

/** The words that differ, in each of the two lines; none if nearly everything does. */
export function changedSpans(before: string, after: string): [Span[], Span[]] {
  const [old, now] = [wordsOf(before), wordsOf(after)]
  let head = 0
  while (head < old.length && head < now.length && old[head] === now[head]) head++
  let tail = 0
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++
  const middle = (words: string[]) => words.slice(head, words.length - tail)
  const [kept, keptNow] = commonWords(middle(old), middle(now))
  const at = old.slice(0, head).join('').length
  const result: [Span[], Span[]] = [spansOf(middle(old), kept, at), spansOf(middle(now), keptNow, at)]
  const share = (spans: Span[], whole: string) =>
    spans.reduce((sum, { from, to }) => sum + to - from, 0) / Math.max(1, whole.trim().length)
  const isMarked = share(result[0], before) <= MARKED_SHARE_MAX && share(result[1], after) <= MARKED_SHARE_MAX
  return isMarked ? result : [[], []]
}

/** Which words are in the longest common subsequence of both; signs alone do not count. */
function commonWords(old: readonly string[], now: readonly string[]): [boolean[], boolean[]] {
  const kept: [boolean[], boolean[]] = [old.map(() => false), now.map(() => false)]
  if (old.length > WORDS_MAX || now.length > WORDS_MAX) return kept
  const width = now.length + 1
  const lengths = new Uint16Array((old.length + 1) * width)
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        old[i] === now[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!)
  let [i, j] = [0, 0]
  while (i < old.length && j < now.length) {
    if (old[i] === now[j]) {
      const isWord = /\w/.test(old[i]!)
      kept[0][i++] = isWord
      kept[1][j++] = isWord
    } else if (lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!) i++
    else j++
  }
  return kept
}

/** Changed words beside each other are one mark. */
function spansOf(words: readonly string[], kept: readonly boolean[], start: number): Span[] {
  const spans: Span[] = []
  let at = start
  words.forEach((word, index) => {
    const to = at + word.length
    const last = spans.at(-1)
    if (!kept[index]) {
      if (last?.to === at) last.to = to
      else spans.push({ from: at, to })
    }
    at = to
  })
  return spans
}

function wordsOf(text: string): string[] {
  return text.match(/\w+|\s+|[^\w\s]/g) ?? []
}
