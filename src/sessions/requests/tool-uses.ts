import type { AgentStatement, ToolStatement } from '../../agents/index.js'
import { canonicalJson } from '../../text/index.js'

export type RequestStatement = Extract<AgentStatement, { is: 'request' }>

export interface StartedTool {
  key: string
  tool: string
  input: unknown
  prompt: string | null
  subAgent: string | null
}

const TOOLS_MAX = 200
/**
 * Two hooks of one request fire at the same time, and a busy machine brings the second one late; while the tool has not ended and no equal
 * one was begun, it is about the same. A request that comes later still is another one, however alike.
 */
const SAME_REQUEST_MS = 10_000

/**
 * Tools that an agent has begun to use and not yet finished. Permission requests of some agents do not say which tool use they are about;
 * it is the newest one of the same helper with the same tool and input under the same prompt that nobody has asked about yet.
 */
export class ToolUses {
  /** Oldest first. */
  readonly #tools = new Map<string, StartedTool>()
  /** When a request was found to be about it, on the steady clock; also for uses that were not told of yet. */
  readonly #asked = new Map<string, number>()
  readonly #results = new Map<string, ToolStatement>()

  take(statement: ToolStatement & { subAgent?: string }): void {
    const { state, key, tool, input, prompt, subAgent } = statement
    if (key === null) return
    if (state !== 'started') {
      this.#tools.delete(key)
      keep(this.#results, key, statement)
    } else if (!this.#tools.has(key) && !this.#results.has(key))
      keep(this.#tools, key, { key, tool, input, prompt: prompt ?? null, subAgent: subAgent ?? null })
  }

  /** How a use ended, if that has been told. */
  resultOf(key: string | null): ToolStatement | null {
    return (key !== null && this.#results.get(key)) || null
  }

  /** The tool use that a request is about. A request told twice at once is about the same one. */
  keyFor({ key, tool, input, prompt, subAgent }: RequestStatement & { subAgent?: string }, now: number): string | null {
    if (key !== null) return key
    const same = [...this.#tools.values()].filter(
      started =>
        started.tool === tool &&
        started.subAgent === (subAgent ?? null) &&
        isEqual(started.input, input) &&
        (prompt === undefined || started.prompt === null || started.prompt === prompt),
    )
    const askedJustNow = (started: StartedTool) => now - (this.#asked.get(started.key) ?? -Infinity) < SAME_REQUEST_MS
    const found = same.findLast(started => !this.#asked.has(started.key)) ?? same.findLast(askedJustNow)
    return found?.key ?? null
  }

  /** `now`: null for a request that an earlier host knew. */
  noteAsked(key: string | null, now: number | null): void {
    if (key !== null && !this.#asked.has(key)) keep(this.#asked, key, now ?? Number.NEGATIVE_INFINITY)
  }

  /** Those that nobody has asked about, the newest first. */
  unasked(): StartedTool[] {
    return [...this.#tools.values()].filter(({ key }) => !this.#asked.has(key)).reverse()
  }
}

/** The oldest goes when there are too many. */
function keep<T>(map: Map<string, T>, key: string, value: T): void {
  map.set(key, value)
  for (const oldest of map.keys()) {
    if (map.size <= TOOLS_MAX) break
    map.delete(oldest)
  }
}

export function isEqual(a: unknown, b: unknown): boolean {
  try {
    return canonicalJson(a ?? null) === canonicalJson(b ?? null)
  } catch {
    // Half a character cannot be written canonically, and is equal to nothing.
    return false
  }
}
