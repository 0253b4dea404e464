import { changedSpans, type DiffLine, type Span } from './diff-lines'
import { tokensOf } from './highlight'
import { imitation, revealedStyles, type Style, StyledText } from './styled-text'

/** Only the beginning of a longer line, such as one of a minified file, is drawn. */
export const DRAWN_MAX = 2_000

export function LineText({ line, file }: { line: DiffLine; file: string }) {
  if (line.text === '') return <span class="text"> </span>
  const text = line.text.slice(0, DRAWN_MAX)
  const marks = [...(line.imitations ?? []).map(imitation), ...revealedStyles(text)]
  // The digits of a mark are not code.
  const tokens = (line.kind === 'note' ? [] : tokensOf(text, file)).filter(
    ({ from, to }) => !marks.some(mark => mark.from <= from && mark.to >= to),
  )
  const styles: Style[] = [
    ...tokens.map(({ from, to, kind }) => ({ from, to, class: `tok-${kind}` })),
    ...changedOf(line).map(span => ({ ...span, class: 'changed' })),
    ...marks,
  ]
  return (
    <span class="text">
      <StyledText text={text} styles={styles} />
      {line.text.length > DRAWN_MAX && (
        <span class="dim"> … {(line.text.length - DRAWN_MAX).toLocaleString('en')} more characters</span>
      )}
    </span>
  )
}

function changedOf({ kind, text, changed, twin }: DiffLine): readonly Span[] {
  if (!twin || text.length > DRAWN_MAX || twin.text.length > DRAWN_MAX) return changed
  return kind === 'removed' ? changedSpans(text, twin.text)[0] : changedSpans(twin.text, text)[1]
}
