import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { REPOSITORY } from '../support/compiled.js'

/** The sources that a proof is about, without unit tests: with other ones it starts again. */
const PROVEN = ['src', 'packs', join('test', 'crash'), join('test', 'simulation'), 'package-lock.json']
const FILE = join(REPOSITORY, 'node_modules', '.cache', 'signalbox-prove', 'progress.jsonl')

export interface TrialResult {
  part: string
  at: number
  /** `late`: a wait took longer than the test's limit, which says nothing about an invariant. */
  result: 'held' | 'violated' | 'late'
  message?: string
}

interface PartCount {
  part: string
  points: number
  trials: number
}

/** What earlier calls of `npm run prove` have done with the same sources, one line a fact. */
export class ProofProgress {
  readonly fingerprint = fingerprint()
  readonly #results = new Map<string, TrialResult>()
  readonly #counts = new Map<string, PartCount>()

  constructor({ startsAgain = false } = {}) {
    const lines = existsSync(FILE) ? readFileSync(FILE, 'utf8').split('\n').filter(Boolean) : []
    const [first, ...rest] = lines.map(line => JSON.parse(line) as Record<string, unknown>)
    if (startsAgain || first?.fingerprint !== this.fingerprint) {
      mkdirSync(dirname(FILE), { recursive: true })
      rmSync(FILE, { force: true })
      this.#append({ fingerprint: this.fingerprint })
      return
    }
    for (const line of rest) this.#take(line as unknown as TrialResult | PartCount)
  }

  count(part: string): PartCount | null {
    return this.#counts.get(part) ?? null
  }

  /** A trial that was late is tried again. */
  isDone(part: string, at: number): boolean {
    const result = this.#results.get(`${part}@${at}`)?.result
    return result === 'held' || result === 'violated'
  }

  add(fact: TrialResult | PartCount): void {
    this.#append(fact)
    this.#take(fact)
  }

  results(part: string): TrialResult[] {
    return [...this.#results.values()].filter(result => result.part === part)
  }

  #take(fact: TrialResult | PartCount): void {
    if ('trials' in fact) this.#counts.set(fact.part, fact)
    else this.#results.set(`${fact.part}@${fact.at}`, fact)
  }

  #append(fact: object): void {
    appendFileSync(FILE, `${JSON.stringify(fact)}\n`)
  }
}

function fingerprint(): string {
  const hash = createHash('sha256').update(process.version)
  for (const name of PROVEN) {
    const path = join(REPOSITORY, name)
    const files = name.endsWith('.json')
      ? [path]
      : readdirSync(path, { recursive: true, withFileTypes: true })
          .filter(entry => entry.isFile() && !entry.name.endsWith('.test.ts'))
          .map(entry => join(entry.parentPath, entry.name))
          .sort()
    for (const file of files) hash.update(file.slice(REPOSITORY.length)).update(readFileSync(file))
  }
  return hash.digest('hex').slice(0, 12)
}
