import type { Clock, Timer } from '../clock/index.js'
import type { Config } from '../config/index.js'
import type { Counters } from '../panes/index.js'
import type { PaneInfo, PaneListChange } from '../supervision/index.js'
import { formatDuration } from '../text/index.js'
import { EndNotifications } from './end-notifications.js'
import {
  digestNotification,
  endText,
  type NotificationOutlets,
  type PaneNotification,
  paneNotification,
  paneQuestion,
} from './notification.js'
import {
  type NotificationChannel,
  type NotificationRecipient,
  type NotificationSubject,
  type NotificationTimes,
  planNotifications,
  quietEnd,
  type SentMessage,
} from './notification-plan.js'

export interface NotificationCenterOptions {
  clock: Clock
  settings: Config['notify']
  /** The end of shorter work is not notified. */
  quietWorkS: number
  outlets: NotificationOutlets
  counters: Counters
  hostName: string
  /** Minutes that the person's clock is ahead of UTC. */
  utcOffset: number
}

const RECENT_MS = 600_000
/** A person who pressed keys this recently is present. */
const PRESENT_MS = 60_000

interface OpenQuestion {
  subject: NotificationSubject
  pane: PaneInfo
}

/**
 * Notifies the user of this machine when a pane needs them, is stuck, is done or has failed.
 * `planNotifications` decides about questions, `EndNotifications` about the end of work; this class
 * follows the panes and delivers.
 */
export class NotificationCenter {
  readonly #options: NotificationCenterOptions
  readonly #listeners = new Set<(notice: PaneNotification) => void>()
  readonly #questions = new Map<string, OpenQuestion>()
  readonly #ends: EndNotifications
  readonly #stuck = new Map<string, { since: number; timer: Timer }>()
  /** The cards in chats about panes that are stuck. */
  readonly #stuckCards = new Map<string, string>()
  #sent: SentMessage[] = []
  #recent: NotificationSubject[] = []
  #delayed: PaneNotification[] = []
  #lastActive: Partial<Record<NotificationChannel, number>> = {}
  #timer: Timer | null = null
  #digest: Timer | null = null
  readonly #lastTexts = new Map<NotificationChannel, { text: string; at: number }>()
  #hasChats: () => boolean = () => false
  #isEnabled: boolean

  constructor(options: NotificationCenterOptions) {
    this.#options = { ...options }
    this.#ends = new EndNotifications(this.#options, (kind, pane) => this.#notifyEnd(kind, pane))
    this.#isEnabled = options.settings.enabled
  }

  listen(listener: (notice: PaneNotification) => void): () => void {
    this.#listeners.add(listener)
    this.#plan()
    return () => this.#listeners.delete(listener)
  }

  /** The bot is running: `hasChats` says whether a person can be reached there. */
  connectTelegram(hasChats: () => boolean): void {
    this.#hasChats = hasChats
    this.#plan()
  }

  disconnectTelegram(): void {
    this.#hasChats = () => false
  }

  get isEnabled(): boolean {
    return this.#isEnabled
  }

  /** When off, changes are ignored and waiting notifications are dropped. */
  setEnabled(isEnabled: boolean): void {
    this.#isEnabled = isEnabled
    if (isEnabled) return
    this.#ends.cancelAll()
    this.#questions.clear()
    this.#forgetStuck()
    this.#timer?.cancel()
    this.#timer = null
  }

  get settings(): Config['notify'] {
    return this.#options.settings
  }

  /** The settings have changed. The next notifications follow them; outlets and the switch stay. */
  reload(settings: Config['notify']): void {
    this.#options.settings = settings
    this.#plan()
  }

  /** When a person was last active on each channel. */
  get lastActive(): Readonly<Partial<Record<NotificationChannel, number>>> {
    return this.#lastActive
  }

  /** A person pressed keys on this channel. */
  present(channel: NotificationChannel): void {
    this.#lastActive = { ...this.#lastActive, [channel]: this.#options.clock.now() }
    this.#options.counters.add('notify.present', { channel })
  }

  close(): void {
    this.#forgetStuck()
    this.#timer?.cancel()
    this.#digest?.cancel()
    this.#ends.cancelAll()
  }

