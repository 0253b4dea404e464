import type { LineComment } from './comment-texts'
import type { DiffLine } from './diff-lines'
import { DRAWN_MAX } from './line-text'
import type { DiffFile, DiffHunk } from './unified-diff'

export type Layout = 'unified' | 'split'

interface RowBase {
  key: string
  file: DiffFile
}
export type ViewRow = RowBase &
  (
    | { kind: 'file' }
    | { kind: 'image' }
    | { kind: 'hunk'; hunk: DiffHunk; text: string }
    | { kind: 'line'; line: DiffLine }
    | { kind: 'pair'; left: DiffLine | null; right: DiffLine | null }
    | { kind: 'comment'; comment: LineComment }
    | { kind: 'editor'; position: CommentPosition }
  )

/** Where a comment is: a line of the text before or after, or the whole file (null). */
export interface CommentPosition {
  file: string
  side: 'before' | 'after'
  line: number | null
  /** The code of the line. */
  code: string
}

interface RowOptions {
  layout: Layout
  folded: ReadonlySet<string>
  comments: readonly LineComment[]
  editing: CommentPosition | null
}

const IMAGE = /\.(png|jpe?g|gif|webp|avif|bmp|ico|svg)$/i

function isImage({ name }: Pick<DiffFile, 'name'>): boolean {
  return IMAGE.test(name)
}

/** Everything that the viewer shows, in order, as one list of rows. */
export function viewRows(files: readonly DiffFile[], options: RowOptions): ViewRow[] {
  const rows: ViewRow[] = []
  for (const file of files) addFile(rows, file, options)
  return rows
}

function addFile(rows: ViewRow[], file: DiffFile, { layout, folded, comments, editing }: RowOptions): void {
  const { name } = file
  rows.push({ key: `f ${name}`, kind: 'file', file })
  if (folded.has(name)) return
  const own = comments.filter(comment => comment.file === name)
  const edited = editing?.file === name ? editing : null
  const addAfter = (side: CommentPosition['side'], line: number | null) => {
    for (const comment of own)
      if (comment.line === line && (line === null || comment.side === side))
        rows.push({ key: `c ${comment.id}`, kind: 'comment', file, comment })
    if (edited && edited.line === line && (line === null || edited.side === side))
      rows.push({ key: `e ${name} ${side} ${line}`, kind: 'editor', file, position: edited })
  }
  const hasNotes = own.length > 0 || edited !== null
  if (hasNotes) addAfter('after', null)
  if (isImage(file)) rows.push({ key: `i ${name}`, kind: 'image', file })
  for (const [number, hunk] of file.hunks.entries()) {
    const key = `${name} ${number}`
    rows.push({ key: `h ${key}`, kind: 'hunk', file, hunk, text: file.lines[hunk.from]!.text })
    for (let at = hunk.from + 1; at < hunk.to; ) {
      const step = layout === 'unified' ? addLine(rows, file, at, key) : addPairs(rows, file, at, hunk.to, key)
      if (hasNotes)
        for (let index = at; index < at + step; index++) {
          const { kind, before, after } = file.lines[index]!
          if (kind === 'removed') addAfter('before', before)
          else addAfter('after', after)
        }
      at += step
    }
  }
}

function addLine(rows: ViewRow[], file: DiffFile, at: number, key: string): number {
  rows.push({ key: `l ${key} ${at}`, kind: 'line', file, line: file.lines[at]! })
  return 1
}

/** An unchanged line, or all removed lines beside the added ones that follow them. */
function addPairs(rows: ViewRow[], file: DiffFile, at: number, end: number, key: string): number {
  const { lines } = file
  const line = lines[at]!
  if (line.kind === 'same') {
    rows.push({ key: `p ${key} ${at}`, kind: 'pair', file, left: line, right: line })
    return 1
  }
  let middle = at
  while (middle < end && lines[middle]!.kind === 'removed') middle++
  let last = middle
  while (last < end && lines[last]!.kind === 'added') last++
  for (let index = 0; index < Math.max(middle - at, last - middle); index++) {
    const left = at + index < middle ? lines[at + index]! : null
    const right = middle + index < last ? lines[middle + index]! : null
    rows.push({ key: `p ${key} ${at + index}`, kind: 'pair', file, left, right })
  }
  return Math.max(1, last - at)
}

const LINE_PX = 20
const ESTIMATES = { file: 38, image: 220, hunk: 26, line: LINE_PX, comment: 90, editor: 150 } as const

/** The height of a row before it was drawn; `columns`: the characters that fit into one side. */
export function rowHeight(row: ViewRow, columns: number): number {
  if (row.kind !== 'pair') return ESTIMATES[row.kind]
  const length = Math.max(row.left?.text.length ?? 0, row.right?.text.length ?? 0)
  return LINE_PX * Math.max(1, Math.ceil(Math.min(length, DRAWN_MAX) / columns))
}

/** The characters of the longest line, for the width of lines that do not wrap. */
export function longestLine(files: readonly DiffFile[]): number {
  let longest = 0
  for (const { lines } of files) for (const { text } of lines) longest = Math.max(longest, text.length)
  return Math.min(longest, DRAWN_MAX + 40)
}

/** The next or previous row of a kind from a row on; the row itself if there is none. */
export function rowFrom(rows: readonly ViewRow[], from: number, step: 1 | -1, isWanted: (row: ViewRow) => boolean) {
  for (let at = from + step; at >= 0 && at < rows.length; at += step) if (isWanted(rows[at]!)) return at
  return from
}
