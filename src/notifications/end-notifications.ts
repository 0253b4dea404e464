import type { Timer } from '../clock/index.js'
import type { PaneInfo } from '../supervision/index.js'
import type { NotificationCenterOptions } from './notification-center.js'

/** Which ends of work are notified: delayed, once, and not for a focused pane. */
export class EndNotifications {
  readonly #options: Pick<NotificationCenterOptions, 'clock' | 'settings' | 'quietWorkS' | 'counters'>
  readonly #notify: (kind: 'done' | 'failed', pane: PaneInfo) => void
  readonly #waiting = new Map<string, Timer>()
  readonly #notifiedAt = new Map<string, number>()
  readonly #notifiedEnds = new Set<string>()

  constructor(
    options: Pick<NotificationCenterOptions, 'clock' | 'settings' | 'quietWorkS' | 'counters'>,
    notify: (kind: 'done' | 'failed', pane: PaneInfo) => void,
  ) {
    this.#options = options
    this.#notify = notify
  }

  end(pane: PaneInfo): void {
    const { clock, settings, quietWorkS, counters } = this.#options
    const kind = pane.status === 'failed' ? 'failed' : 'done'
    const notSent = (reason: string) => counters.add('notify.held', { kind, reason })
    if (!(kind === 'failed' ? settings.failed : settings.done)) return notSent('off')
    if (pane.since - pane.startedAt < quietWorkS * 1000) return notSent('short_work')
    if (pane.isFocused || pane.seen) return notSent('seen')
    const end = `${pane.id} ${pane.startedAt} ${kind}`
    if (this.#notifiedEnds.has(end)) return notSent('notified')
    this.cancel(pane.id)
    const lastAt = this.#notifiedAt.get(pane.id) ?? Number.NEGATIVE_INFINITY
    const gap = Math.max(0, lastAt + settings.pane_gap_s * 1000 - clock.now())
    const wait = Math.max(settings.done_delay_s * 1000, kind === 'done' ? gap : 0)
    const timer = clock.setTimer(wait, () => {
      this.#waiting.delete(pane.id)
      this.#notifiedEnds.add(end)
      this.#notifiedAt.set(pane.id, clock.now())
      this.#notify(kind, pane)
    })
    this.#waiting.set(pane.id, timer)
  }

  /** The work continues, or its pane is muted. */
  cancel(id: string): void {
    const timer = this.#waiting.get(id)
    if (!timer) return
    timer.cancel()
    this.#waiting.delete(id)
    this.#options.counters.add('notify.held', { kind: 'done', reason: 'continued' })
  }

  cancelAll(): void {
    for (const timer of this.#waiting.values()) timer.cancel()
    this.#waiting.clear()
  }
}
