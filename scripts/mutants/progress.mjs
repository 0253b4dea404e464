import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/**
 * What earlier calls of `npm run mutate` found out about a group, one line per mutant. A result
 * counts while the bundle (sources and tests) is the same. After a change of the tests, the test
 * that killed a mutant before is only a hint: it runs first.
 */
export class MutantProgress {
  #file
  #baselineFile
  #bundle
  #results = new Map()

  constructor(directory, bundlePath) {
    mkdirSync(directory, { recursive: true })
    this.#file = join(directory, 'progress.jsonl')
    this.#bundle = digest(readFileSync(bundlePath))
    this.#baselineFile = join(directory, 'baseline.json')
    const text = existsSync(this.#file) ? readFileSync(this.#file, 'utf8') : ''
    // A process that died while it wrote leaves half a line at the end.
    for (const line of text
      .slice(0, text.lastIndexOf('\n') + 1)
      .split('\n')
      .filter(Boolean)) {
      const fact = JSON.parse(line)
      this.#results.set(fact.key, fact)
    }
  }

  /** The lines of a run without a mutant. Several calls with the same bundle make it once. */
  async baseline(run) {
    if (existsSync(this.#baselineFile)) {
      const { bundle, lines } = JSON.parse(readFileSync(this.#baselineFile, 'utf8'))
      if (bundle === this.#bundle) return lines
    }
    const lines = await run()
    rmSync(this.#baselineFile, { force: true })
    appendFileSync(this.#baselineFile, JSON.stringify({ bundle: this.#bundle, lines }))
    return lines
  }

  /** The result of this mutant with exactly these sources and tests, or undefined. */
  result({ key }) {
    const fact = this.#results.get(key)
    return fact?.bundle === this.#bundle ? fact.result : undefined
  }

  /** The test that killed this mutant last, also with other tests beside it. */
  lastKiller({ key }) {
    return this.#results.get(key)?.by ?? null
  }

  add({ key }, { result, by = null }) {
    const fact = { key, bundle: this.#bundle, result, by }
    this.#results.set(key, fact)
    appendFileSync(this.#file, `${JSON.stringify(fact)}\n`)
  }
}

export function digest(bytes) {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16)
}
