import type { AgentStatement, ToolStatement } from '../../agents/index.js'
import { matchMenu } from '../../approvals/index.js'
import type { Clock } from '../../clock/index.js'
import type { Menu } from '../../screen/index.js'
import { canonicalJson } from '../../text/index.js'
import { isQuestionOf } from './build-request.js'

export type RequestStatement = Extract<AgentStatement, { kind: 'request' }>

export interface StartedTool {
  key: string
  tool: string
  input: unknown
  prompt: string | null
  subAgent: string | null
  /** When it started, by the agent's clock. */
  at: number
}

const TOOLS_MAX = 200
/** How many closed requests without a known tool use are remembered. */
const UNNAMED_KEPT = 20
/**
 * Two hooks of one request fire at the same time, and a busy machine delivers the second one late.
 * While the tool has not ended and no equal one has started, both are about the same request. After
 * this time an equal request is another one.
 */
const SAME_REQUEST_MS = 10_000

/**
 * The tools that an agent has started, by the key that the agent gave each use, and which request
 * each use belongs to.
 *
 * - A permission request that does not name its tool use is about the newest use of the same
 *   sub-agent with the same tool and input under the same prompt that no request is about yet.
 * - A menu may appear before the agent reports the use, and may even be answered before. Agents ask
 *   for the very same thing several times in a row, and each use belongs to one request: the oldest
 *   one without a use, open or closed. Otherwise the end of the first use would close the second
 *   request.
 */
export class ToolUses {
  readonly #clock: Clock
  /** Oldest first. */
  readonly #started = new Map<string, StartedTool>()
  /** When a request was found to be about the use (steady clock), reported or not. */
  readonly #asked = new Map<string, number>()
  readonly #results = new Map<string, ToolStatement>()
  /** Closed requests that no use was found for. */
  #unnamed: { menu: Menu; endedAt: number }[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  addStatement(statement: ToolStatement & { subAgent?: string }, at: number): void {
    const { state, key, tool, input, prompt, subAgent } = statement
    if (key === null) return
    if (state !== 'started') {
      this.#started.delete(key)
      keep(this.#results, key, statement)
    } else if (!this.#started.has(key) && !this.#results.has(key))
      keep(this.#started, key, { key, tool, input, prompt: prompt ?? null, subAgent: subAgent ?? null, at })
  }

  /** How a use ended, if the agent has reported it. */
  resultOf(key: string | null): ToolStatement | null {
    return (key !== null && this.#results.get(key)) || null
  }

  /** The tool use of a reported request; one reported twice at once is about one use. */
  keyFor({ key, tool, input, prompt, subAgent }: RequestStatement & { subAgent?: string }): string | null {
    if (key !== null) return key
    const now = this.#clock.monotonic()
    const same = [...this.#started.values()].filter(
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

  /** A request is about this use. `at`: `-Infinity` for a request of an earlier host. */
  noteAsked(key: string | null, at: number = this.#clock.monotonic()): void {
    if (key !== null && !this.#asked.has(key)) keep(this.#asked, key, at)
  }

  /** Uses that no request is about, the newest first. */
  withoutRequest(): StartedTool[] {
    return [...this.#started.values()].filter(({ key }) => !this.#asked.has(key)).reverse()
  }

  /** Whether the menu asks about this use. */
  isAbout(tool: StartedTool, menu: Menu): boolean {
    return menu.kind === 'permission' && matchMenu(menu, tool.tool, tool.input) === 'whole'
  }

  /** Whether the menu is the question of a tool that the agent has started. */
  ask(menu: Menu): boolean {
    return isQuestionOf([...this.#started.values()], menu)
  }

  /** The oldest use that this menu may be about and that no request is about. */
  forMenu(menu: Menu | null): StartedTool | null {
    if (!menu) return null
    return this.withoutRequest().findLast(tool => this.isAbout(tool, menu)) ?? null
  }

  /** A closed request consumes one use, even if the agent reports that use only later. */
  consume({ key, menu }: { key: string | null; menu: Menu | null }): void {
    if (key !== null || !menu) return
    const tool = this.forMenu(menu)
    if (tool) this.noteAsked(tool.key)
    else this.#unnamed = [...this.#unnamed.slice(1 - UNNAMED_KEPT), { menu, endedAt: this.#clock.now() }]
  }

  /** Whether a closed request consumed this use, which started before its end. */
  isConsumed(tool: StartedTool, at: number): boolean {
    const over = this.#unnamed.find(({ menu, endedAt }) => at <= endedAt && this.isAbout(tool, menu))
    if (!over) return false
    this.#unnamed = this.#unnamed.filter(entry => entry !== over)
    this.noteAsked(tool.key)
    return true
  }
}

/** Drops the oldest entry when there are too many. */
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
    // A lone surrogate has no canonical form and is equal to nothing.
    return false
  }
}
