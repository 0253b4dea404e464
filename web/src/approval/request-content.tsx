import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Approval } from '../api/types'
import { DiffView } from '../diff/diff-view'
import { pieceStyles, Revealed, StyledText } from '../diff/styled-text'
import { commandMarks } from './command-marks'
import { useFileContext } from './file-context'
import { type RequestDiff, type RequestPart, requestParts } from './request-parts'

interface RequestContentProps {
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
export function RequestContent({ approval, isWhole, onSeen, onShowAll }: RequestContentProps) {
  const box = useRef<HTMLDivElement>(null)
  const hasEnded = useRef(false)
  const [isCut, setCut] = useState(false)
  const parts = useMemo(() => requestParts(approval), [approval.display.hash, approval.kind])
  const isProse = approval.kind === 'question' || approval.kind === 'gate' || approval.kind === 'plan'
  useLayoutEffect(() => {
    const element = box.current
    if (!element) {
      onSeen(true)
      return
    }
    const measure = () => {
      const rest = element.scrollHeight - element.clientHeight - element.scrollTop
      const cut = element.scrollHeight > element.clientHeight + 1
      // What fits now may be cut when more of it is loaded: only scrolling to the end counts.
      hasEnded.current ||= cut && rest <= 2
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
  if (isEmpty && approval.kind === 'gate') return null
  return (
    <div class={`request ${isWhole ? 'whole' : ''} ${isProse ? 'prose-frame' : ''}`}>
      <div class="request-scroll" ref={box} {...(isCut && { tabIndex: 0, role: 'region', 'aria-label': 'Request' })}>
        {parts.command && <Command part={parts.command} risk={approval.risk} />}
        {parts.diffs.map((diff, index) => (
          <PlacedDiff key={index} approval={approval} diff={diff} />
        ))}
        {parts.texts.map((part, index) => (
          <div key={index}>
            {part.label !== '' && (
              <div class="part-label">
                <Revealed text={part.label} />
              </div>
            )}
            <pre dir={isProse ? 'auto' : undefined}>
              <Value part={part} />
            </pre>
          </div>
        ))}
        {parts.facts.length > 0 && (
          <dl class="request-facts">
            {parts.facts.map((part, index) => (
              <div key={index}>
                <dt>
                  <Revealed text={part.label.replaceAll('_', ' ')} />
                </dt>
                <dd dir="auto">
                  <Value part={part} />
                </dd>
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
      {diff.file !== '' && (
        <div class="part-label mono">
          <Revealed text={diff.file} />
        </div>
      )}
      <DiffView lines={lines} file={diff.file} />
    </div>
  )
}

function Command({ part, risk }: { part: RequestPart; risk: Approval['risk'] }) {
  return (
    <pre class="command">
      <StyledText text={part.text} styles={[...commandMarks(part.text, risk), ...pieceStyles(part.pieces)]} />
    </pre>
  )
}

function Value({ part }: { part: RequestPart }) {
  return <StyledText text={part.text} styles={pieceStyles(part.pieces)} />
}
