import type { Clock, Timer } from '../clock/index.js'
import { newEvent } from '../events/index.js'
import { type KnownChat, telegramChatsProjection } from '../host/index.js'
import type { EventStore, StreamAppend } from '../store/index.js'
import type { Chats } from './chats.js'
import type { Outbox } from './outbox.js'
import { PART_UNITS, plainOf } from './split.js'

export interface DigestOptions {
  store: EventStore
  clock: Clock
  chats: Chats
  outbox: Outbox
  /** Hours of every day: `22:00-07:00`. */
  quiet: string | null
  utcOffset: number
  onError(error: unknown): void
}

const LOOK_MS = 60_000
const LONGEST = 50

/** Notices that came in quiet hours, or after /quiet: held with the chat in the store, and told as one message afterwards. */
export class Digest {
  readonly #options: DigestOptions
  #timer: Timer | null = null

  constructor(options: DigestOptions) {
    this.#options = options
  }

  start(): void {
    const look = () => {
      this.#timer = this.#options.clock.setTimer(LOOK_MS, look)
      void this.tellDue().catch(this.#options.onError)
    }
    look()
  }

  stop(): void {
    this.#timer?.cancel()
  }

  isQuiet({ quietUntil }: KnownChat, now: number): boolean {
    return (quietUntil ?? 0) > now || this.#isQuietHour(now)
  }

  /** For the transaction of what it is about. */
  hold({ chat, held = [] }: KnownChat, html: string): StreamAppend {
    const more = [...held, html].slice(-LONGEST)
    const events = [newEvent('telegram.chat-changed', { chat, held: more })]
    return { stream: `telegram/chat/${chat}`, expected: 'any', events }
  }

  /** What was held where it is not quiet any more. */
  async tellDue(): Promise<void> {
    const { store, clock, outbox } = this.#options
    const now = clock.now()
    for (const { state } of await store.documents<KnownChat>(telegramChatsProjection.name)) {
      const { chat, held = [] } = state
      if (held.length === 0 || this.isQuiet(state, now)) continue
      const html = [`<b>Meanwhile: ${held.length}</b>`, ...held].join('\n\n')
      const act =
        html.length <= PART_UNITS
          ? { do: 'say' as const, html }
          : { do: 'file' as const, name: 'meanwhile.txt', text: plainOf(html), caption: `${held.length} messages` }
      const events = [newEvent('telegram.chat-changed', { chat, held: [] })]
      await outbox.say(
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
