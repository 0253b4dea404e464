import { INLINE_CODE, type Span, type Style } from './style.js'

const MARKS: readonly { open: RegExp; style: Style }[] = [
  { open: /^\*\*(?=\S)([\s\S]*?\S)\*\*/, style: { bold: true } },
  { open: /^__(?=\S)([\s\S]*?\S)__(?!\w)/, style: { bold: true } },
  { open: /^~~(?=\S)([\s\S]*?\S)~~/, style: { strike: true } },
  { open: /^\*(?=[^\s*])([^*]*?[^\s*])\*(?!\*)/, style: { italic: true } },
  { open: /^_(?=[^\s_])([^_]*?[^\s_])_(?!\w)/, style: { italic: true } },
]

/** Inline Markdown to styled spans: code, bold, italic, strike, links. A mark that is not closed stays as it is written. */
export function inlineSpans(text: string, base: Style = {}): Span[] {
  const spans: Span[] = []
  let plain = ''
  const flush = () => {
    if (plain !== '') spans.push({ text: plain, style: base })
    plain = ''
  }
  let at = 0
  while (at < text.length) {
    const rest = text.slice(at)
    if (rest[0] === '\\' && /^\\[\\`*_~[\]|#]/.test(rest)) {
      plain += rest[1]
      at += 2
      continue
    }
    const code = /^(`+)([\s\S]*?[^`])\1(?!`)/.exec(rest)
    if (code) {
      flush()
      spans.push({ text: code[2]!, style: { ...base, ...INLINE_CODE } })
      at += code[0].length
      continue
    }
    const link = /^\[([^\]]+)\]\(([^)\s]+)\)/.exec(rest)
    if (link) {
      flush()
      spans.push({ text: link[1]!, style: { ...base, underline: true } }, { text: ` (${link[2]!})`, style: base })
      at += link[0].length
      continue
    }
    const isWordBefore = /\w$/.test(text.slice(0, at))
    const mark = MARKS.find(({ open }) => open.test(rest) && !(rest[0] === '_' && isWordBefore))
    if (mark) {
      const match = mark.open.exec(rest)!
      flush()
      spans.push(...inlineSpans(match[1]!, { ...base, ...mark.style }))
      at += match[0].length
      continue
    }
    plain += rest[0]
    at += 1
  }
  flush()
  return spans
}
