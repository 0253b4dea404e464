import type { Clock, Timer } from '../../clock/index.js'
import type { Host } from '../../host/index.js'
import { blockWords } from '../../screen/index.js'
import type { LiveSession } from '../../sessions/index.js'
import { formatDuration } from '../../text/index.js'
import type { Chats } from '../chats.js'
import type { Outbox } from '../outgoing/outbox.js'
import type { Queued } from '../outgoing/outbox-item.js'
import { escapeHtml } from '../outgoing/split.js'
import { sessionTitle } from './names.js'

export interface StatusOptions {
  host: Host
  clock: Clock
  chats: Chats
  outbox: Outbox
  onError(error: unknown): void
}

/** A draft that says nothing new for so long becomes a card that says what is being done. */
export const SILENT_MS = 25_000
const AGAIN_MS = 30_000
const LONGEST_WORDS = 120

interface Work {
  since: number
  timer: Timer | null
}

/**
 * One card a session while it works without a word: what runs, and since when. It is edited, never repeated, and closed by the end of the
 * turn, which the log tells (`closed`), so that a restart in between leaves none behind.
 */
export class Status {
  readonly #options: StatusOptions
  readonly #works = new Map<string, Work>()

  constructor(options: StatusOptions) {
    this.#options = options
  }

  /** The agent is at work; `isSaying` when there are new words of it. */
  atWork(session: string, isSaying: boolean): void {
    const known = this.#works.get(session)
    if (known && !isSaying) return
    known?.timer?.cancel()
    const work = { since: known?.since ?? this.#options.clock.now(), timer: null }
    this.#works.set(session, work)
    this.#wait(session, work, SILENT_MS)
  }

  /** The turn is over. Its card goes with the next words about the session, if there ever was one. */
  over(session: string): void {
    this.#works.get(session)?.timer?.cancel()
    this.#works.delete(session)
  }

  stop(): void {
    for (const { timer } of this.#works.values()) timer?.cancel()
    this.#works.clear()
  }

  /** The end of the card in every chat that may show it; where it was never shown nothing is sent. */
  async closed(session: string): Promise<Queued[]> {
    const record = await this.#options.host.record(session).catch(() => null)
    if (!record) return []
    const html = `<b>${escapeHtml(sessionTitle(record))}</b>\nhas answered.`
    return this.#cards(session, html, false)
  }

  #wait(session: string, work: Work, ms: number): void {
    const { clock, onError } = this.#options
    work.timer = clock.setTimer(ms, () => {
      if (this.#works.get(session) === work) void this.#show(session, work).catch(onError)
    })
  }

  async #show(session: string, work: Work): Promise<void> {
    const { host, clock, outbox } = this.#options
    const live = host.live(session)
    if (!live || live.exit || live.isIdle) return this.over(session)
    // While a request is open its own card says what is needed.
    if (live.approval?.state !== 'pending') {
      const record = await host.record(session)
      const title = `<b>${escapeHtml(sessionTitle(record))}</b>`
      const html = `${title}\nworks since ${formatDuration(clock.now() - work.since)}: ${escapeHtml(doing(live))}`
      await outbox.say(await this.#cards(session, html, true))
    }
    if (this.#works.get(session) === work) this.#wait(session, work, AGAIN_MS)
  }

  async #cards(session: string, html: string, isOpen: boolean): Promise<Queued[]> {
    const chats = (await this.#options.chats.followers(session)).filter(({ current }) => !isOpen || current === session)
    return chats.map(({ chat }) => ({
      chat,
      topic: session,
      lane: 3,
      subject: `status.${session}`,
      act: { do: 'card', html, keyboard: [], isOpen },
    }))
  }
}

/** The tool that runs, else the phase. */
function doing(live: LiveSession): string {
  const tool = live.blocks.findLast(({ kind }) => kind === 'tool_call')
  const words = tool ? blockWords(tool).join(' ') : live.phase
  return [...words].slice(0, LONGEST_WORDS).join('')
}
