export interface CardKeys {
  allow(): void
  deny(): void
}

let current: CardKeys | null = null

/** The card that `a` and `d` are for: the one the list has under its cursor. */
export function onCardKey(keys: CardKeys): () => void {
  current = keys
  return () => {
    if (current === keys) current = null
  }
}

export function cardKeys(): CardKeys | null {
  return current
}
