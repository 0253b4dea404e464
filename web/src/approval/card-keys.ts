export interface CardKeys {
  allow(): void
  deny(): void
  denyWithReason(): void
}

let current: CardKeys | null = null

/** The keys `a`, `d` and `D` act on the selected card of the list. */
export function onCardKey(keys: CardKeys): () => void {
  current = keys
  return () => {
    if (current === keys) current = null
  }
}

export function cardKeys(): CardKeys | null {
  return current
}
