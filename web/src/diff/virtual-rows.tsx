import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Unchanged } from '../ui/unchanged'
import { RowPositions } from './row-positions'

/*
 * A list of tens of thousands of rows of which only those near the visible part are in the
 * document. Heights are estimated by the caller; rows that may be higher carry `data-measured`, and
 * are corrected once they are drawn, without moving what the person reads.
 */

interface Row {
  /** Stays the same while the row means the same. */
  key: string
}

export interface RowsHandle {
  /** Shows a row at the top, or moves as little as needed. */
  show(index: number, where?: 'top' | 'near'): void
  focus(): void
}

interface VirtualRowsProps<R extends Row> {
  rows: readonly R[]
  label: string
  /** A change of this function draws all rows again. */
  draw(row: R, index: number): VNode
  estimate(row: R): number
  cursor: number
  handle: { current: RowsHandle | null }
  /** What stays above the rows while they scroll: it gets the first visible row. */
  head?(first: number): ComponentChildren
  onKeyDown?(event: KeyboardEvent): void
  /** The width of the longest row; rows do not wrap. */
  columns?: number | undefined
}

/** Rows are added before they are visible. */
const AHEAD_PX = 700
/** The range of drawn rows changes in steps: most scroll events draw nothing. */
const STEP = 16
/** The height of what `head` draws, when a row is shown below it. */
const HEAD_PX = 40

export function VirtualRows<R extends Row>(props: VirtualRowsProps<R>) {
  const { rows, draw, estimate, cursor, handle, head } = props
  const box = useRef<HTMLDivElement>(null)
  const drawn = useRef<HTMLDivElement>(null)
  const measured = useRef(new Map<string, number>())
  const target = useRef<number | null>(null)
  const [range, setRange] = useState({ from: 0, to: STEP * 5, first: 0 })
  const [, setMeasures] = useState(0)
  const positions = useMemo(() => {
    return new RowPositions(rows.map(row => measured.current.get(row.key) ?? estimate(row)))
  }, [rows, estimate])

  const update = () => {
    // An observer may still report after the list is gone.
    if (!box.current) return
    const { scrollTop, clientHeight } = box.current
    const from = Math.floor(positions.indexAt(scrollTop - AHEAD_PX) / STEP) * STEP
    const to = (Math.floor(positions.indexAt(scrollTop + clientHeight + AHEAD_PX) / STEP) + 1) * STEP
    const first = positions.indexAt(scrollTop + 1)
    setRange(now => (now.from === from && now.to === to && now.first === first ? now : { from, to, first }))
  }

  useLayoutEffect(update, [positions])
  useEffect(() => {
    const width = () => box.current?.clientWidth ?? 0
    let before = width()
    const observer = new ResizeObserver(() => {
      // Other widths wrap lines elsewhere.
      if (width() !== before) measured.current.clear()
      before = width()
      box.current?.style.setProperty('--rows-width', `${before}px`)
      update()
    })
    observer.observe(box.current!)
    return () => observer.disconnect()
  }, [positions])

  useLayoutEffect(() => {
    const { scrollTop } = box.current!
    const anchor = positions.indexAt(scrollTop)
    const above = scrollTop - positions.topOf(anchor)
    let isChanged = false
    for (const element of drawn.current!.querySelectorAll<HTMLElement>('[data-measured]')) {
      const index = Number(element.dataset.measured)
      const row = rows[index]
      if (!row) continue
      const height = element.getBoundingClientRect().height
      measured.current.set(row.key, height)
      if (positions.setHeight(index, height)) isChanged = true
    }
    if (target.current !== null) {
      box.current!.scrollTop = positions.topOf(target.current)
      if (!isChanged) target.current = null
    } else if (isChanged) box.current!.scrollTop = positions.topOf(anchor) + above
    if (isChanged) setMeasures(count => count + 1)
  })

  handle.current = {
    show: (index, where = 'top') => {
      if (!box.current) return
      const { scrollTop, clientHeight } = box.current
      const top = positions.topOf(index)
      if (where === 'near' && top > scrollTop + HEAD_PX && top + 60 < scrollTop + clientHeight) return
      if (where === 'near') box.current.scrollTop = Math.max(0, top - clientHeight / 3)
      else {
        target.current = index
        box.current.scrollTop = top
      }
      update()
    },
    focus: () => box.current?.focus({ preventScroll: true }),
  }

  return (
    <div
      ref={box}
      class="rows"
      tabIndex={0}
      role="region"
      aria-label={props.label}
      onScroll={update}
      onKeyDown={props.onKeyDown}
    >
      {head && <div class="rows-head">{head(Math.min(range.first, rows.length - 1))}</div>}
      <div
        class="rows-space"
        style={{
          height: `${positions.total}px`,
          ...(props.columns && { minWidth: `calc(${props.columns}ch + var(--gutter))` }),
        }}
      >
        <div ref={drawn} class="rows-drawn" style={{ top: `${positions.topOf(range.from)}px` }}>
          {rows.slice(range.from, range.to).map((row, index) => (
            <Unchanged key={row.key} by={[row, range.from + index, draw]}>
              {() => draw(row, range.from + index)}
            </Unchanged>
          ))}
        </div>
        {cursor >= range.from && cursor < range.to && (
          <div
            class="rows-cursor"
            style={{ top: `${positions.topOf(cursor)}px`, height: `${positions.heightOf(cursor)}px` }}
          />
        )}
      </div>
    </div>
  )
}
