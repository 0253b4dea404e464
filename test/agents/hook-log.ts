import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HookWiring } from '../../src/agents/index.js'

export interface HeardHook {
  event: string
  payload: Record<string, unknown>
}

/** A relay that logs its input; it answers a permission request with the prepared answer. */
export class HookLog {
  readonly wiring: HookWiring
  readonly #log: string
  readonly #answer: string

  constructor(directory: string, options: { mayHold: boolean }) {
    this.#log = join(directory, 'hooks.log')
    this.#answer = join(directory, 'answer.json')
    const script = join(directory, 'relay.mjs')
    writeFileSync(
      script,
      `import { appendFileSync, readFileSync } from 'node:fs'
const [event, hold] = process.argv.slice(2)
const payload = JSON.parse(readFileSync(0, 'utf8'))
appendFileSync(${JSON.stringify(this.#log)}, JSON.stringify({ event, payload }) + '\\n')
if (hold === '--hold') process.stdout.write(readFileSync(${JSON.stringify(this.#answer)}, 'utf8'))
`,
    )
    this.wiring = { directory, relay: [process.execPath, script], mayHold: options.mayHold }
  }

  willAnswer(text: string): void {
    writeFileSync(this.#answer, text)
  }

  heard(): HeardHook[] {
    if (!existsSync(this.#log)) return []
    return readFileSync(this.#log, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line) as HeardHook)
  }
}
