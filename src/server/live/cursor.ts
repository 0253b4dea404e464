/** A position in the log as one opaque word: `<store>:<position>`. */
export function cursorOf(store: string, position: number): string {
  return `${store}:${position}`
}

/**
 * Null for a cursor of another store and for anything else. A plain number is a position of this
 * store.
 */
export function positionOf(cursor: string | undefined, store: string): number | null {
  if (cursor === undefined) return null
  const [name, position] = cursor.includes(':') ? cursor.split(':') : [store, cursor]
  return name === store && /^\d{1,15}$/.test(position ?? '') ? Number(position) : null
}
