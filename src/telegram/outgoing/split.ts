/** Telegram's limit is 4 096 UTF-16 units; the rest is for what the bot adds. */
export const PART_UNITS = 3900

const ENTITY: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' }

/** Formatted text without its tags. */
export function plainOf(html: string): string {
  return html.replace(/<[^>]*>/g, '').replace(/&(lt|gt|amp|quot);/g, (_, name: string) => ENTITY[name]!)
}

/** Plain text, escaped for HTML mode. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, char => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[char]!)
}

/** For text refused as too long: plain parts of half the limit, cut at line ends. */
export function splitSmaller(html: string, units = PART_UNITS / 2): string[] {
  const parts: string[] = []
  let rest = plainOf(html)
  while (rest.length > units) {
    const line = rest.lastIndexOf('\n', units)
    const cut = line > units / 4 ? line : wholeCharacters(rest, units)
    parts.push(escapeHtml(rest.slice(0, cut)))
    rest = rest.slice(cut).replace(/^\n/, '')
  }
  return [...parts, escapeHtml(rest)]
}

/** The last position up to `at` that does not split a character. */
function wholeCharacters(text: string, at: number): number {
  let end = 0
  for (const { segment } of new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(
    text.slice(0, at + 64),
  )) {
    if (end + segment.length > at) break
    end += segment.length
  }
  return end > 0 ? end : at
}
