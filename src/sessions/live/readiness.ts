import type { Clock } from '../../clock/index.js'
import type { Look } from '../../panes/index.js'
import type { Conversation } from '../conversation/conversation.js'
import { liveMenu } from '../requests/live-menu.js'

/** In a conversation that is being shown again a menu may flash by that was answered long ago: one that waits stands for longer. */
const OLD_MENU_MS = 1_000
/** While a program draws itself for the first time a half of its picture may look like a menu: one that waits stands for longer. */
const FIRST_MENU_MS = 400
const ENTER = 0x0d
/** An input box of a resumed session above which no prompt stands: its history is still to come, unless nothing is drawn for so long. */
const HISTORY_MS = 3_000

export interface ReadinessOptions {
  clock: Clock
  conversation: Conversation
  /** The session goes on with an earlier conversation, which the agent shows again. */
  isResumed: boolean
  isReady: boolean
  isTold: boolean
  onReady(): void
  /** A menu has stood for long enough: look again. `ms` later than the look that showed it first. */
  onMenuStands(ms: number): void
}

/**
 * When a session's screen begins to count: at its first prompt, or its first menu that stays. What stands there by then is old: a greeting, with
 * hints that come when they come. A program that is at work, or shows a prompt, was given one when it was started.
 *
 * A resumed session shows its whole conversation again, and agents do that before, while and after they draw an input box: no picture tells
 * that they are done. So nothing there counts before the first prompt is entered; all that stands on screen then is old. A menu in it
 * that only flashes by is not asked.
 */
export class Readiness {
  readonly #options: ReadinessOptions
  #isReady: boolean
  #isTold: boolean
  #menu: { print: string; t: number } | null = null
  #newest: Look | null = null

  constructor(options: ReadinessOptions) {
    this.#options = options
    this.#isReady = options.isReady
    this.#isTold = options.isTold
  }

  /** The screen counts. */
  get isReady(): boolean {
    return this.#isReady
  }

  /** People have something to do or to look at; that may be before the agent takes a prompt. */
  get isTold(): boolean {
    return this.#isTold
  }

  /** Whether this look counts. */
  admits(look: Look): boolean {
    if (this.#isReady) return true
    this.#newest = look
    const { isResumed } = this.#options
    const { observation } = look
    if (observation.view === 'auth_required') {
      this.#tellReady()
      return true
    }
    if (observation.awaiting !== null || liveMenu(observation)) return this.#admitMenu(look)
    this.#menu = null
    if (!observation.composer) return !isResumed
    const isOld = isResumed || (observation.busy !== true && !this.#options.conversation.hasEcho)
    if (!isOld) {
      this.#becomeReady()
      return true
    }
    if (!isResumed) {
      this.#options.conversation.markOld(look)
      this.#tellReady()
    } else if (look.isSettled && observation.busy !== true) this.#awaitHistory(look)
    return false
  }

  /** Keys go to the program. Enter in its input box is the first prompt. */
  noteInput(bytes: Uint8Array, look: Look | null): void {
    if (this.#isReady || !look?.observation.composer || !bytes.includes(ENTER)) return
    if (look.observation.awaiting !== null || liveMenu(look.observation)) return
    this.#isReady = true
    this.#options.conversation.markOld(look)
    this.#tellReady()
  }

  /** Some agents take keys into a box that they draw before they load the conversation, and lose them. */
  #awaitHistory(look: Look): void {
    if (this.#options.conversation.hasEcho) return this.#tellReady()
    this.#options.clock.setTimer(HISTORY_MS, () => {
      if (this.#newest === look) this.#tellReady()
    })
  }

  /** Before the first prompt no menu counts at sight: what passes while a program starts, or shows its history again, asks nothing. */
  #admitMenu(look: Look): boolean {
    const { isResumed, clock, onMenuStands } = this.#options
    const ms = isResumed ? OLD_MENU_MS : FIRST_MENU_MS
    const print = liveMenu(look.observation)?.print ?? ''
    if (this.#menu?.print !== print) {
      const seen = { print, t: look.t }
      this.#menu = seen
      clock.setTimer(ms, () => {
        if (this.#menu === seen) onMenuStands(ms)
      })
    }
    if (Math.round((look.t - this.#menu.t) * 1000) < ms) return false
    if (isResumed) this.#tellReady()
    else this.#becomeReady()
    return true
  }

  #becomeReady(): void {
    this.#isReady = true
    this.#tellReady()
  }

  #tellReady(): void {
    if (this.#isTold) return
    this.#isTold = true
    this.#options.onReady()
  }
}
