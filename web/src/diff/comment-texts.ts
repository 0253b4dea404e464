import type { CommentPosition } from './view-rows'

/** A comment on a change that was not sent yet. */
export interface LineComment extends CommentPosition {
  id: string
  text: string
}

/** All comments as one prompt. */
export function promptOf(comments: readonly LineComment[]): string {
  const parts = inOrder(comments).map(({ file, line, side, code, text }) => {
    const position = line === null ? file : `${file}:${line}${side === 'before' ? ' (removed line)' : ''}`
    const quoted = code.trim() === '' ? '' : `\n> ${code.trim()}`
    return `${position}${quoted}\n${text}`
  })
  const [first] = parts
  return parts.length === 1 ? `About ${first}` : `Comments on your changes:\n\n${parts.join('\n\n')}`
}

/** All comments as the findings of a review. */
export function findingsOf(comments: readonly LineComment[]) {
  return inOrder(comments).map(({ file, line, side, code, text }) => ({
    file,
    line: side === 'before' ? null : line,
    text: side === 'before' && code.trim() !== '' ? `${text}\n\nRemoved line: ${code.trim()}` : text,
  }))
}

function inOrder(comments: readonly LineComment[]): LineComment[] {
  return [...comments].sort((a, b) => a.file.localeCompare(b.file) || (a.line ?? 0) - (b.line ?? 0))
}
