import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

const VIRTUAL_FROM = 200
const MARGIN = 8

/**
 * A list of rows of equal height. A long list draws only the rows near the viewport; the page
 * scrolls, not the list.
 */
export function VirtualList<T extends { id: string }>(props: {
  items: readonly T[]
  rowHeight: number
  label: string
  render(item: T, index: number): ComponentChildren
}) {
  const { items, rowHeight } = props
  const box = useRef<HTMLUListElement>(null)
  const [range, setRange] = useState({ from: 0, to: 40 })
  const isLong = items.length > VIRTUAL_FROM
  useEffect(() => {
    if (!isLong) return
    const update = () => {
      const top = -(box.current?.getBoundingClientRect().top ?? 0)
      const from = Math.max(0, Math.floor(top / rowHeight) - MARGIN)
      setRange({ from, to: from + Math.ceil(innerHeight / rowHeight) + 2 * MARGIN })
    }
    update()
    addEventListener('scroll', update, { passive: true })
    addEventListener('resize', update)
    return () => {
      removeEventListener('scroll', update)
      removeEventListener('resize', update)
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
