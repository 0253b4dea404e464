import type { Clock, Timer } from '../../clock/index.js'
import { newEvent } from '../../events/index.js'
import { type KnownChat, telegramChatsProjection } from '../../host/index.js'
import type { EventStore, StreamAppend } from '../../store/index.js'
import type { Chats } from '../chats.js'
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
  /** Does this when nothing is being told, and nothing is told meanwhile: what is held is changed by one at a time. */
  inTurn(work: () => Promise<void>): Promise<void>
}

const LOOK_MS = 60_000
const LONGEST = 50
/** More notices than this within a minute come together. */
const BURST = 5
const BURST_MS = 60_000

/** Notices that came in quiet hours, after /quiet, or too many at once: held with the chat in the store, and told as one message afterwards. */
export class Digest {
  readonly #options: DigestOptions
  /** When each chat was told something, of late. */
  readonly #told = new Map<number, number[]>()
  #timer: Timer | null = null

  constructor(options: DigestOptions) {
    this.#options = options
  }

  start(): void {
    const look = () => {
      this.#timer = this.#options.clock.setTimer(LOOK_MS, look)
      void this.#options.inTurn(() => this.tellDue())
    }
    look()
  }

  stop(): void {
    this.#timer?.cancel()
  }

  isQuiet({ quietUntil }: KnownChat, now: number): boolean {
    return (quietUntil ?? 0) > now || this.#isQuietHour(now)
  }

  /** Asked for each notice: one that is not held counts as told. */
  isToBeHeld(chat: KnownChat, now: number): boolean {
    if (this.isQuiet(chat, now)) return true
    const told = (this.#told.get(chat.chat) ?? []).filter(at => now - at < BURST_MS)
    // What waits already is not overtaken.
    if (told.length >= BURST || (chat.held?.length ?? 0) > 0) return true
    this.#told.set(chat.chat, [...told, now])
    return false
  }

  /** For the transaction of what it is about. */
  hold({ chat, held = [] }: KnownChat, notices: readonly string[]): StreamAppend {
    const more = [...held, ...notices].slice(-LONGEST)
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
