/** A snapshot is older than what the stream told while it was on its way: that is kept behind it. */
export function withArrived<T>(
  snapshot: readonly T[],
  now: readonly T[],
  before: readonly T[],
  keyOf: (one: T) => string,
): readonly T[] {
  const told = new Set([...snapshot, ...before].map(keyOf))
  return [...snapshot, ...now.filter(one => !told.has(keyOf(one)))]
}
