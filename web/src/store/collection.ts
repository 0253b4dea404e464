import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'

interface Kept {
  id: string
  version?: number
}

/**
 * Resources of one kind by id. What is older than what is known changes nothing. Whoever looks at one of them hears of that one only:
 * two hundred panes change all the time, and a page about one session is not drawn again for the others.
 */
export class Collection<T extends Kept> {
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

  /** A snapshot of all there is: what it does not name is gone. */
  replace(items: readonly T[]): void {
    const before = new Map(this.#items)
    batch(() => {
      this.#items.clear()
      for (const item of items) this.#set(item.id, newer(before.get(item.id), item))
      for (const id of before.keys()) if (!this.#items.has(id)) this.#tell(id, undefined)
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

  /** Takes over what makes no difference to anybody who looks. */
  note(item: T): void {
    this.#items.set(item.id, newer(this.#items.get(item.id), item))
  }

  remove(id: string): void {
    if (!this.#items.delete(id)) return
    batch(() => {
      this.#tell(id, undefined)
      this.#changed()
    })
  }

  /** Keeps so many of those that nobody has to come back to; the oldest go. */
  prune(most: number, isOver: (item: T) => boolean): void {
    const over = [...this.#items.values()].filter(isOver)
    for (const { id } of over.slice(0, Math.max(0, over.length - most))) {
      this.remove(id)
      this.#cells.delete(id)
    }
  }

  /** As it is after so many changes. */
  #list(_changes: number): readonly T[] {
    return [...this.#items.values()]
  }

  #changed(): void {
    this.#changes.value = this.#changes.peek() + 1
  }

  #set(id: string, item: T): void {
    this.#items.set(id, item)
    this.#tell(id, item)
  }

  #tell(id: string, item: T | undefined): void {
    const cell = this.#cells.get(id)
    if (cell) cell.value = item
  }
}

function newer<T extends Kept>(known: T | undefined, item: T): T {
  if (known?.version !== undefined && item.version !== undefined && item.version < known.version) return known
  return item
}
