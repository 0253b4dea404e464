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
