import { useMemo } from 'preact/hooks'
import { visibleText } from '../../../src/text/visible-text'
import type { Approval } from '../api/types'
import type { DiffLine, Span } from '../diff/diff-lines'
import { request } from '../transport/request'
import { useLoad } from '../ui/use-load'
import type { RequestDiff } from './request-parts'

const AROUND = 3
const FILE_MAX = 2_000_000

/**
 * The diff of an edit with its place in the file: real line numbers and a few lines around it. The
 * numbers are left out where the file cannot be read or does not contain the old text exactly once.
 */
export function useFileContext(approval: Approval, diff: RequestDiff): DiffLine[] {
  const { session } = approval.subject
  const old = oldText(approval.request.input)
  const isWanted = session !== undefined && old !== null && diff.file !== '' && approval.state === 'pending'
  const { value } = useLoad(isWanted ? `${session} ${diff.file} ${approval.id}` : '', async signal => {
    if (!isWanted) return null
    const response = await request(`/sessions/${session}/files?path=${encodeURIComponent(diff.file)}`, { signal })
    const text = await response.text()
    return text.length > FILE_MAX ? null : text
  })
  return useMemo(() => locateDiff(diff.lines, old, value), [diff, old, value])
}

export function locateDiff(lines: readonly DiffLine[], old: string | null, file: string | null): DiffLine[] {
  const at = old === null || old === '' || file === null ? -1 : file.indexOf(old)
  if (at < 0 || file!.indexOf(old!, at + 1) >= 0) return lines.map(line => ({ ...line, before: null, after: null }))
  const first = file!.slice(0, at).split('\n').length
  const all = file!.split('\n')
  // The first and the last line may be changed only in part.
  const head = file!.slice(file!.lastIndexOf('\n', at - 1) + 1, at)
  const end = at + old!.length
  const tail = file!.slice(end, file!.indexOf('\n', end) < 0 ? undefined : file!.indexOf('\n', end))
  const shift = first - 1
  const moved = lines.map(line => ({
    ...line,
    before: line.before === null ? null : line.before + shift,
    after: line.after === null ? null : line.after + shift,
  }))
  const isWholeLines = head.trim() === '' && (tail.trim() === '' || old!.endsWith('\n'))
  if (!isWholeLines) return moved
  const oldLines = old!.replace(/\n$/, '').split('\n').length
  const grown =
    lines.filter(({ kind }) => kind === 'added').length - lines.filter(({ kind }) => kind === 'removed').length
  const same = (number: number, by: number): DiffLine => ({
    kind: 'same',
    before: number,
    after: number + by,
    text: visibleText(all[number - 1]!, { tabs: 'keep' }),
    changed: [],
  })
  const above = range(Math.max(1, first - AROUND), first - 1).map(number => same(number, 0))
  const below = range(first + oldLines, Math.min(all.length, first + oldLines + AROUND - 1)).map(number =>
    same(number, grown),
  )
  // The agent's text lacks the indentation before its beginning.
  return [...above, ...moved.map(line => (isFirst(line, first) ? indented(line, head) : line)), ...below]
}

function isFirst({ before, after }: DiffLine, first: number): boolean {
  return before === first || (before === null && after === first)
}

function indented(line: DiffLine, head: string): DiffLine {
  const moved = <T extends Span>(span: T): T => ({ ...span, from: span.from + head.length, to: span.to + head.length })
  return {
    ...line,
    text: head + line.text,
    changed: line.changed.map(moved),
    ...(line.imitations && { imitations: line.imitations.map(moved) }),
  }
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index)
}

const OLD_FIELDS = ['old_string', 'oldText', 'old_str', 'find', 'search', 'old'] as const

function oldText(input: unknown): string | null {
  const fields = (input ?? {}) as Record<string, unknown>
  for (const name of OLD_FIELDS) if (typeof fields[name] === 'string') return fields[name]
  return null
}
