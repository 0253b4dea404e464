export interface CardKeys {
  allow(): void
  deny(): void
  denyWithReason(): void
}

/** What `a`, `d` and `D` do, by request: every pending card on the page has an entry. */
const drawn = new Map<string, CardKeys>()
let target: string | null = null

export function registerCard(request: string, keys: CardKeys): () => void {
  drawn.set(request, keys)
  return () => {
    if (drawn.get(request) === keys) drawn.delete(request)
  }
}

/**
 * Chooses the request that the keys act on. It takes effect at once, not when the page is drawn
 * again: a key pressed right after `j` must not reach the card that was selected before.
 */
export function targetCard(request: string): void {
  target = request
}

export function cardKeys(): CardKeys | null {
  return target === null ? null : (drawn.get(target) ?? null)
}
