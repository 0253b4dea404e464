import type { Timer } from '../clock/index.js'
import type { PaneInfo } from '../supervision/index.js'
import type { NotifyCenterOptions } from './notification-center.js'

/** Which ends of runs are told, and when: late enough that a run which goes on is not, never twice, not what the person is looking at. */
export class EndCalls {
  readonly #options: Pick<NotifyCenterOptions, 'clock' | 'settings' | 'quietRunS' | 'counters'>
  readonly #call: (kind: 'done' | 'failed', pane: PaneInfo) => void
  readonly #waiting = new Map<string, Timer>()
  readonly #toldAt = new Map<string, number>()
  readonly #toldRuns = new Set<string>()

  constructor(
    options: Pick<NotifyCenterOptions, 'clock' | 'settings' | 'quietRunS' | 'counters'>,
    call: (kind: 'done' | 'failed', pane: PaneInfo) => void,
  ) {
    this.#options = options
    this.#call = call
  }

  end(pane: PaneInfo): void {
    const { clock, settings, quietRunS, counters } = this.#options
    const kind = pane.status === 'failed' ? 'failed' : 'done'
    const held = (reason: string) => counters.add('notify.held', { kind, reason })
    if (!(kind === 'failed' ? settings.failed : settings.done)) return held('off')
    if (pane.since - pane.startedAt < quietRunS * 1000) return held('short_run')
    if (pane.isFocused || pane.seen) return held('seen')
    const run = `${pane.id} ${pane.startedAt} ${kind}`
    if (this.#toldRuns.has(run)) return held('told')
    this.forget(pane.id)
    const lastAt = this.#toldAt.get(pane.id) ?? Number.NEGATIVE_INFINITY
    const gap = Math.max(0, lastAt + settings.pane_gap_s * 1000 - clock.now())
    const wait = Math.max(settings.done_delay_s * 1000, kind === 'done' ? gap : 0)
    const timer = clock.setTimer(wait, () => {
      this.#waiting.delete(pane.id)
      this.#toldRuns.add(run)
      this.#toldAt.set(pane.id, clock.now())
      this.#call(kind, pane)
    })
    this.#waiting.set(pane.id, timer)
  }

  /** It went on, or nobody wants to hear of it. */
  forget(id: string): void {
    const timer = this.#waiting.get(id)
    if (!timer) return
    timer.cancel()
    this.#waiting.delete(id)
    this.#options.counters.add('notify.held', { kind: 'done', reason: 'went_on' })
  }

  /** Nothing that waits is told. */
  drop(): void {
    for (const timer of this.#waiting.values()) timer.cancel()
    this.#waiting.clear()
  }
}
