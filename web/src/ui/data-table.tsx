import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

export interface Column<T> {
  name: string
  cell(item: T): ComponentChildren
  /** The sort key; absent: the column cannot be sorted. */
  sort?(item: T): number | string
  isRight?: boolean
  isMain?: boolean
  /** Hidden on narrow pages. */
  isExtra?: boolean
  /** The header is visible only to screen readers. */
  isAction?: boolean
}

export function DataTable<T>(props: {
  label: string
  items: readonly T[]
  columns: readonly Column<T>[]
  keyOf(item: T): string
  picked?: string | undefined
  first?: (item: T) => ComponentChildren
}) {
  const [order, setOrder] = useState<{ name: string; isUp: boolean } | null>(null)
  const column = props.columns.find(({ name }) => name === order?.name)
  const items = column?.sort
    ? [...props.items].sort((a, b) => compare(column.sort!(a), column.sort!(b)) * (order!.isUp ? 1 : -1))
    : props.items
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label={`${props.label}, table`}>
      <table class="data">
        <thead>
          <tr>
            {props.first && (
              <th>
                <span class="sr">Select</span>
              </th>
            )}
            {props.columns.map(({ name, sort, isRight, isAction, isExtra }) => (
              <th
                key={name}
                class={`${isRight ? 'right' : ''} ${isExtra ? 'extra' : ''}`}
                aria-sort={order?.name === name ? (order.isUp ? 'ascending' : 'descending') : undefined}
              >
                {sort ? (
                  <button
                    type="button"
                    onClick={() => setOrder({ name, isUp: order?.name === name ? !order.isUp : false })}
                  >
                    {name}
                    <span aria-hidden="true">{order?.name === name ? (order.isUp ? '↑' : '↓') : ''}</span>
                  </button>
                ) : (
                  <span class={isAction ? 'sr' : ''}>{name}</span>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map(item => (
            <tr key={props.keyOf(item)} class={props.keyOf(item) === props.picked ? 'is-picked' : ''}>
              {props.first && <td>{props.first(item)}</td>}
              {props.columns.map(({ name, cell, isRight, isMain, isExtra }) => (
                <td
                  key={name}
                  class={`${isRight ? 'right' : ''} ${isMain ? 'main-cell' : ''} ${isExtra ? 'extra' : ''}`}
                >
                  {cell(item)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function compare(a: number | string, b: number | string): number {
  return typeof a === 'number' && typeof b === 'number'
    ? a - b
    : String(a).localeCompare(String(b), undefined, { numeric: true })
}
