import type { Clock, Timer } from '../../clock/index.js'
import type { Host } from '../../host/index.js'
import { blockWords } from '../../screen/index.js'
import type { SessionPort } from '../../sessions/index.js'
import { formatDuration } from '../../text/index.js'
import type { Chats } from '../chats.js'
import type { Outbox } from '../outgoing/outbox.js'
import type { OutboxItem } from '../outgoing/outbox-item.js'
import { escapeHtml } from '../outgoing/split.js'
import { sessionTitle } from './session-title.js'

interface StatusCardsOptions {
  host: Host
  clock: Clock
  chats: Chats
  outbox: Outbox
  onError(error: unknown): void
}

/** After this long without new text, a card says what the agent is doing. */
const SILENT_MS = 25_000
const UPDATE_MS = 30_000
const CHARACTERS_MAX = 120

interface Work {
  since: number
  timer: Timer | null
}

/**
 * One card for each session that works without new text: what runs, and for how long. The card is
 * edited, never repeated. The end of the turn closes it; that comes from the log (`closed`), so
 * that a restart leaves no open card behind.
 */
export class StatusCards {
  readonly #options: StatusCardsOptions
  readonly #works = new Map<string, Work>()

  constructor(options: StatusCardsOptions) {
    this.#options = options
  }

  /** The agent works; `hasNewText` when its answer grew. */
  working(session: string, hasNewText: boolean): void {
    const known = this.#works.get(session)
    if (known && !hasNewText) return
    known?.timer?.cancel()
    const work = { since: known?.since ?? this.#options.clock.now(), timer: null }
    this.#works.set(session, work)
    this.#wait(session, work, SILENT_MS)
  }

  /** No more updates of the card; `closed` gives its end. */
  turnEnded(session: string): void {
    this.#works.get(session)?.timer?.cancel()
    this.#works.delete(session)
  }

  stop(): void {
    for (const { timer } of this.#works.values()) timer?.cancel()
    this.#works.clear()
  }

  /**
   * Closes the card in every chat that may show it; the outbox drops it where it was never shown.
   */
  async closed(session: string, isInterrupted: boolean): Promise<OutboxItem[]> {
    const record = await this.#options.host.record(session).catch(() => null)
    if (!record) return []
    const html = `<b>${escapeHtml(sessionTitle(record))}</b>\n${isInterrupted ? 'was interrupted' : 'has answered'}.`
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
    if (!live || live.exit || live.isIdle) return this.turnEnded(session)
    // While a request is open, its own card says what is needed.
    if (live.approval?.state !== 'pending') {
      const record = await host.record(session)
      const title = `<b>${escapeHtml(sessionTitle(record))}</b>`
      const html = `${title}\nworking for ${formatDuration(clock.now() - work.since)}: ${escapeHtml(doing(live))}`
      await outbox.enqueue(await this.#cards(session, html, true))
    }
    if (this.#works.get(session) === work) this.#wait(session, work, UPDATE_MS)
  }

  async #cards(session: string, html: string, isOpen: boolean): Promise<OutboxItem[]> {
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
function doing(live: SessionPort): string {
  const tool = live.blocks.findLast(({ kind }) => kind === 'tool_call')
  const words = tool ? blockWords(tool).join(' ') : live.phase
  return [...words].slice(0, CHARACTERS_MAX).join('')
}
