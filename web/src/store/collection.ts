import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type { Approval, StreamEvent } from '../api/types'

interface Versioned {
  id: string
  version?: number
}

/**
 * Resources of one kind by id. An older version never replaces a newer one. A component that reads
 * one resource is drawn again only when that one changes: with hundreds of panes something changes
 * all the time.
 */
export class Collection<T extends Versioned> {
  readonly #items = new Map<string, T>()
  readonly #cells = new Map<string, Signal<T | undefined>>()
  readonly #changes = signal(0)
  readonly all: ReadonlySignal<readonly T[]> = computed(() => this.#list(this.#changes.value))

  get(id: string): T | undefined {
    let cell = this.#cells.get(id)
    if (!cell) {
      cell = signal(this.#items.get(id))
      this.#cells.set(id, cell)
    }
    return cell.value
  }

  peek(id: string): T | undefined {
    return this.#items.get(id)
  }

  /** Applies a complete snapshot: resources that it does not contain are removed. */
  replace(items: readonly T[]): void {
    const before = new Map(this.#items)
    batch(() => {
      this.#items.clear()
      for (const item of items) this.#set(item.id, newer(before.get(item.id), item))
      for (const id of before.keys()) if (!this.#items.has(id)) this.#notify(id, undefined)
      this.#changed()
    })
  }

  put(...items: readonly T[]): void {
    batch(() => {
      for (const item of items) {
        const known = this.#items.get(item.id)
        const next = newer(known, item)
        if (next === known) continue
        this.#set(item.id, next)
        this.#changed()
      }
    })
  }

  /** Stores a version that looks the same, without notifying components. */
  storeSilently(item: T): void {
    this.#items.set(item.id, newer(this.#items.get(item.id), item))
  }

  remove(id: string): void {
    if (!this.#items.delete(id)) return
    batch(() => {
      this.#notify(id, undefined)
      this.#changed()
    })
  }

  /** Keeps at most `max` of the items that are closed; removes the oldest. */
  prune(max: number, isClosed: (item: T) => boolean): void {
    const closed = [...this.#items.values()].filter(isClosed)
    for (const { id } of closed.slice(0, Math.max(0, closed.length - max))) {
      this.remove(id)
      this.#cells.delete(id)
    }
  }

  /** Depends on the number of changes, so that the signal is computed again after each. */
  #list(_changes: number): readonly T[] {
    return [...this.#items.values()]
  }

  #changed(): void {
    this.#changes.value = this.#changes.peek() + 1
  }

  #set(id: string, item: T): void {
    this.#items.set(id, item)
    this.#notify(id, item)
  }

  #notify(id: string, item: T | undefined): void {
    const cell = this.#cells.get(id)
    if (cell) cell.value = item
  }
}

function newer<T extends Versioned>(known: T | undefined, item: T): T {
  if (known?.version !== undefined && item.version !== undefined && item.version < known.version) return known
  return item
}

const ENDS: Readonly<Record<string, Approval['state']>> = {
  'approval.applied': 'applied',
  'approval.stale': 'stale',
  'approval.expired': 'expired',
  'approval.cancelled': 'cancelled',
}

/**
 * An approval after one more event of its stream. Returns null if the record must be loaded,
 * because an event is missing in between or this one changes the display.
 */
export function foldApproval(known: Approval | undefined, event: StreamEvent): Approval | null {
  const id = event.subject.slice(event.subject.indexOf('/') + 1)
  const { type, at, version, data } = event
  if (type === 'approval.requested')
    return { ...(data as unknown as Approval), id, state: 'pending', version, requestedAt: at, delivery: [] }
  if (!known) return null
  if (version <= known.version) return known
  if (version !== known.version + 1 || type === 'approval.joined') return null
  const next: Approval = { ...known, version }
  if (type === 'approval.decided')
    return { ...next, state: 'decided', decision: { ...(data as unknown as NonNullable<Approval['decision']>), at } }
  const end = ENDS[type]
  if (end) return { ...next, state: end, outcome: { ...(data as Partial<NonNullable<Approval['outcome']>>), at } }
  return next
}

/** A snapshot, followed by what the stream added while the snapshot was loading. */
export function withArrived<T>(
  snapshot: readonly T[],
  now: readonly T[],
  before: readonly T[],
  keyOf: (one: T) => string,
): readonly T[] {
  const known = new Set([...snapshot, ...before].map(keyOf))
  return [...snapshot, ...now.filter(one => !known.has(keyOf(one)))]
}
