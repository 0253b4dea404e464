import type { Block } from './block.js'
import { type TaggedText, telegramText } from './telegram-text.js'
import { visibleBlocks } from './visible-blocks.js'

/** UTF-16 units of a message, counted after its tags and entities are resolved. */
const TELEGRAM_UNITS = 4096
/** A break before this share of the limit would make the message too short. */
const EARLIEST_BREAK = 0.25

/**
 * Blocks as Telegram messages in HTML: as few as possible, split between blocks if possible,
 * otherwise at a line, a sentence, a word. The text is split before it is escaped and tagged, so no
 * tag or entity is ever cut.
 */
export function renderTelegram(blocks: readonly Block[], options: { maxUnits?: number } = {}): string[] {
  const maxUnits = options.maxUnits ?? TELEGRAM_UNITS
  const parts: TaggedText[] = []
  const borders = new Set<number>()
  let length = 0
  for (const block of visibleBlocks(blocks)) {
    const own = telegramText(block).filter(part => part.text !== '')
    if (own.length === 0) continue
    if (parts.length > 0) {
      borders.add(length)
      own.unshift({ text: '\n\n', tags: [] })
    }
    for (const part of own) {
      parts.push(part)
      length += part.text.length
    }
  }
  const text = parts.map(part => part.text).join('')
  return cutPages(parts, pages(text, borders, maxUnits))
    .map(toHtml)
    .filter(html => html !== '')
}

function pages(text: string, borders: ReadonlySet<number>, maxUnits: number): [start: number, end: number][] {
  const found: [number, number][] = []
  let start = 0
  while (text.length - start > maxUnits) {
    const end = breakBefore(text, start, start + maxUnits, borders)
    found.push([start, end])
    // The indentation of a line is text, the break before it is not.
    const gap = text[end] === '\n' ? /\n+/uy : /\s+/uy
    gap.lastIndex = end
    start = end + (gap.exec(text)?.[0].length ?? 0)
  }
  return [...found, [start, text.length]]
}

function breakBefore(text: string, start: number, limit: number, borders: ReadonlySet<number>): number {
  const earliest = start + Math.floor((limit - start) * EARLIEST_BREAK)
  for (let at = limit; at > earliest; at--) if (borders.has(at)) return at
  for (const isBreak of [
    (at: number) => text[at] === '\n',
    (at: number) => /\s/u.test(text[at]!) && /[.!?。！？]["')\]]?$/u.test(text.slice(Math.max(start, at - 2), at)),
    (at: number) => /\s/u.test(text[at]!),
  ]) {
    for (let at = limit; at > earliest; at--) if (at < text.length && isBreak(at)) return at
  }
  const isInsidePair = /[\ud800-\udbff]/.test(text[limit - 1]!) && /[\udc00-\udfff]/.test(text[limit]!)
  return isInsidePair && limit - 1 > start ? limit - 1 : limit
}

/** The parts of each page. Pages are consecutive, so the parts are visited once. */
function cutPages(parts: readonly TaggedText[], found: readonly (readonly [number, number])[]): TaggedText[][] {
  let next = 0
  let at = 0
  return found.map(([start, end]) => {
    const kept: TaggedText[] = []
    while (next < parts.length && at < end) {
      const part = parts[next]!
      const text = part.text.slice(Math.max(0, start - at), end - at)
      if (text !== '') kept.push({ ...part, text })
      if (at + part.text.length > end) break
      at += part.text.length
      next++
    }
    return trimParts(kept)
  })
}

function trimParts(parts: readonly TaggedText[]): TaggedText[] {
  const first = parts.findIndex(part => part.text.trim() !== '')
  const last = parts.findLastIndex(part => part.text.trim() !== '')
  return first < 0 ? [] : parts.slice(first, last + 1)
}

function toHtml(parts: readonly TaggedText[]): string {
  let html = ''
  let open: readonly string[] = []
  for (const { text, tags } of parts) {
    const shared = sharedTags(open, tags)
    html +=
      closing(open.slice(shared)) +
      tags
        .slice(shared)
        .map(tag => `<${tag}>`)
        .join('') +
      escapeHtml(text)
    open = tags
  }
  return html + closing(open)
}

function sharedTags(a: readonly string[], b: readonly string[]): number {
  let shared = 0
  while (shared < a.length && shared < b.length && a[shared] === b[shared]) shared++
  return shared
}

function closing(tags: readonly string[]): string {
  return [...tags]
    .reverse()
    .map(tag => `</${tag.split(' ')[0]}>`)
    .join('')
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
