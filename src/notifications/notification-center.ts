import {
  type NotifyChannel,
  type NotifyPerson,
  type NotifySettings,
  type NotifySubject,
  planNotifications,
  type SentMessage,
} from '../approvals/index.js'
import type { Clock, Timer } from '../clock/index.js'
import type { Config } from '../config/index.js'
import type { Counters } from '../panes/index.js'
import type { PaneInfo, PaneListChange } from '../supervision/index.js'
import { formatDuration } from '../text/index.js'
import { EndCalls } from './ended-runs.js'
import { digestNotice, endText, type Notice, type NoticeOutlets, paneNotice } from './notification.js'
import { isQuiet, quietHours } from './quiet-hours.js'

export interface NotifyCenterOptions {
  clock: Clock
  settings: Config['notify']
  /** Runs shorter than this are nobody's business. */
  quietRunS: number
  outlets: NoticeOutlets
  counters: Counters
  hostName: string
  /** Minutes that the person's clock is ahead of UTC. */
  utcOffset: number
}

const PERSON = 'local'
const RECENT_MS = 600_000
/** Keys pressed so recently mean that somebody is there. */
const PRESENT_MS = 60_000

interface Asking {
  subject: NotifySubject
  pane: PaneInfo
}

/**
 * Calls the person when a pane needs them, is done or has failed; for nothing else. Who is asked where and when is `planNotifications`, what
 * is about ends of runs stands in `EndCalls`; here the two come together, and go out.
 */
export class NotifyCenter {
  readonly #options: NotifyCenterOptions
  readonly #listeners = new Set<(notice: Notice) => void>()
  readonly #asking = new Map<string, Asking>()
  readonly #ends: EndCalls
  readonly #stuckSince = new Map<string, number>()
  #sent: SentMessage[] = []
  #recent: NotifySubject[] = []
  #held: Notice[] = []
  #lastActive: Partial<Record<NotifyChannel, number>> = {}
  #timer: Timer | null = null
  #digest: Timer | null = null
  #lastText: { text: string; at: number } | null = null
  #isEnabled: boolean

  constructor(options: NotifyCenterOptions) {
    this.#options = options
    this.#ends = new EndCalls(options, (kind, pane) => this.#callEnd(kind, pane))
    this.#isEnabled = options.settings.enabled
  }

