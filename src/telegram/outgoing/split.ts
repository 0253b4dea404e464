/** Telegram's own limit is 4 096 UTF-16 units after parsing; a little is kept back for what is added at the end. */
export const PART_UNITS = 3900

const ENTITY: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' }

/** What formatted text says, without its tags. */
export function plainOf(html: string): string {
  return html.replace(/<[^>]*>/g, '').replace(/&(lt|gt|amp|quot);/g, (_, name: string) => ENTITY[name]!)
}

/** Text of ours that carries no formatting, escaped for HTML mode. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, char => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[char]!)
}

/** For text that was refused as too long: its plain words in halves of the limit, cut at lines, else between whole characters. */
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

/** The greatest place at or before `at` that cuts no character in two. */
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
