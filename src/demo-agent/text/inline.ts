import { parseInline } from '../../text/index.js'
import { INLINE_CODE, type Span, type Style } from './style.js'

/** Inline Markdown as styled spans; the address of a link follows its text in brackets. */
export function inlineSpans(text: string, base: Style = {}): Span[] {
  const runs = parseInline(text)
  return runs.flatMap(({ text: words, link, code, ...marks }, index) => {
    const style = { ...base, ...marks, ...(code && INLINE_CODE), ...(link !== undefined && { underline: true }) }
    const isEnd = link !== undefined && runs[index + 1]?.link !== link
    const span = { text: words, style }
    return isEnd && link !== words ? [span, { text: ` (${link})`, style: base }] : [span]
  })
}
