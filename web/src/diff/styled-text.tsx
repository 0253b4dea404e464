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
  const cuts = [0, text.length]
  for (const { from, to } of styles) cuts.push(from, to)
  cuts.sort((a, b) => a - b)
  const pieces: Style[] = []
  for (let index = 1; index < cuts.length; index++) {
    const [from, to] = [cuts[index - 1]!, cuts[index]!]
    if (from === to || from < 0 || to > text.length) continue
    const piece: Style = { from, to, class: '' }
    for (const style of styles) {
      if (style.from > from || style.to < to) continue
      piece.class = piece.class === '' ? style.class : `${piece.class} ${style.class}`
      if (style.title !== undefined) piece.title ??= style.title
      if (style.to === to && style.reading !== undefined) piece.reading ??= style.reading
    }
    pieces.push(piece)
  }
  return pieces
}

const REVEALED_CLASS = 'revealed'

/** Nearly all lines: without a hidden character that was made visible. */
const PLAIN = /^[\t\x20-\x7e]*$/
/** `⟦U+202E⟧`, `␛`, `␍`: a hidden character that was made visible. */
const REVEALED = /⟦[^⟧]{1,24}⟧|[␛␍]/g

export function revealedStyles(text: string): Style[] {
  if (PLAIN.test(text)) return []
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
