/**
 * Counters with labels, such as `status.refused{event=idle, reason=guard:entitled}`: plain sums.
 */
export interface Count {
  name: string
  labels: Readonly<Record<string, string>>
  value: number
}

export class Counters {
  readonly #counts = new Map<string, Count>()

  add(name: string, labels: Readonly<Record<string, string>> = {}, by = 1): void {
    const key = `${name} ${Object.entries(labels)
      .map(([label, value]) => `${label}=${value}`)
      .join(' ')}`
    const count = this.#counts.get(key)
    if (count) count.value += by
    else this.#counts.set(key, { name, labels, value: by })
  }

  /** The sum over all labels, or over those that contain these. */
  total(name: string, labels: Readonly<Record<string, string>> = {}): number {
    let sum = 0
    for (const count of this.#counts.values())
      if (count.name === name && Object.entries(labels).every(([label, value]) => count.labels[label] === value))
        sum += count.value
    return sum
  }

  all(): Count[] {
    return [...this.#counts.values()].map(count => ({ ...count }))
  }
}
