/** A formatted part of a text, counted in UTF-16 units, as the Bot API describes it. */
export interface Entity {
  type: string
  offset: number
  length: number
  url?: string
  language?: string
}

interface ParsedText {
  text: string
  entities: Entity[]
}

/** The answer of the real server to a text that it cannot parse. */
export class EntityProblem extends Error {}

const TYPES: Readonly<Record<string, string>> = {
  b: 'bold',
  strong: 'bold',
  i: 'italic',
  em: 'italic',
  u: 'underline',
  ins: 'underline',
  s: 'strikethrough',
  strike: 'strikethrough',
  del: 'strikethrough',
  'tg-spoiler': 'spoiler',
  code: 'code',
  pre: 'pre',
  a: 'text_link',
  blockquote: 'blockquote',
}
const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' }

interface OpenTag {
  tag: string
  type: string
  offset: number
  url?: string
  language?: string
}

/**
 * Parses HTML mode as the Bot API does: few tags, strictly nested, byte offsets in error messages.
 * Markup that the real server accepts but ignores (a tag inside code, a quote in a quote) is
 * refused here as well, because it is always a mistake of the bot.
 */
export function parseHtml(html: string): ParsedText {
  let text = ''
  const entities: Entity[] = []
  const open: OpenTag[] = []
  let at = 0
  const byteOffset = (index: number) => Buffer.byteLength(html.slice(0, index))
  const fail = (message: string): never => {
    throw new EntityProblem(`can't parse entities: ${message}`)
  }
  while (at < html.length) {
    const char = html[at]!
    if (char === '&') {
      const found = /^&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w+));/i.exec(html.slice(at, at + 12))
      const decoded = found && decode(found)
      text += decoded ?? '&'
      at += decoded === null || !found ? 1 : found[0].length
      continue
    }
    if (char !== '<') {
      text += char
      at += 1
      continue
    }
    const start = at
    const end = html.indexOf('>', at)
    if (end < 0) fail(`Unclosed start tag at byte offset ${byteOffset(start)}`)
    const body = html.slice(at + 1, end)
    at = end + 1
    if (body.startsWith('/')) {
      const name = body.slice(1).trim().toLowerCase()
      const last = open.pop()
      if (!last) return fail(`Unexpected end tag at byte offset ${byteOffset(start)}`)
      if (last.tag !== name)
        fail(`Unmatched end tag at byte offset ${byteOffset(start)}, expected "</${last.tag}>", found "</${name}>"`)
      close(last)
      continue
    }
    open.push(opened(body, start))
  }
  const left = open.at(-1)
  if (left) fail(`Can't find end tag corresponding to start tag "${left.tag}"`)
  return { text, entities: entities.sort((a, b) => a.offset - b.offset || b.length - a.length) }

  function opened(body: string, start: number): OpenTag {
    const name = /^[a-z][a-z0-9-]*/i.exec(body)?.[0].toLowerCase() ?? ''
    const attributes = body.slice(name.length)
    const isSpoiler = name === 'span' && /^\s+class="tg-spoiler"$/.test(attributes)
    const type = isSpoiler ? 'spoiler' : TYPES[name]
    if (!type) fail(`Unsupported start tag "${name}" at byte offset ${byteOffset(start)}`)
    const inside = open.map(tag => tag.type)
    const isLanguage = name === 'code' && open.at(-1)?.tag === 'pre' && open.at(-1)?.offset === text.length
    if ((inside.includes('code') || inside.includes('pre')) && !isLanguage)
      fail(`"${name}" inside code at byte offset ${byteOffset(start)}`)
    if (type === 'blockquote' && inside.includes('blockquote'))
      fail(`nested blockquote at byte offset ${byteOffset(start)}`)
    const tag: OpenTag = { tag: name, type: type!, offset: text.length }
    if (name === 'a') {
      const href = /^\s+href="([^"]*)"$/.exec(attributes)?.[1]
      if (href === undefined) fail(`Empty or malformed href at byte offset ${byteOffset(start)}`)
      tag.url = parseHtmlText(href!)
    }
    if (isLanguage) tag.language = /^\s+class="language-([^"]+)"$/.exec(attributes)?.[1] ?? ''
    else if (
      attributes.trim() !== '' &&
      !isSpoiler &&
      name !== 'a' &&
      !(name === 'blockquote' && attributes.trim() === 'expandable')
    )
      fail(`Unexpected attribute in tag "${name}" at byte offset ${byteOffset(start)}`)
    return tag
  }

  function close({ type, offset, url, language }: OpenTag): void {
    const length = text.length - offset
    const pre = open.at(-1)
    // `<pre><code class="language-x">` is one entity: the inner tag only names the language.
    if (type === 'code' && language !== undefined && pre) pre.language = language
    else if (length > 0)
      entities.push({ type, offset, length, ...(url !== undefined && { url }), ...(language && { language }) })
  }
}

function decode([, decimal, hex, name]: RegExpExecArray): string | null {
  if (name !== undefined) return NAMED[name] ?? null
  const code = decimal !== undefined ? Number(decimal) : Number.parseInt(hex ?? '', 16)
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : null
}

function parseHtmlText(text: string): string {
  return text.replace(/&(lt|gt|amp|quot);/g, (_, name: string) => NAMED[name]!)
}
