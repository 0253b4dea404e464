import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { DisplayBlock } from '../api/types'

interface Part {
  label: string
  pieces: DisplayBlock[]
}

interface RequestFrameProps {
  blocks: readonly DisplayBlock[]
  isWhole: boolean
  isProse?: boolean
  /** Called with whether the whole request is visible without scrolling. */
  onFits(fits: boolean): void
  onShowAll(): void
}

/**
 * The request as the ledger has it: labels of Signalbox, values of the agent, hidden characters
 * revealed.
 */
export function RequestFrame({ blocks, isWhole, isProse = false, onFits, onShowAll }: RequestFrameProps) {
  const box = useRef<HTMLDivElement>(null)
  const [isCut, setCut] = useState(false)
  useLayoutEffect(() => {
    const measure = () => {
      const values = [...(box.current?.querySelectorAll('pre') ?? [])]
      const cut = values.some(value => value.scrollHeight > value.clientHeight + 1)
      setCut(cut)
      onFits(!cut)
    }
    measure()
    const observer = new ResizeObserver(measure)
    if (box.current) observer.observe(box.current)
    return () => observer.disconnect()
  }, [blocks, isWhole])
  return (
    <div class={`request ${isWhole ? 'whole' : ''} ${isProse ? 'prose-frame' : ''}`} ref={box}>
      {partsOf(blocks).map((part, index) => (
        <div key={index} class={sideOf(part.label)}>
          {part.label !== '' && <div class="part-label">{part.label}</div>}
          <pre {...(isCut && { tabIndex: 0, role: 'region', 'aria-label': part.label || 'Request' })}>
            {part.pieces.map(pieceText)}
          </pre>
        </div>
      ))}
      {isCut && !isWhole && (
        <button type="button" class="see-all" onClick={onShowAll}>
          Show all
        </button>
      )}
    </div>
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

/** Marks the old and the new text of an edit with different colours. */
function sideOf(label: string): string {
  if (/^(find|old|old_string|oldText|search)$/i.test(label)) return 'part-old'
  if (/^(replace|new|new_string|newText|replacement)$/i.test(label)) return 'part-new'
  return ''
}

function partsOf(blocks: readonly DisplayBlock[]): Part[] {
  const parts: Part[] = []
  for (const block of blocks) {
    if (block.kind === 'label') parts.push({ label: block.text ?? '', pieces: [] })
    else if (parts.length === 0) parts.push({ label: '', pieces: [block] })
    else parts.at(-1)!.pieces.push(block)
  }
  return parts.length > 0 ? parts : [{ label: '', pieces: [] }]
}
