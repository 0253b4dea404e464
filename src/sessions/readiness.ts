import type { Clock } from '../clock/index.js'
import type { Look } from '../panes/index.js'
import type { Conversation } from './conversation.js'
import { liveMenu } from './live-menu.js'

/** In a conversation that is being shown again a menu may flash by that was answered long ago: one that waits stands for longer. */
const OLD_MENU_MS = 1_000

export interface ReadinessOptions {
  clock: Clock
  conversation: Conversation
  /** The session goes on with an earlier conversation, which the agent shows again. */
  isResumed: boolean
  isReady: boolean
  onReady(): void
  /** A menu has stood for long enough: look again. `ms` later than the look that showed it first. */
  onMenuStands(ms: number): void
}

/**
 * When a session's screen begins to count: at its first input box, or its first menu. What stands there by then is old: a greeting, or in a
 * resumed session the whole conversation so far. It is not said again, and a menu in it that only flashes by is not asked.
 */
export class Readiness {
  readonly #options: ReadinessOptions
  #isReady: boolean
  #isTold = false
  #menu: { print: string; t: number } | null = null

  constructor(options: ReadinessOptions) {
    this.#options = options
    this.#isReady = options.isReady
  }

  get isReady(): boolean {
    return this.#isReady
  }

  /** Whether this look counts. */
  admits(look: Look): boolean {
    if (this.#isReady) return true
    const { isResumed } = this.#options
    const { observation } = look
    if (observation.view === 'auth_required') {
      this.#tellReady()
      return true
    }
    if (observation.awaiting !== null || liveMenu(observation)) return this.#admitMenu(look)
    this.#menu = null
    if (!observation.composer) return !isResumed
    // History may still be coming in below a box that was drawn first.
    if (isResumed && !(look.isSettled && observation.busy === false) && observation.busy !== true) return false
    this.#becomeReady(look)
    return true
  }

  #admitMenu(look: Look): boolean {
    if (!this.#options.isResumed) {
      this.#becomeReady(look)
      return true
    }
    const print = liveMenu(look.observation)?.print ?? ''
    if (this.#menu?.print !== print) {
      const seen = { print, t: look.t }
      this.#menu = seen
      this.#options.clock.setTimer(OLD_MENU_MS, () => {
        if (this.#menu === seen) this.#options.onMenuStands(OLD_MENU_MS)
      })
    }
    if (look.t - this.#menu.t < OLD_MENU_MS / 1000) return false
    // Ready for people; what stands on screen stays old until the first input box.
    this.#tellReady()
    return true
  }

  #becomeReady(look: Look): void {
    const { conversation, isResumed } = this.#options
    this.#isReady = true
    const isAtRest = look.observation.composer !== null && look.observation.busy !== true
    if (isAtRest && (isResumed || !conversation.hasEcho)) conversation.markOld(look)
    this.#tellReady()
  }

  /** People have something to do or to look at; that may be before the agent takes a prompt. */
  #tellReady(): void {
    if (this.#isTold) return
    this.#isTold = true
    this.#options.onReady()
  }
}
