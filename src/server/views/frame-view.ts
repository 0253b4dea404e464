import type { Frame, Row, Span } from '../../terminal/index.js'
import type { Redactor } from '../../text/index.js'

export type FrameFormat = 'text' | 'spans'

/** A frame as the API shows it; redacted secrets keep their width: nothing moves. */
export function frameView(frame: Frame, format: FrameFormat, redactor: Redactor) {
  return {
    cols: frame.cols,
    rows: frame.rows,
    title: redactor.redact(frame.title),
    buffer: frame.buffer,
    cursor: frame.cursor,
    lines:
      format === 'text'
        ? frame.lines.map(row => redactor.redactSameWidth(row.text))
        : frame.lines.map(row => redactSpans(row, redactor)),
  }
}

/**
 * A secret may span several spans: the whole row is redacted, then cut again at the spans.
 */
export function redactSpans({ spans }: Pick<Row, 'spans'>, redactor: Redactor): Span[] {
  const whole = spans.map(({ text }) => text).join('')
  const redacted = redactor.redactSameWidth(whole)
  if (redacted === whole) return [...spans]
  let at = 0
  return spans.map(span => {
    const text = redacted.slice(at, at + span.text.length)
    at += span.text.length
    return { ...span, text }
  })
}
