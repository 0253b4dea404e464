import type { Clock, Timer } from '../../clock/index.js'
import { newEvent } from '../../events/index.js'
import { type KnownChat, telegramChatsProjection } from '../../host/index.js'
import type { EventStore, StreamAppend } from '../../store/index.js'
import { plural } from '../../text/index.js'
import type { Chats } from '../chats.js'
import type { Outbox } from './outbox.js'
import { PART_UNITS, plainOf } from './split.js'

interface DigestOptions {
  store: EventStore
  clock: Clock
  chats: Chats
  outbox: Outbox
  /** Quiet hours of every day: `22:00-07:00`. */
  quiet: string | null
  utcOffset: number
  /** Runs `work` while no events are processed: only one of them may change what is held. */
  betweenBatches(work: () => Promise<void>): Promise<void>
}

const CHECK_MS = 60_000
const DELAYED_MAX = 50
/** More notifications than this within a minute are combined. */
const BURST_NOTICES = 5
const BURST_MS = 60_000

/** Holds notifications of quiet hours or a burst, and sends them as one message. */
export class Digest {
  readonly #options: DigestOptions
  /** When each chat was recently notified. */
  readonly #notified = new Map<number, number[]>()
  #timer: Timer | null = null

  constructor(options: DigestOptions) {
    this.#options = options
  }

  start(): void {
    const check = () => {
      this.#timer = this.#options.clock.setTimer(CHECK_MS, check)
      void this.#options.betweenBatches(() => this.sendDue())
    }
    check()
  }

  stop(): void {
    this.#timer?.cancel()
  }

  isQuiet({ quietUntil }: KnownChat, now: number): boolean {
    return (quietUntil ?? 0) > now || this.#isQuietHour(now)
  }

  /** Whether to hold this notification; one that is not held counts as sent. */
  mustHold(chat: KnownChat, now: number): boolean {
    if (this.isQuiet(chat, now)) return true
    const recent = (this.#notified.get(chat.chat) ?? []).filter(at => now - at < BURST_MS)
    // A notification does not overtake those that are held already.
    if (recent.length >= BURST_NOTICES || (chat.held?.length ?? 0) > 0) return true
    this.#notified.set(chat.chat, [...recent, now])
    return false
  }

  /** Appends for the transaction of the event. */
  hold({ chat, held = [] }: KnownChat, notices: readonly string[]): StreamAppend {
    const more = [...held, ...notices].slice(-DELAYED_MAX)
    const events = [newEvent('telegram.chat-changed', { chat, held: more })]
    return { stream: `telegram/chat/${chat}`, expected: 'any', events }
  }

  /** Sends what is held for chats that are no longer quiet. */
  async sendDue(): Promise<void> {
    const { store, clock, outbox } = this.#options
    const now = clock.now()
    for (const { state } of await store.documents<KnownChat>(telegramChatsProjection.name)) {
      const { chat, held = [] } = state
      if (held.length === 0 || this.isQuiet(state, now)) continue
      const html = [`<b>${plural(held.length, 'notification')}</b>`, ...held].join('\n\n')
      const act =
        html.length <= PART_UNITS
          ? { do: 'say' as const, html }
          : {
              do: 'file' as const,
              name: 'notifications.txt',
              text: plainOf(html),
              caption: plural(held.length, 'notification'),
            }
      const events = [newEvent('telegram.chat-changed', { chat, held: [] })]
      await outbox.enqueue(
        [{ chat, lane: 3, subject: `digest ${now}`, act }],
        [{ stream: `telegram/chat/${chat}`, expected: 'any', events }],
      )
    }
  }

  #isQuietHour(now: number): boolean {
    const { quiet, utcOffset } = this.#options
    const [, h1, m1, h2, m2] = /^(\d\d):(\d\d)-(\d\d):(\d\d)$/.exec(quiet ?? '') ?? []
    if (h1 === undefined) return false
    const minute = Math.floor(now / 60_000 + utcOffset) % 1440
    const from = Number(h1) * 60 + Number(m1)
    const to = Number(h2) * 60 + Number(m2)
    return from <= to ? minute >= from && minute < to : minute >= from || minute < to
  }
}
