/** The lines that only one of two versions of a plan has. */
export interface PlanChanges {
  added: string[]
  removed: string[]
}

/** Repeated lines count each time; blank lines do not count. Pure. */
export function planChanges(before: string, after: string): PlanChanges {
  return { added: onlyIn(after, before), removed: onlyIn(before, after) }
}

function onlyIn(text: string, other: string): string[] {
  const left = new Map<string, number>()
  for (const line of linesOf(other)) left.set(line, (left.get(line) ?? 0) + 1)
  return linesOf(text).filter(line => {
    const count = left.get(line) ?? 0
    left.set(line, count - 1)
    return count <= 0
  })
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map(line => line.trim())
    .filter(Boolean)
}
