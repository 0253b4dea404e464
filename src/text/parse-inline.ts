/** Text with one set of marks. */
export interface InlineRun {
  text: string
  bold?: boolean
  italic?: boolean
  strike?: boolean
  code?: boolean
  link?: string
}

type Style = Omit<InlineRun, 'text'>

/** Characters that a backslash makes literal. */
const ESCAPABLE = /[!-/:-@[-`{-~]/u

/**
 * Parses inline Markdown into runs: code, bold, italic, strikethrough, links. A mark without its
 * partner is text: nothing that the agent wrote is dropped because it is malformed.
 */
export function parseInline(text: string): InlineRun[] {
  const runs: InlineRun[] = []
  parse(text.trim(), {}, runs)
  return runs
}

function parse(text: string, style: Style, runs: InlineRun[]): void {
  let plain = ''
  const flush = () => {
    push(runs, plain, style)
    plain = ''
  }
  for (let at = 0; at < text.length; ) {
    const rest = text.slice(at)
    if (rest[0] === '\\' && rest[1] !== undefined && ESCAPABLE.test(rest[1])) {
      plain += rest[1]
      at += 2
      continue
    }
    const span = codeAt(rest) ?? linkAt(rest) ?? emphasisAt(text, at)
    if (!span) {
      // A run of the same mark is skipped as a whole: its second half must not count as a start.
      const [piece] = /^(?:`+|\*+|_+|~+|.)/su.exec(rest)!
      plain += piece
      at += piece.length
      continue
    }
    flush()
    if (span.style.code) push(runs, span.text, { ...style, code: true })
    else parse(span.text, { ...style, ...span.style }, runs)
    at += span.length
  }
  flush()
}

interface Span {
  text: string
  style: Style
  length: number
}

function codeAt(rest: string): Span | null {
  const match = /^(`+)(?!`)([\s\S]*?[^`])\1(?!`)/u.exec(rest)
  if (!match) return null
  const inner = match[2]!.replaceAll('\n', ' ')
  const isPadded = inner.startsWith(' ') && inner.endsWith(' ') && inner.trim() !== ''
  return { text: isPadded ? inner.slice(1, -1) : inner, style: { code: true }, length: match[0].length }
}

function linkAt(rest: string): Span | null {
  const auto = /^<((?:https?|mailto):[^\s<>]+)>/u.exec(rest)
  if (auto) return { text: escapeMarks(auto[1]!), style: { link: auto[1]! }, length: auto[0].length }
  const match =
    /^!?\[((?:\\.|[^[\]\\]|\[[^[\]]*\])*)\]\(\s*<?((?:\\.|[^\s()<>\\]|\([^\s()]*\))*)>?(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)/u.exec(
      rest,
    )
  if (!match) return null
  const link = match[2]!.replace(/\\(.)/gu, '$1')
  return { text: match[1]! || escapeMarks(link), style: link === '' ? {} : { link }, length: match[0].length }
}

/** Text follows an opening mark and precedes a closing one; `a_b` is one word. */
function emphasisAt(text: string, at: number): Span | null {
  const mark = /^(?:\*{1,3}|_{1,3}|~~)/u.exec(text.slice(at))?.[0]
  if (!mark) return null
  const from = at + mark.length
  const isWordBefore = at > 0 && /[\p{L}\p{N}]/u.test(text[at - 1]!)
  if (/^\s?$/u.test(text[from] ?? '') || text[from] === mark[0] || (mark[0] === '_' && isWordBefore)) return null
  for (let end = text.indexOf(mark, from + 1); end >= 0; end = text.indexOf(mark, end + 1)) {
    const after = text[end + mark.length]
    const isLonger = after === mark[0]
    const isEscaped = text[end - 1] === '\\'
    const isInWord = mark[0] === '_' && after !== undefined && /[\p{L}\p{N}]/u.test(after)
    if (isLonger && mark.length < 3) {
      // `*a **b** c*`: the longer mark inside belongs to another pair.
      while (text[end + 1] === mark[0]) end++
      continue
    }
    if (/\s/u.test(text[end - 1]!) || isEscaped || isInWord || isInCode(text, from, end)) continue
    return { text: text.slice(from, end), style: styleOf(mark), length: end + mark.length - at }
  }
  return null
}

function isInCode(text: string, from: number, at: number): boolean {
  for (let start = from; start < at; ) {
    const code = text[start] === '`' ? codeAt(text.slice(start)) : null
    if (code && start + code.length > at) return true
    start += code?.length ?? 1
  }
  return false
}

function styleOf(mark: string): Style {
  if (mark === '~~') return { strike: true }
  return { ...(mark.length >= 2 && { bold: true }), ...(mark.length !== 2 && { italic: true }) }
}

function escapeMarks(text: string): string {
  return text.replace(/[\\`*_~[\]<]/gu, '\\$&')
}

function push(runs: InlineRun[], text: string, style: Style): void {
  if (text === '') return
  const last = runs.at(-1)
  if (last && JSON.stringify({ ...last, text: '' }) === JSON.stringify({ text: '', ...style })) last.text += text
  else runs.push({ text, ...style })
}
