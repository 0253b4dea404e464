import { visibleText } from '../../../src/text/visible-text'
import { type DiffLine, note } from './diff-lines'

/** A part of a file's diff with the lines around it. */
export interface DiffHunk {
  /** The line of git that opens it: `@@ -7,3 +7,4 @@ …`. */
  header: string
  /** Its lines as git prints them, with their signs. */
  raw: readonly string[]
  /** Where its lines are in `DiffFile.lines`; the first one is a note. */
  from: number
  to: number
}

export interface DiffFile {
  name: string
  /** Its name before, if it was renamed. */
  oldName: string
  added: number
  removed: number
  kind: 'changed' | 'added' | 'deleted' | 'renamed'
  isBinary: boolean
  /** What happened to the file besides its lines: “new file”, “renamed from …”. */
  note: string | null
  lines: DiffLine[]
  hunks: DiffHunk[]
}

/**
 * Parses a unified diff of git; hidden characters of its lines are made visible. Nothing else is
 * done with a line before it is drawn, because a diff may have tens of thousands of them.
 */
export function parseUnified(text: string): DiffFile[] {
  const files: DiffFile[] = []
  let file: DiffFile | null = null
  let hunk: (DiffHunk & { raw: string[] }) | null = null
  let before = 0
  let after = 0
  const close = () => {
    if (hunk && file) hunk.to = file.lines.length
  }
  for (const line of text.split('\n')) {
    if (line.startsWith('diff --git ')) {
      close()
      const [, oldName, name] = /^diff --git a\/(.*) b\/(.*)$/.exec(line) ?? ['', '?', '?']
      file = { ...EMPTY, name: name!, oldName: oldName!, lines: [], hunks: [] }
      files.push(file)
      hunk = null
      continue
    }
    if (!file) continue
    const header = line.startsWith('@@ ') ? /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$/.exec(line) : null
    if (header) {
      close()
      before = Number(header[1])
      after = Number(header[2])
      hunk = { header: line, raw: [], from: file.lines.length, to: 0 }
      file.hunks.push(hunk)
      // A deleted file has no lines after the change.
      const position = `line ${after || before}`
      file.lines.push(note(visible(header[3] ? `${position} · ${header[3]}` : position)))
      continue
    }
    if (!hunk) {
      describe(file, line)
      continue
    }
    const sign = line[0]
    if (sign === '+') {
      file.added++
      file.lines.push({ kind: 'added', before: null, after: after++, text: contentOf(line), changed: NONE })
    } else if (sign === '-') {
      file.removed++
      file.lines.push({ kind: 'removed', before: before++, after: null, text: contentOf(line), changed: NONE })
    } else if (sign === ' ')
      file.lines.push({ kind: 'same', before: before++, after: after++, text: contentOf(line), changed: NONE })
    if (sign !== undefined) hunk.raw.push(line)
  }
  close()
  for (const each of files) pairChangedLines(each.lines)
  return files
}

const NONE: readonly never[] = []
const EMPTY = { added: 0, removed: 0, kind: 'changed' as const, isBinary: false, note: null }

function describe(file: DiffFile, line: string): void {
  if (line.startsWith('new file')) Object.assign(file, { kind: 'added', note: 'new file' })
  else if (line.startsWith('deleted file')) Object.assign(file, { kind: 'deleted', note: 'deleted' })
  else if (line.startsWith('rename from '))
    Object.assign(file, { kind: 'renamed', note: `renamed from ${line.slice(12)}` })
  else if (line.startsWith('Binary files')) Object.assign(file, { isBinary: true, note: file.note ?? 'binary file' })
}

/** Without the sign, and without the end of a line of a file with CR LF. */
function contentOf(line: string): string {
  return visible(line.slice(1, line.endsWith('\r') ? -1 : undefined))
}

/** Nearly all lines: the test is several times faster than that of `visibleText`. */
const PLAIN = /^[\t\x20-\x7e]*$/

function visible(text: string): string {
  return PLAIN.test(text) ? text : visibleText(text, { tabs: 'keep' })
}

/** An added line replaces the removed line at the same position of its block. */
function pairChangedLines(lines: DiffLine[]): void {
  let at = 0
  while (at < lines.length) {
    let [removed, added] = [0, 0]
    while (lines[at + removed]?.kind === 'removed') removed++
    while (lines[at + removed + added]?.kind === 'added') added++
    for (let index = at; index < at + Math.min(removed, added); index++) {
      lines[index]!.twin = lines[index + removed]!
      lines[index + removed]!.twin = lines[index]!
    }
    at += Math.max(1, removed + added)
  }
}
