import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'

interface Kept {
  id: string
  version?: number
}

/** Resources of one kind by id. What is older than what is known changes nothing. */
export class Collection<T extends Kept> {
  readonly #items: Signal<ReadonlyMap<string, T>> = signal(new Map())
  readonly all: ReadonlySignal<readonly T[]> = computed(() => [...this.#items.value.values()])

  get(id: string): T | undefined {
    return this.#items.value.get(id)
  }

  peek(id: string): T | undefined {
    return this.#items.peek().get(id)
  }

  /** A snapshot of all there is: what it does not name is gone. */
  replace(items: readonly T[]): void {
    const before = this.#items.peek()
    this.#items.value = new Map(items.map(item => [item.id, newer(before.get(item.id), item)]))
  }

  put(...items: readonly T[]): void {
    const next = new Map(this.#items.peek())
    for (const item of items) next.set(item.id, newer(next.get(item.id), item))
    this.#items.value = next
  }

  remove(id: string): void {
    if (!this.#items.peek().has(id)) return
    const next = new Map(this.#items.peek())
    next.delete(id)
    this.#items.value = next
  }
}

function newer<T extends Kept>(known: T | undefined, item: T): T {
  if (known?.version !== undefined && item.version !== undefined && item.version < known.version) return known
  return item
}
