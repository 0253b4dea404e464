import type { Timer } from '../clock/index.js'
import type { PaneInfo } from '../supervision/index.js'
import type { NotificationCenterOptions } from './notification-center.js'

/** Which ends of runs are notified: delayed, once, and not for a focused pane. */
export class EndNotifications {
  readonly #options: Pick<NotificationCenterOptions, 'clock' | 'settings' | 'quietRunS' | 'counters'>
  readonly #notify: (kind: 'done' | 'failed', pane: PaneInfo) => void
  readonly #waiting = new Map<string, Timer>()
  readonly #notifiedAt = new Map<string, number>()
  readonly #notifiedRuns = new Set<string>()

  constructor(
    options: Pick<NotificationCenterOptions, 'clock' | 'settings' | 'quietRunS' | 'counters'>,
    notify: (kind: 'done' | 'failed', pane: PaneInfo) => void,
  ) {
    this.#options = options
    this.#notify = notify
  }

  end(pane: PaneInfo): void {
    const { clock, settings, quietRunS, counters } = this.#options
    const kind = pane.status === 'failed' ? 'failed' : 'done'
    const held = (reason: string) => counters.add('notify.held', { kind, reason })
    if (!(kind === 'failed' ? settings.failed : settings.done)) return held('off')
    if (pane.since - pane.startedAt < quietRunS * 1000) return held('short_run')
    if (pane.isFocused || pane.seen) return held('seen')
    const run = `${pane.id} ${pane.startedAt} ${kind}`
    if (this.#notifiedRuns.has(run)) return held('notified')
    this.cancel(pane.id)
    const lastAt = this.#notifiedAt.get(pane.id) ?? Number.NEGATIVE_INFINITY
    const gap = Math.max(0, lastAt + settings.pane_gap_s * 1000 - clock.now())
    const wait = Math.max(settings.done_delay_s * 1000, kind === 'done' ? gap : 0)
    const timer = clock.setTimer(wait, () => {
      this.#waiting.delete(pane.id)
      this.#notifiedRuns.add(run)
      this.#notifiedAt.set(pane.id, clock.now())
      this.#notify(kind, pane)
    })
    this.#waiting.set(pane.id, timer)
  }

  /** The run continues, or its pane is muted. */
  cancel(id: string): void {
    const timer = this.#waiting.get(id)
    if (!timer) return
    timer.cancel()
    this.#waiting.delete(id)
    this.#options.counters.add('notify.held', { kind: 'done', reason: 'went_on' })
  }

  cancelAll(): void {
    for (const timer of this.#waiting.values()) timer.cancel()
    this.#waiting.clear()
  }
}
