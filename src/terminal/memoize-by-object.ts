/**
 * Remembers the result of a pure function for each object, as long as the object exists. A row that
 * did not change is the same object in the next frame (row-reader.ts), so what follows from a row
 * alone is computed once.
 */
export function memoizeByObject<Source extends object, T>(find: (row: Source) => T): (row: Source) => T {
  const found = new WeakMap<Source, { value: T }>()
  return row => {
    const known = found.get(row)
    if (known) return known.value
    const value = find(row)
    found.set(row, { value })
    return value
  }
}
