import type { Clock } from '../../clock/index.js'
import type { Menu } from '../../screen/index.js'
import type { OpenRequest } from './request-answer.js'
import type { StartedTool, ToolUses } from './tool-uses.js'

/** Requests that ended without a name are remembered, so many of them. */
const UNNAMED_KEPT = 20

/**
 * Which use of a tool a menu is about, where the agent's own word for that comes after its menu, or after the answer. Agents ask for the
 * very same thing several times in a row, and each use belongs to one request: the oldest that has none, whether it is still open or not.
 * Without that the end of the first use would be taken for the end of the second request.
 */
export class MenuUses {
  readonly #tools: ToolUses
  readonly #clock: Clock
  readonly #isAbout: (tool: StartedTool, menu: Menu) => boolean
  /** Ended requests that no use was found for. */
  #unnamed: { menu: Menu; endedAt: number }[] = []

  constructor(tools: ToolUses, clock: Clock, isAbout: (tool: StartedTool, menu: Menu) => boolean) {
    this.#tools = tools
    this.#clock = clock
    this.#isAbout = isAbout
  }

  /** The oldest use that this menu can be about, among those that nobody has asked about. */
  shownBy(menu: Menu | null): StartedTool | null {
    if (!menu) return null
    return this.#tools.unasked().findLast(tool => this.#isAbout(tool, menu)) ?? null
  }

  /** A request that is over has had its use, told of by now or later: that one is no other request's. */
  spend({ key, menu }: Pick<OpenRequest, 'key' | 'menu'>): void {
    if (key !== null || !menu) return
    const tool = this.shownBy(menu)
    if (tool) this.#tools.noteAsked(tool.key, this.#clock.monotonic())
    else this.#unnamed = [...this.#unnamed.slice(1 - UNNAMED_KEPT), { menu, endedAt: this.#clock.now() }]
  }

  /** What was begun before the end of a request without a name, and is told of only now, was that request's. `at` is the agent's time. */
  isSpent(tool: StartedTool, at: number): boolean {
    const over = this.#unnamed.find(({ menu, endedAt }) => at <= endedAt && this.#isAbout(tool, menu))
    if (!over) return false
    this.#unnamed = this.#unnamed.filter(entry => entry !== over)
    this.#tools.noteAsked(tool.key, this.#clock.monotonic())
    return true
  }
}
