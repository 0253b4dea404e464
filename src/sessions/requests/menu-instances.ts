import type { Clock } from '../../clock/index.js'
import type { Look } from '../../panes/index.js'
import type { Menu, Observation } from '../../screen/index.js'
import type { Effects } from '../effects.js'
import type { ScreenRequests } from './screen-requests.js'

/** The menu that waits for an answer on this screen; null if none does. */
export function liveMenu(observation: Observation | null): Menu | null {
  if (observation?.view === 'tool_menu') return (observation as Observation<'tool_menu'>).payload.menu
  if (observation?.view === 'auth_required') return (observation as Observation<'auth_required'>).payload.menu ?? null
  return null
}

interface MenuInstancesOptions {
  clock: Clock
  effects: Effects
  requests: Pick<ScreenRequests, 'raise' | 'seenAgain' | 'expectTakeOver' | 'loadOpen' | 'takeOver'>
  /** The session reads old bytes: it raises no request for their menus. */
  isCatchingUp(): boolean
}

/** Saved in snapshots. */
export interface MenuState {
  count: number
  hash: string | null
  instance: string
}

/**
 * Counts the appearances of menus and raises a request for each: two equal menus in a row are two
 * requests. An instance is named after its first row and its number.
 */
export class MenuInstances {
  readonly #options: MenuInstancesOptions
  #state: MenuState
  /** Menus on their way to the ledger. */
  #raising = 0
  /** An earlier host's requests are not compared with the screen yet. */
  #isTakeOverDue = false
  /** The menu of the last settled look: a screen that no longer changes is not seen again. */
  #last: Menu | null = null

  constructor(options: MenuInstancesOptions, restored: MenuState | null) {
    this.#options = options
    this.#state = restored ? { ...restored } : { count: 0, hash: null, instance: '' }
  }

  get state(): MenuState {
    return { ...this.#state }
  }

  get instance(): string {
    return this.#state.instance
  }

  /** Notes a settled look; returns whether it shows a menu that the last did not. */
  isNew(menu: Menu | null): boolean {
    if (!menu) this.#state.hash = null
    return menu !== null && this.#state.hash !== menu.hash
  }

  raise(menu: Menu, look: Look): void {
    const { clock, effects, requests, isCatchingUp } = this.#options
    const since = clock.monotonic() - Math.max(0, look.t - menu.live.since) * 1000
    const count = this.#state.count + 1
    const instance = `${look.frame.lines[menu.rows[0]]?.id ?? 0}:${count}`
    this.#state = { count, hash: menu.hash, instance }
    if (isCatchingUp() || this.#isTakeOverDue) return
    this.#raising++
    effects.later(() => requests.raise(menu, instance, since).finally(() => this.#raising--))
  }

  /** The settled look shows this menu, and the phase has dealt with it. */
  seenAgain(menu: Menu | null): void {
    const { requests, isCatchingUp } = this.#options
    this.#last = menu
    if (menu && this.#raising === 0 && !this.#isTakeOverDue && !isCatchingUp()) requests.seenAgain(menu, this.instance)
  }

  /**
   * After a restart: takes over the ledger's open requests. The screen may be in the middle of a
   * change, so `takeOver` compares them with its menu later.
   */
  beginTakeOver(): void {
    const { effects, requests } = this.#options
    this.#isTakeOverDue = true
    requests.expectTakeOver()
    effects.later(async () => void (await requests.loadOpen()))
  }

  get isTakeOverDue(): boolean {
    return this.#isTakeOverDue && !this.#options.isCatchingUp()
  }

  /** The screen is clear and shows this menu: finds its request among those of an earlier host. */
  takeOver(menu: Menu | null): void {
    const { effects, requests } = this.#options
    if (!this.isTakeOverDue) return
    const { instance } = this
    this.#isTakeOverDue = false
    this.#raising++
    this.#last = menu
    effects.later(async () => {
      try {
        const found = await requests.takeOver(menu && { menu, instance })
        if (found === 'new' && menu) await requests.raise(menu, instance)
      } finally {
        this.#raising--
        // A menu may have appeared meanwhile, or the ledger failed: perhaps no later look shows it.
        this.seenAgain(this.#last)
      }
    })
  }
}
