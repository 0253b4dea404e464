import { visibleText } from '../../../src/text/visible-text'
import type { DisplayBlock } from '../api/types'
import type { Span } from './diff-lines'

export interface Style extends Span {
  class: string
  title?: string
  /** What the characters imitate. */
  reading?: string
}

/** A line of text with overlapping styles, as flat elements. */
export function StyledText({ text, styles }: { text: string; styles: readonly Style[] }) {
  if (styles.length === 0) return <>{text}</>
  return (
    <>
      {piecesOf(text, styles).map(({ from, to, class: kind, title, reading }) => {
        const words = text.slice(from, to)
        if (kind === '') return words
        const Element = kind.split(' ').includes(REVEALED_CLASS) ? 'mark' : 'span'
        return (
          <Element key={from} class={kind} title={title}>
            {words}
            {reading !== undefined && <Reading text={reading} />}
          </Element>
        )
      })}
    </>
  )
}

/** A word is shown; of a single character, such as a typographic quote, the mark is enough. */
function Reading({ text }: { text: string }) {
  return <span class={text.length > 1 ? 'reading' : 'sr'}> (reads {text})</span>
}

/** A text of an agent, with hidden characters made visible and marked. */
export function Revealed({ text }: { text: string }) {
  const shown = visibleText(text)
  return <StyledText text={shown} styles={revealedStyles(shown)} />
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
    const reading = over.find(style => style.to === to && style.reading !== undefined)?.reading
    return {
      from,
      to,
      class: over.map(style => style.class).join(' '),
      ...(title !== undefined && { title }),
      ...(reading !== undefined && { reading }),
    }
  })
}

const REVEALED_CLASS = 'revealed'

/** `⟦U+202E⟧`, `␛`, `␍`: a hidden character that was made visible. */
const REVEALED = /⟦[^⟧]{1,24}⟧|[␛␍]/g

export function revealedStyles(text: string): Style[] {
  return [...text.matchAll(REVEALED)].map(({ 0: match, index }) => ({
    from: index,
    to: index + match.length,
    class: REVEALED_CLASS,
    title: 'a hidden character',
  }))
}

/** The marks of a value in pieces, as the ledger displays it. */
export function pieceStyles(pieces: readonly DisplayBlock[]): Style[] {
  const styles: Style[] = []
  let at = 0
  for (const { text = '', finding, reading } of pieces) {
    const [from, to] = [at, at + text.length]
    if (reading !== undefined) styles.push(imitation({ from, to, reading }))
    else if (finding !== undefined) styles.push({ from, to, class: REVEALED_CLASS, title: finding })
    at = to
  }
  return styles
}

export function imitation({ from, to, reading }: Span & { reading: string }): Style {
  return { from, to, class: REVEALED_CLASS, title: `reads ${reading}`, reading }
}