  /** Every change of a pane, in order. */
  paneChanged(change: PaneListChange): void {
    if (!this.#isEnabled) return
    if (change.type === 'gone') return this.#paneRemoved(change.pane)
    const { pane, before } = change
    if (pane.isMuted) return this.#mute(pane)
    this.#followQuestion(pane)
    this.#followStuck(pane)
    if (before === null || before.status === pane.status) return
    const isOver = pane.status === 'done' || pane.status === 'failed'
    if (isOver) this.#ends.end(pane)
    else this.#ends.cancel(pane.id)
  }

  /** Drops the notifications of a muted pane. */
  #mute(pane: PaneInfo): void {
    const open = this.#questions.get(pane.id)
    if (open) this.#close(open)
    this.#ends.cancel(pane.id)
    this.#endStuck(pane)
  }

  // — needs you —

  #followQuestion(pane: PaneInfo): void {
    const open = this.#questions.get(pane.id)
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
    const subject: NotificationSubject = {
      id,
      requestedAt: now,
      group: pane.id,
      // The same question of the same pane is a repetition.
      fingerprint: `${pane.id} ${pane.doing}`,
      ...(pane.isFocused && { seenAt: now }),
    }
    this.#questions.set(pane.id, { subject, pane })
    this.#plan()
    this.#recent = [...this.#recent.filter(({ requestedAt }) => now - requestedAt < RECENT_MS), subject]
  }

  #close(question: OpenQuestion): void {
    this.#questions.delete(question.pane.id)
    const sent = this.#sent.filter(({ request }) => request === question.subject.id)
    if (sent.some(({ what }) => what === 'message')) this.#toTerminals(this.#notice('over', question.pane, 'answered'))
    if (sent.some(({ channel }) => channel === 'telegram')) this.#toTelegram('over', question, '')
    // The messages of recent questions are needed to recognise a loop.
    const kept = new Set(
      [...this.#recent, ...[...this.#questions.values()].map(open => open.subject)].map(({ id }) => id),
    )
    this.#sent = this.#sent.filter(({ request }) => kept.has(request))
  }

  #plan(): void {
    const { clock } = this.#options
    let again: number | null = null
    for (const question of this.#questions.values()) {
      if (this.#openChannels(question.pane).length === 0) continue
      const { steps, nextCheckAt } = planNotifications(this.#situation(question))
      for (const { channel, what } of steps) {
        this.#sent.push({ request: question.subject.id, channel, what })
        const body = what === 'loop' ? `asks in a loop: ${question.pane.doing}` : question.pane.doing
        if (channel === 'telegram') this.#toTelegram('needs-you', question, body, what === 'reminder')
        this.#deliver(this.#notice('needs-you', question.pane, body), channel)
      }
      if (nextCheckAt !== null) again = Math.min(again ?? nextCheckAt, nextCheckAt)
    }
    this.#timer?.cancel()
    this.#timer = again === null ? null : clock.setTimer(Math.max(1, again - clock.now()), () => this.#plan())
  }

  #situation({ subject, pane }: OpenQuestion) {
    const { clock, settings } = this.#options
    const times: NotificationTimes = {
      graceMs: settings.grace_s * 1000,
      nextMs: settings.next_s * 1000,
      allMs: settings.all_s * 1000,
      remindMs: settings.remind_s * 1000,
    }
    return {
      now: clock.now(),
      request: subject,
      recipient: this.#recipient(pane),
      sent: this.#sent,
      recent: this.#recent.filter(({ id }) => id !== subject.id),
      times,
    }
  }

  /** Only channels that are available now: a notification on another one would be lost. */
  #openChannels(pane: PaneInfo): NotificationChannel[] {
    const { settings, outlets } = this.#options
    const isOpen: Record<NotificationChannel, boolean> = {
      terminal: this.#listeners.size > 0,
      browser: outlets.hasOutlet,
      telegram: pane.source === 'tmux' && this.#hasChats(),
    }
    return settings.channels.filter(channel => isOpen[channel])
  }

  #recipient(pane: PaneInfo): NotificationRecipient {
    const { settings, utcOffset } = this.#options
    const quiet = quietHours(settings.quiet)
    return {
      channels: this.#openChannels(pane),
      lastActive: this.#lastActive,
      utcOffset,
      ...(quiet && { quiet }),
    }
  }

  #followStuck(pane: PaneInfo): void {
    const { clock, settings } = this.#options
    if (!pane.stuck) return this.#endStuck(pane)
    if (this.#stuck.has(pane.id)) return
    const since = clock.now()
    const notify = () => {
      if (settings.needs_you) this.#notifyStuck(pane, `no progress for ${formatDuration(clock.now() - since)}`)
    }
    this.#stuck.set(pane.id, { since, timer: clock.setTimer(settings.stuck_s * 1000, notify) })
  }

  #forgetStuck(): void {
    for (const { timer } of this.#stuck.values()) timer.cancel()
    this.#stuck.clear()
  }

  #notifyStuck(pane: PaneInfo, text: string): void {
    for (const channel of this.#openChannels(pane)) {
      if (channel === 'telegram') {
        const id = `${pane.id}#stuck-${this.#stuck.get(pane.id)?.since}`
        this.#stuckCards.set(pane.id, id)
        this.#toTelegram('needs-you', { pane, subject: { id } }, text)
      }
      this.#deliver(this.#notice('needs-you', pane, text), channel)
    }
  }

  #endStuck(pane: PaneInfo): void {
    this.#stuck.get(pane.id)?.timer.cancel()
    this.#stuck.delete(pane.id)
    const id = this.#stuckCards.get(pane.id)
    this.#stuckCards.delete(pane.id)
    if (id !== undefined) this.#toTelegram('over', { pane, subject: { id } }, '')
  }

  // — delivery —

  #paneRemoved(pane: PaneInfo): void {
    const open = this.#questions.get(pane.id)
    if (open) this.#close(open)
    this.#endStuck(pane)
  }

  #notifyEnd(kind: 'done' | 'failed', pane: PaneInfo): void {
    const isHere = this.#options.clock.now() - (this.#lastActive.terminal ?? Number.NEGATIVE_INFINITY) <= PRESENT_MS
    const channel = isHere || !this.#options.outlets.hasOutlet ? 'terminal' : 'browser'
    this.#deliver(this.#notice(kind, pane, endText(kind, pane)), channel)
  }

  #notice(kind: PaneNotification['kind'], pane: PaneInfo, body: string): PaneNotification {
    return paneNotification(kind, pane, body, this.#options.clock.now())
  }

  #deliver(notice: PaneNotification, channel: NotificationChannel): void {
    const { clock, settings, counters, utcOffset } = this.#options
    const labels = { kind: notice.kind, channel }
    if (this.#isRepeated(notice, channel)) return counters.add('notify.held', { kind: notice.kind, reason: 'same' })
    const quiet = quietHours(settings.quiet)
    const quietUntil = quiet && quietEnd({ quiet, utcOffset }, clock.now())
    // The plan delays questions itself; ends of work wait here for one digest.
    if (quietUntil !== null && notice.kind !== 'needs-you') {
      this.#delayed.push(notice)
      this.#digest ??= clock.setTimer(quietUntil - clock.now(), () => this.#sendDigest())
      return counters.add('notify.held', { kind: notice.kind, reason: 'quiet_hours' })
    }
    // Open terminals show every notification, once.
    const isShown = channel !== 'terminal' && this.#isRepeated(notice, 'terminal')
    for (const each of [channel, 'terminal'] as const)
      this.#lastTexts.set(each, { text: notice.title + notice.body, at: clock.now() })
    counters.add('notify.sent', labels)
    if (channel === 'browser') this.#options.outlets.send(notice)
    if (!isShown) this.#toTerminals(notice)
  }

  #isRepeated({ title, body }: PaneNotification, channel: NotificationChannel): boolean {
    const { clock, settings } = this.#options
    const last = this.#lastTexts.get(channel)
    return last !== undefined && last.text === title + body && clock.now() - last.at < settings.dedupe_s * 1000
  }

  #sendDigest(): void {
    const delayed = this.#delayed.splice(0)
    this.#digest = null
    if (delayed.length === 0) return
    const notice = digestNotification(delayed, this.#options.clock.now())
    this.#deliver(notice, this.#options.outlets.hasOutlet ? 'browser' : 'terminal')
  }

  /** One card for each question; it is edited when the question is over. */
  #toTelegram(
    kind: 'needs-you' | 'over',
    { pane, subject }: { pane: PaneInfo; subject: { id: string } },
    text: string,
    isReminder = false,
  ): void {
    const { outlets, hostName } = this.#options
    const question = paneQuestion(kind, pane, text, { hostName, question: subject.id })
    outlets.telegram(isReminder ? { ...question, isReminder } : question)
  }

  #toTerminals(notice: PaneNotification): void {
    for (const listener of this.#listeners) listener(notice)
  }
}

/** `22:00-07:00` as minutes of the day; null for none. */
function quietHours(setting: string | null): { from: number; to: number } | null {
  const match = /^(\d\d):(\d\d)-(\d\d):(\d\d)$/.exec(setting ?? '')
  if (!match) return null
  const [, h1, m1, h2, m2] = match.map(Number) as [number, number, number, number, number]
  return { from: h1 * 60 + m1, to: h2 * 60 + m2 }
}
