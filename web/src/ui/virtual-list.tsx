import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

const WHOLE_UP_TO = 200
const MARGIN = 8

/** A list of rows of one height. Long ones draw only what is near the window; the page scrolls, not the list. */
export function VirtualList<T extends { id: string }>(props: {
  items: readonly T[]
  rowHeight: number
  label: string
  render(item: T, index: number): ComponentChildren
}) {
  const { items, rowHeight } = props
  const box = useRef<HTMLUListElement>(null)
  const [range, setRange] = useState({ from: 0, to: 40 })
  const isLong = items.length > WHOLE_UP_TO
  useEffect(() => {
    if (!isLong) return
    const look = () => {
      const top = -(box.current?.getBoundingClientRect().top ?? 0)
      const from = Math.max(0, Math.floor(top / rowHeight) - MARGIN)
      setRange({ from, to: from + Math.ceil(innerHeight / rowHeight) + 2 * MARGIN })
    }
    look()
    addEventListener('scroll', look, { passive: true })
    addEventListener('resize', look)
    return () => {
      removeEventListener('scroll', look)
      removeEventListener('resize', look)
    }
  }, [isLong, rowHeight])
  const from = isLong ? range.from : 0
  const to = isLong ? Math.min(items.length, range.to) : items.length
  return (
    <ul
      class="list"
      ref={box}
      aria-label={props.label}
      style={isLong ? { paddingTop: `${from * rowHeight}px`, height: `${items.length * rowHeight}px` } : undefined}
    >
      {items.slice(from, to).map((item, index) => (
        <li
          key={item.id}
          style={isLong ? { height: `${rowHeight}px`, overflow: 'hidden' } : undefined}
          aria-setsize={items.length}
          aria-posinset={from + index + 1}
        >
          {props.render(item, from + index)}
        </li>
      ))}
    </ul>
  )
}
