import type { PaneStatus } from './status-table.js'
import type { SupervisedState } from './supervisor-parts.js'

export interface ShownStatusSettings {
  displayDelayS: number
  dismissS: number
  recentS: number
}

/** A status in lists: an end stays after it was seen, and fades if long unseen. */
export class ShownStatus {
  readonly #settings: ShownStatusSettings
  #since = 0
  #endedAt: number | null = null
  #lingering: { status: PaneStatus; until: number } | null = null

  constructor(settings: ShownStatusSettings) {
    this.#settings = settings
  }

  /** When the status last changed. */
  get since(): number {
    return this.#since
  }

  changed(before: PaneStatus, after: PaneStatus, t: number): void {
    this.#since = t
    if (isEnd(after)) this.#endedAt = t
    this.#lingering =
      after === 'idle' && isEnd(before) ? { status: before, until: t + this.#settings.displayDelayS } : null
  }

  at(status: PaneStatus, t: number): Pick<SupervisedState, 'shown' | 'isFaded' | 'isRecent'> {
    const lingering = this.#lingering !== null && t < this.#lingering.until ? this.#lingering.status : null
    const fadedFor = isEnd(status) && this.#endedAt !== null ? t - this.#endedAt - this.#settings.dismissS : -1
    return {
      shown: status === 'idle' && lingering ? lingering : status,
      isFaded: fadedFor >= 0,
      isRecent: fadedFor >= 0 && fadedFor < this.#settings.recentS,
    }
  }
}

function isEnd(status: PaneStatus): boolean {
  return status === 'done' || status === 'failed'
}
