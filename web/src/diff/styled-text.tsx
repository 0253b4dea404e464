import type { Span } from './diff-lines'

export interface Style extends Span {
  class: string
  title?: string
}

/** A line of text with overlapping styles, as flat elements. */
export function StyledText({ text, styles }: { text: string; styles: readonly Style[] }) {
  if (styles.length === 0) return <>{text}</>
  return (
    <>
      {piecesOf(text, styles).map(({ from, to, class: kind, title }) =>
        kind === '' ? (
          text.slice(from, to)
        ) : (
          <span key={from} class={kind} title={title}>
            {text.slice(from, to)}
          </span>
        ),
      )}
    </>
  )
}

/** Cuts the text at every boundary of a style. */
export function piecesOf(text: string, styles: readonly Style[]): Style[] {
  const cuts = [...new Set([0, text.length, ...styles.flatMap(({ from, to }) => [from, to])])]
    .filter(cut => cut >= 0 && cut <= text.length)
    .sort((a, b) => a - b)
  return cuts.slice(0, -1).map((from, index) => {
    const to = cuts[index + 1]!
    const over = styles.filter(style => style.from <= from && style.to >= to)
    const title = over.find(style => style.title !== undefined)?.title
    return { from, to, class: over.map(style => style.class).join(' '), ...(title !== undefined && { title }) }
  })
}

/** `⟦U+202E⟧`: a hidden character that was made visible. */
const REVEALED = /⟦[^⟧]{1,24}⟧/g

export function revealedStyles(text: string): Style[] {
  return [...text.matchAll(REVEALED)].map(({ 0: match, index }) => ({
    from: index,
    to: index + match.length,
    class: 'revealed',
    title: 'a hidden character',
  }))
}
