/**
 * Agents wrap their text themselves, so the terminal's soft-wrap flag is silent and a paragraph arrives as rows. Two rows belong to one
 * paragraph if the first word of the second would not have fitted behind the first. What decides is the width the agent wraps at (pack).
 */
export function isContinuation(above: { width: number; text: string }, below: { text: string; wrapped: boolean }, textWidth: number): boolean {
  if (below.wrapped) return true
  const word = /^\s*(\S+)/u.exec(below.text)?.[1] ?? ''
  return above.width + 1 + cellWidth(word) > textWidth
}

/** The blank between two joined rows; none inside a long word that was cut at the edge, or between two wide characters. */
export function joint(above: { width: number; text: string }, below: { text: string; wrapped: boolean }, textWidth: number): string {
  if (below.wrapped) return ''
  const last = above.text.trimEnd().at(-1) ?? ''
  const next = below.text.trimStart().at(0) ?? ''
  if (isWide(last) && isWide(next)) return ''
  const isFull = above.width >= textWidth
  return isFull && /[\w/.:_?&=%-]/.test(last) && /[\w/.:_?&=%-]/.test(next) && !/\s/.test(above.text.trim()) ? '' : ' '
}

function isWide(character: string): boolean {
  return /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u.test(character)
}

export function cellWidth(text: string): number {
  let width = 0
  for (const character of text) width += isWide(character) ? 2 : 1
  return width
}
