import type { Clock } from '../../clock/index.js'
import type { Look } from '../../panes/index.js'
import type { Menu } from '../../screen/index.js'
import type { Effects } from '../live/effects.js'
import type { PhaseApprovals, PhaseState } from '../live/session-phase-options.js'
import { liveMenu } from './live-menu.js'

export interface MenuInstancesOptions {
  clock: Clock
  effects: Effects
  approvals: PhaseApprovals
  /** Old bytes are being read: nothing of them is asked. */
  isCatchingUp(): boolean
}

/** Which appearance of a menu is on screen, and how it comes to the ledger: two equal menus in a row are two requests. */
export class MenuInstances {
  readonly #options: MenuInstancesOptions
  #state: PhaseState['menus']
  /** Menus on their way to the ledger. */
  #asking = 0
  /** The menu that was last seen to stand: on a screen that nobody draws on any more it is seen no second time. */
  #stood: Menu | null = null

  constructor(options: MenuInstancesOptions, restored: PhaseState['menus'] | null) {
    this.#options = options
    this.#state = restored ? { ...restored } : { count: 0, print: null, instance: '' }
  }

  get state(): PhaseState['menus'] {
    return { ...this.#state }
  }

  get instance(): string {
    return this.#state.instance
  }

  /** Takes note of what a settled look shows; tells whether it is a menu that the last one did not show. */
  isNew(menu: Menu | null): boolean {
    if (!menu) this.#state.print = null
    return menu !== null && this.#state.print !== menu.print
  }

  ask(menu: Menu, look: Look): void {
    const { clock, effects, approvals, isCatchingUp } = this.#options
    const since = clock.monotonic() - Math.max(0, look.t - menu.live.since) * 1000
    const count = this.#state.count + 1
    const instance = `${look.frame.lines[menu.rows[0]]?.id ?? 0}:${count}`
    this.#state = { count, print: menu.print, instance }
    if (isCatchingUp()) return
    this.#asking++
    effects.later(() => approvals.raise(menu, instance, since).finally(() => this.#asking--))
  }

  /** The menu was dispatched, and is there. */
  stands(menu: Menu | null): void {
    const { approvals, isCatchingUp } = this.#options
    this.#stood = menu
    if (menu && this.#asking === 0 && !isCatchingUp()) approvals.stands(menu, this.instance)
  }

  /** After a restart: the open request of the menu on screen is ours again. */
  takeOver(look: Look | null): void {
    const { effects, approvals } = this.#options
    const menu = liveMenu(look?.observation ?? null)
    const { instance } = this
    this.#asking++
    this.#stood = menu
    effects.later(async () => {
      try {
        const found = await approvals.takeOver(menu && { menu, instance })
        if (found === 'new' && menu) await approvals.raise(menu, instance)
      } finally {
        this.#asking--
        // It may have been drawn meanwhile, or the ledger was out of reach: no later look need ever tell of it.
        this.stands(this.#stood)
      }
    })
  }
}
