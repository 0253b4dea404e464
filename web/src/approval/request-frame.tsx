import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Approval, DisplayBlock } from '../api/types'
import { DiffView } from '../diff/diff-view'
import { revealedStyles, StyledText } from '../diff/styled-text'
import { commandMarks } from './command-marks'
import { useFileContext } from './file-context'
import { type RequestDiff, type RequestPart, requestParts } from './request-parts'

interface RequestFrameProps {
  approval: Approval
  isWhole: boolean
  /** Called with whether the whole request was visible, at once or by scrolling to its end. */
  onSeen(isSeen: boolean): void
  onShowAll(): void
}

/**
 * The request as the ledger has it: labels of Signalbox, values of the agent, hidden characters
 * revealed. A long request scrolls in its frame.
 */
export function RequestFrame({ approval, isWhole, onSeen, onShowAll }: RequestFrameProps) {
  const box = useRef<HTMLDivElement>(null)
  const hasEnded = useRef(false)
  const [isCut, setCut] = useState(false)
  const parts = useMemo(() => requestParts(approval), [approval.display.hash, approval.kind])
  const isProse = approval.kind === 'question' || approval.kind === 'gate' || approval.kind === 'plan'
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    const measure = () => {
      const rest = element.scrollHeight - element.clientHeight - element.scrollTop
      const cut = element.scrollHeight > element.clientHeight + 1
      hasEnded.current ||= rest <= 2
      setCut(cut)
      onSeen(!cut || hasEnded.current)
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    element.addEventListener('scroll', measure, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', measure)
    }
  }, [approval.display.hash, isWhole])
  const isEmpty = parts.facts.length + parts.texts.length + parts.diffs.length === 0 && parts.command === null
  return (
    <div class={`request ${isWhole ? 'whole' : ''} ${isProse ? 'prose-frame' : ''}`}>
      <div class="request-scroll" ref={box} {...(isCut && { tabIndex: 0, role: 'region', 'aria-label': 'Request' })}>
        {parts.command && <Command part={parts.command} risk={approval.risk} />}
        {parts.diffs.map((diff, index) => (
          <PlacedDiff key={index} approval={approval} diff={diff} />
        ))}
        {parts.texts.map((part, index) => (
          <div key={index}>
            {part.label !== '' && <div class="part-label">{part.label}</div>}
            <pre dir={isProse ? 'auto' : undefined}>{part.pieces.map(pieceText)}</pre>
          </div>
        ))}
        {parts.facts.length > 0 && (
          <dl class="request-facts">
            {parts.facts.map((part, index) => (
              <div key={index}>
                <dt>{part.label.replaceAll('_', ' ')}</dt>
                <dd dir="auto">{part.pieces.map(pieceText)}</dd>
              </div>
            ))}
          </dl>
        )}
        {isEmpty && <p class="small soft pad">The agent shows no details. Check its terminal before you decide.</p>}
      </div>
      {isCut && !isWhole && (
        <button type="button" class="see-all" onClick={onShowAll}>
          Show all
        </button>
      )}
    </div>
  )
}

function PlacedDiff({ approval, diff }: { approval: Approval; diff: RequestDiff }) {
  const lines = useFileContext(approval, diff)
  return (
    <div class="request-diff">
      {diff.file !== '' && <div class="part-label mono">{diff.file}</div>}
      <DiffView lines={lines} file={diff.file} />
    </div>
  )
}

function Command({ part, risk }: { part: RequestPart; risk: Approval['risk'] }) {
  const suspects = part.pieces.filter(({ finding, reading }) => finding !== undefined || reading !== undefined)
  const styles = [...commandMarks(part.text, risk), ...revealedStyles(part.text)]
  return (
    <pre class="command">
      {suspects.some(({ reading }) => reading !== undefined) ? (
        part.pieces.map(pieceText)
      ) : (
        <StyledText text={part.text} styles={styles} />
      )}
    </pre>
  )
}

function pieceText(piece: DisplayBlock, index: number) {
  if (piece.finding === undefined && piece.reading === undefined) return piece.text ?? ''
  return (
    <mark key={index} title={piece.reading === undefined ? piece.finding : `reads ${piece.reading}`}>
      {piece.text}
      {piece.reading !== undefined && <span class="sr"> (reads {piece.reading})</span>}
    </mark>
  )
}
