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
 * Where as many lines are added as were removed, each added line replaces a removed one: the words
 * that differ are marked in both.
 */
export function markChanges(lines: readonly DiffLine[]): DiffLine[] {
  const marked = [...lines]
  let at = 0
  while (at < marked.length) {
    const removed = runLength(marked, at, 'removed')
    const added = runLength(marked, at + removed, 'added')
    if (removed > 0 && removed === added)
      for (let index = 0; index < removed; index++) {
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
const MARKED_MAX = 0.7

/** The part between the common beginning and the common end, in whole words. */
export function changedSpans(before: string, after: string): [Span[], Span[]] {
  const [old, now] = [wordsOf(before), wordsOf(after)]
  let head = 0
  while (head < old.length && head < now.length && old[head] === now[head]) head++
  let tail = 0
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++
  const span = (words: string[], whole: string): Span[] => {
    const from = words.slice(0, head).join('').length
    const to = whole.length - words.slice(words.length - tail).join('').length
    return to > from ? [{ from, to }] : []
  }
  const result: [Span[], Span[]] = [span(old, before), span(now, after)]
  const share = (spans: Span[], whole: string) =>
    spans.reduce((sum, { from, to }) => sum + to - from, 0) / Math.max(1, whole.trim().length)
  const isMarked = share(result[0], before) <= MARKED_MAX && share(result[1], after) <= MARKED_MAX
  return isMarked ? result : [[], []]
}

function wordsOf(text: string): string[] {
  return text.match(/\w+|\s+|[^\w\s]/g) ?? []
}
