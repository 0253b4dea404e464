import { lineDiff } from '../../../src/text/line-diff'
import { visibleText } from '../../../src/text/visible-text'

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
  /** Characters that imitate others; only a request needs them marked. */
  imitations?: readonly (Span & { reading: string })[]
}

export interface DiffFile {
  name: string
  added: number
  removed: number
  /** What happened to the file besides its lines: “new file”, “renamed from …”. */
  note: string | null
  lines: DiffLine[]
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

/** Parses a unified diff of git; hidden characters of its lines are made visible. */
export function parseUnified(text: string): DiffFile[] {
  const files: DiffFile[] = []
  let file: DiffFile | null = null
  let isHunk = false
  let before = 0
  let after = 0
  for (const line of text.split('\n')) {
    const header = /^diff --git a\/(.*) b\/(.*)$/.exec(line)
    if (header) {
      file = { name: header[2]!, added: 0, removed: 0, note: null, lines: [] }
      files.push(file)
      isHunk = false
      continue
    }
    if (!file) continue
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$/.exec(line)
    if (hunk) {
      before = Number(hunk[1])
      after = Number(hunk[2])
      isHunk = true
      file.lines.push(note(hunk[3] ? `line ${after} · ${hunk[3]}` : `line ${after}`))
    } else if (!isHunk) {
      const said = noteOf(line)
      if (said) file.note = said
    } else if (line.startsWith('+')) {
      file.added++
      file.lines.push({ kind: 'added', before: null, after: after++, text: contentOf(line), changed: [] })
    } else if (line.startsWith('-')) {
      file.removed++
      file.lines.push({ kind: 'removed', before: before++, after: null, text: contentOf(line), changed: [] })
    } else if (line.startsWith(' '))
      file.lines.push({ kind: 'same', before: before++, after: after++, text: contentOf(line), changed: [] })
  }
  for (const each of files) each.lines = markChanges(each.lines)
  return files
}

/** Without the sign, and without the end of a line of a file with CR LF. */
function contentOf(line: string): string {
  return visibleText(line.slice(1).replace(/\r$/, ''), { tabs: 'keep' })
}

function noteOf(line: string): string | null {
  if (line.startsWith('new file')) return 'new file'
  if (line.startsWith('deleted file')) return 'deleted'
  if (line.startsWith('rename from ')) return `renamed from ${line.slice(12)}`
  return line.startsWith('Binary files') ? 'binary file' : null
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
