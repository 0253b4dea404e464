import { SignalboxError } from '../../errors/index.js'
import type { Call } from '../route.js'

const DEFAULT_LIMIT = 50

export interface PageQuery {
  limit?: number | undefined
  cursor?: string | undefined
}

export interface Page<T> {
  items: T[]
  next: string | null
  position: string
}

/**
 * A page of a sorted list, newest first. The cursor names the last item of the previous page, so
 * that new and removed items shift nothing. The command line, on the socket, gets all items if it
 * sets no limit.
 */
export async function pageOf<T extends { id: string }>(
  call: Pick<Call, 'who' | 'position'>,
  items: readonly T[],
  query: PageQuery,
): Promise<Page<T>> {
  return pageOfViews(call, items, query, item => item)
}

/**
 * A page of views that take time to make: only those of the page are made. An item without a view
 * is left out.
 */
export async function pageOfViews<T extends { id: string }, V extends { id: string }>(
  call: Pick<Call, 'who' | 'position'>,
  items: readonly T[],
  { limit, cursor }: PageQuery,
  view: (item: T) => V | null,
): Promise<Page<V>> {
  const position = await call.position()
  const count = limit ?? (call.who.kind === 'socket' ? items.length : DEFAULT_LIMIT)
  const after = cursor === undefined ? null : Buffer.from(cursor, 'base64url').toString()
  const begin = after === null ? 0 : items.findIndex(({ id }) => id === after) + 1
  if (after !== null && begin === 0)
    throw new SignalboxError('E_INPUT', 'the item that the cursor names no longer exists', {
      next: 'start again without a cursor',
    })
  const page: V[] = []
  let isMore = false
  for (let at = begin; at < items.length && !isMore; at++) {
    const viewed = view(items[at]!)
    if (viewed && page.length < count) page.push(viewed)
    else if (viewed) isMore = true
  }
  const last = page.at(-1)
  return { items: page, next: isMore && last ? Buffer.from(last.id).toString('base64url') : null, position }
}
