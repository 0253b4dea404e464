/** Every word must occur in one of the texts. */
export function hasWords(q: string | undefined, texts: readonly (string | null | undefined)[]): boolean {
  if (q === undefined) return true
  const all = texts.join('\n').toLowerCase()
  return q
    .toLowerCase()
    .split(/\s+/)
    .every(word => all.includes(word))
}
