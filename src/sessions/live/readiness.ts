import type { Clock } from '../../clock/index.js'
import type { Look } from '../../panes/index.js'
import type { Conversation } from '../conversation/index.js'
import { liveMenu } from '../requests/index.js'

/** While a conversation is replayed, an old menu may flash by: one that waits stays. */
const OLD_MENU_MS = 1_000
/** While the first screen is drawn, half of it may look like a menu: a real one stays. */
const FIRST_MENU_MS = 400
const ENTER = 0x0d
/** A resumed session without a prompt: its history is to come, unless it is silent. */
const HISTORY_MS = 3_000

interface ReadinessOptions {
  clock: Clock
  conversation: Conversation
  /** The agent resumes an earlier conversation and shows it again. */
  isResumed: boolean
  /** Not a known agent: perhaps it never shows an input box. */
  isProgram: boolean
  isReady: boolean
  isReported: boolean
  onReady(): void
  /** A menu has stayed long enough: check again. `ms` after the look that showed it first. */
  onMenuStays(ms: number): void
}

/**
 * When a session's screen begins to count: at its first prompt, or at its first menu that stays.
 * Everything on screen by then is old: a greeting, and hints that come at any time. A program that
 * is at work, or shows a prompt, got one at its start.
 *
 * A resumed session shows its whole conversation again, before, while and after it draws an input
 * box: no frame shows that it has finished. So nothing there counts before the first prompt is
 * entered; everything on screen then is old. A menu that only flashes by raises no request.
 */
export class Readiness {
  readonly #options: ReadinessOptions
  #isReady: boolean
  #isReported: boolean
  #menu: { hash: string; t: number } | null = null
  #newest: Look | null = null

  constructor(options: ReadinessOptions) {
    this.#options = options
    this.#isReady = options.isReady
    this.#isReported = options.isReported
  }

  /** The screen counts. */
  get isReady(): boolean {
    return this.#isReady
  }

  /** The session was reported as ready: people can do or read something. */
  get isReported(): boolean {
    return this.#isReported
  }

  /** Whether this look counts. */
  admits(look: Look): boolean {
    if (this.#isReady) return true
    this.#newest = look
    const { isResumed } = this.#options
    const { observation } = look
    if (observation.view === 'auth_required') {
      this.#report()
      return true
    }
    if (observation.awaiting !== null || liveMenu(observation)) return this.#admitMenu(look)
    this.#menu = null
    if (!observation.composer) {
      if (this.#options.isProgram && look.isSettled && look.frame.lines.some(({ text }) => text.trim() !== ''))
        this.#report()
      return !isResumed
    }
    const isOld = isResumed || (observation.busy !== true && !this.#options.conversation.hasEcho)
    if (!isOld) {
      this.#becomeReady()
      return true
    }
    if (!isResumed) {
      this.#options.conversation.markOld(look)
      this.#report()
    } else if (look.isSettled && observation.busy !== true) this.#awaitHistory(look)
    return false
  }

  /** Keys go to the program. Enter in its input box is the first prompt. */
  recordInput(bytes: Uint8Array, look: Look | null): void {
    if (this.#isReady || !look?.observation.composer || !bytes.includes(ENTER)) return
    if (look.observation.awaiting !== null || liveMenu(look.observation)) return
    this.#isReady = true
    this.#options.conversation.markOld(look)
    this.#report()
  }

  /** Some agents draw a box before they load the conversation, and lose its keys. */
  #awaitHistory(look: Look): void {
    if (this.#options.conversation.hasEcho) return this.#report()
    this.#options.clock.setTimer(HISTORY_MS, () => {
      if (this.#newest === look) this.#report()
    })
  }

  /** Before the first prompt a menu must stay: one that passes during a start asks nothing. */
  #admitMenu(look: Look): boolean {
    const { isResumed, clock, onMenuStays } = this.#options
    const ms = isResumed ? OLD_MENU_MS : FIRST_MENU_MS
    const hash = liveMenu(look.observation)?.hash ?? ''
    if (this.#menu?.hash !== hash) {
      const seen = { hash, t: look.t }
      this.#menu = seen
      clock.setTimer(ms, () => {
        if (this.#menu === seen) onMenuStays(ms)
      })
    }
    if (Math.round((look.t - this.#menu.t) * 1000) < ms) return false
    if (isResumed) this.#report()
    else this.#becomeReady()
    return true
  }

  #becomeReady(): void {
    this.#isReady = true
    this.#report()
  }

  #report(): void {
    if (this.#isReported) return
    this.#isReported = true
    this.#options.onReady()
  }
}
