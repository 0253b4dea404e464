type Labels = Readonly<Record<string, string>>

const COUNTERS = {
  signalbox_refusals_total: 'Requests that were refused, by error code.',
  signalbox_http_requests_total: 'Requests that were answered, by class of status.',
} as const

type Counter = keyof typeof COUNTERS

/** Counters of this process, in the text format of Prometheus. */
export class Metrics {
  readonly #counts = new Map<string, { name: Counter; labels: Labels; value: number }>()

  count(name: Counter, labels: Labels = {}, by = 1): void {
    const key = `${name}${labelText(labels)}`
    const found = this.#counts.get(key)
    if (found) found.value += by
    else this.#counts.set(key, { name, labels, value: by })
  }

  /** All counters, and these gauges. */
  text(
    gauges: readonly { name: string; help: string; values: readonly { labels?: Labels; value: number }[] }[],
  ): string {
    const lines: string[] = []
    for (const name of new Set([...this.#counts.values()].map(count => count.name))) {
      lines.push(`# HELP ${name} ${COUNTERS[name]}`, `# TYPE ${name} counter`)
      for (const count of this.#counts.values())
        if (count.name === name) lines.push(`${name}${labelText(count.labels)} ${count.value}`)
    }
    for (const { name, help, values } of gauges) {
      lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} gauge`)
      for (const { labels = {}, value } of values) lines.push(`${name}${labelText(labels)} ${value}`)
    }
    return `${lines.join('\n')}\n`
  }
}

function labelText(labels: Labels): string {
  const parts = Object.entries(labels).map(
    ([name, value]) => `${name}="${value.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n')}"`,
  )
  return parts.length === 0 ? '' : `{${parts.join(',')}}`
}