  listen(listener: (notice: Notice) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  get isEnabled(): boolean {
    return this.#isEnabled
  }

  /** Off: nothing is followed and nothing that waits is told. */
  setEnabled(isEnabled: boolean): void {
    this.#isEnabled = isEnabled
    if (isEnabled) return
    this.#ends.drop()
    this.#asking.clear()
    this.#stuckSince.clear()
    this.#timer?.cancel()
    this.#timer = null
  }

  /** When somebody was last active on each kind of surface. */
  get lastActive(): Readonly<Partial<Record<NotifyChannel, number>>> {
    return this.#lastActive
  }

  /** Somebody pressed keys on a surface of this kind. */
  present(channel: NotifyChannel): void {
    this.#lastActive = { ...this.#lastActive, [channel]: this.#options.clock.now() }
    this.#options.counters.add('notify.present', { channel })
  }

  close(): void {
    this.#timer?.cancel()
    this.#digest?.cancel()
    this.#ends.drop()
  }

  /** Every change of the board, in order. */
  take(change: PaneListChange): void {
    if (!this.#isEnabled) return
    if (change.type === 'gone') return this.#gone(change.pane)
    const { pane, before } = change
    if (pane.isMuted) return this.#mute(pane)
    this.#followAsking(pane)
    this.#followStuck(pane)
    if (before === null || before.status === pane.status) return
    const isOver = pane.status === 'done' || pane.status === 'failed'
    if (isOver) this.#ends.end(pane)
    else this.#ends.forget(pane.id)
  }

  /** The person wants to hear nothing of it: what waits to be said is not said. */
  #mute(pane: PaneInfo): void {
    const open = this.#asking.get(pane.id)
    if (open) this.#close(open)
    this.#ends.forget(pane.id)
    this.#stuckSince.delete(pane.id)
  }

  // — needs you —

  #followAsking(pane: PaneInfo): void {
    const open = this.#asking.get(pane.id)
    if (!pane.needsYou) {
      if (open) this.#close(open)
      return
    }
    if (!this.#options.settings.needs_you) return
    const now = this.#options.clock.now()
    const id = `${pane.id}#${pane.waitedSince ?? pane.since}`
    if (open && open.subject.id === id) {
      const seenAt = open.subject.seenAt ?? (pane.seen || pane.isFocused ? now : undefined)
      open.pane = pane
      open.subject = { ...open.subject, ...(seenAt !== undefined && { seenAt }) }
      return
    }
    if (open) this.#close(open)
    const subject: NotifySubject = {
      id,
      isPending: true,
      requestedAt: now,
      group: pane.id,
      // The same question of the same pane, again and again, is a loop.
      fingerprint: `${pane.id} ${pane.doing}`,
      ...(pane.isFocused && { seenAt: now }),
    }
    this.#asking.set(pane.id, { subject, pane })
    this.#plan()
    this.#recent = [...this.#recent.filter(({ requestedAt }) => now - requestedAt < RECENT_MS), subject]
  }

  #close(asking: Asking): void {
    this.#asking.delete(asking.pane.id)
    const { steps } = planNotifications(this.#situation({ ...asking.subject, isPending: false }))
    if (steps.length > 0) this.#toTerminals(this.#notice('over', asking.pane, 'answered'))
    // What was said about recent questions is needed to know a loop.
    const kept = new Set([...this.#recent, ...[...this.#asking.values()].map(open => open.subject)].map(({ id }) => id))
    this.#sent = this.#sent.filter(({ approval }) => kept.has(approval))
  }

  #plan(): void {
    const { clock } = this.#options
    let again: number | null = null
    for (const asking of this.#asking.values()) {
      const { steps, lookAgainAt } = planNotifications(this.#situation(asking.subject))
      for (const { person, channel, what, approval } of steps) {
        this.#sent.push({ approval, person, channel, what })
        if (what === 'edit' || what === 'count') continue
        const body = what === 'loop' ? `asks in a loop: ${asking.pane.doing}` : asking.pane.doing
        this.#deliver(this.#notice('needs-you', asking.pane, body), channel)
      }
      if (lookAgainAt !== null) again = Math.min(again ?? lookAgainAt, lookAgainAt)
    }
    this.#timer?.cancel()
    this.#timer = again === null ? null : clock.setTimer(Math.max(1, again - clock.now()), () => this.#plan())
  }

  #situation(approval: NotifySubject) {
    const { clock, settings } = this.#options
    const plan: NotifySettings = {
      graceMs: settings.grace_s * 1000,
      nextMs: settings.next_s * 1000,
      allMs: settings.all_s * 1000,
      remindMs: settings.remind_s * 1000,
    }
    return {
      now: clock.now(),
      approval,
      people: [this.#person()],
      sent: this.#sent,
      recent: this.#recent.filter(({ id }) => id !== approval.id),
      settings: plan,
    }
  }

  /** Only ways that lead somewhere now: a channel without anybody behind it would swallow the call. */
  #person(): NotifyPerson {
    const { settings, outlets, utcOffset } = this.#options
    const isOpen = (channel: NotifyChannel) =>
      channel === 'terminal' ? true : channel === 'browser' && outlets.hasDesktop
    const quiet = quietHours(settings.quiet)
    return {
      id: PERSON,
      mayDecide: true,
      channels: settings.channels.filter(isOpen),
      lastActive: this.#lastActive,
      utcOffset,
      ...(quiet && { quiet }),
    }
  }

  #followStuck(pane: PaneInfo): void {
    const { clock, settings } = this.#options
    if (!pane.stuck) {
      this.#stuckSince.delete(pane.id)
      return
    }
    const now = clock.now()
    const since = this.#stuckSince.get(pane.id)
    if (since === undefined) {
      this.#stuckSince.set(pane.id, now)
      clock.setTimer(settings.stuck_s * 1000, () => {
        if (this.#stuckSince.get(pane.id) === now && settings.needs_you)
          this.#deliver(
            this.#notice('needs-you', pane, `no progress for ${formatDuration(clock.now() - now)}`),
            'browser',
          )
      })
    }
  }

  // — delivery —

  #gone(pane: PaneInfo): void {
    const open = this.#asking.get(pane.id)
    if (open) this.#close(open)
    this.#stuckSince.delete(pane.id)
  }

  #callEnd(kind: 'done' | 'failed', pane: PaneInfo): void {
    const isHere = this.#options.clock.now() - (this.#lastActive.terminal ?? Number.NEGATIVE_INFINITY) <= PRESENT_MS
    const channel = isHere || !this.#options.outlets.hasDesktop ? 'terminal' : 'browser'
    this.#deliver(this.#notice(kind, pane, endText(kind, pane)), channel)
  }

  #notice(kind: Notice['kind'], pane: PaneInfo, body: string): Notice {
    const { clock, hostName } = this.#options
    return paneNotice(kind, pane, body, { hostName, at: clock.now() })
  }

  #deliver(notice: Notice, channel: NotifyChannel): void {
    const { clock, settings, counters, utcOffset } = this.#options
    const labels = { kind: notice.kind, channel }
    const last = this.#lastText
    if (last && last.text === notice.title + notice.body && clock.now() - last.at < settings.dedupe_s * 1000)
      return counters.add('notify.held', { kind: notice.kind, reason: 'same' })
    const quiet = isQuiet(settings.quiet, clock.now(), utcOffset)
    // Requests are held by the plan itself, which knows deadlines; ends of runs wait here for one digest.
    if (quiet && notice.kind !== 'needs-you') {
      this.#held.push(notice)
      this.#digest ??= clock.setTimer(quiet.leftMs, () => this.#sendDigest())
      return counters.add('notify.held', { kind: notice.kind, reason: 'quiet_hours' })
    }
    this.#lastText = { text: notice.title + notice.body, at: clock.now() }
    counters.add('notify.sent', labels)
    if (channel === 'browser') this.#options.outlets.desktop(notice)
    this.#toTerminals(notice)
  }

  #sendDigest(): void {
    const held = this.#held.splice(0)
    this.#digest = null
    if (held.length === 0) return
    const notice = digestNotice(held, this.#options.clock.now())
    this.#deliver(notice, this.#options.outlets.hasDesktop ? 'browser' : 'terminal')
  }

  #toTerminals(notice: Notice): void {
    for (const listener of this.#listeners) listener(notice)
  }
}
