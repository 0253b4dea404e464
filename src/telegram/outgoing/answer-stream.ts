import { createHash } from 'node:crypto'
import type { Clock, Timer } from '../../clock/index.js'
import type { LiveBus } from '../../host/index.js'
import { type Block, blockWords, renderMarkdown, renderTelegram } from '../../screen/index.js'
import { blocksByVerbosity, type Verbosity } from '../cards/answer-messages.js'
import type { StatusCards } from '../cards/status-cards.js'
import type { Chats } from '../chats.js'
import type { Topics } from '../topics.js'
import type { BotSender } from './bot-sender.js'
import type { Outbox } from './outbox.js'
import { editIntervalMs } from './rate-limiter.js'
import { PART_UNITS } from './split.js'

interface AnswerStreamOptions {
  bus: LiveBus
  clock: Clock
  chats: Chats
  outbox: Outbox
  sender: BotSender
  topics: Topics
  status: StatusCards
  isOn: boolean
  onError(error: unknown): void
}

interface Growing {
  session: string
  turn: string
  message: string
  blocks: readonly Block[]
  /**
   * What each chat was last shown, when, and whether as a draft: a refused draft showed nothing.
   */
  shown: Map<number, { at: number; text: string; isDraft: boolean }>
  timer: Timer | null
}

const DRAFT_MS = 500
/** Telegram removes a draft after about 30 s without an update. */
const RENEW_MS = 20_000
/** How soon to check whether the chat turned out not to support drafts. */
const DRAFT_CHECK_MS = 2000
/** Telegram shows the typing indicator for about five seconds. */
const TYPING_MS = 4000
const CHARACTERS_MIN = 3

/**
 * Shows answers while they grow. All of it is ephemeral: the newest state wins, and the finished
 * answer comes from the log in any case. Uses drafts where the chat supports them, edits elsewhere,
 * and only the typing indicator where Telegram refused too often.
 */
export class AnswerStream {
  readonly #options: AnswerStreamOptions
  readonly #growing = new Map<string, Growing>()
  /** Sessions that work: chats that show nothing else of it get the typing indicator. */
  readonly #working = new Map<string, Timer>()
  #unlisten: (() => void) | null = null

  constructor(options: AnswerStreamOptions) {
    this.#options = options
  }

  start(): void {
    const { bus, status, onError } = this.#options
    this.#unlisten = bus.listen(update => {
      if (update.type === 'typing') {
        if (!update.on) {
          this.#stopTyping(update.session)
          return status.turnEnded(update.session)
        }
        status.working(update.session, false)
        // The session repeats this, too, for listeners that join late.
        return this.#working.has(update.session) ? undefined : this.#startTyping(update.session)
      }
      if (update.type !== 'message.update' || !this.#options.isOn) return
      const blocks = update.blocks as readonly Block[]
      const known = this.#growing.get(update.session)
      const isNew = known?.message !== update.message || textLength(blocks) !== textLength(known.blocks)
      status.working(update.session, isNew)
      if (known?.message === update.message) known.blocks = blocks
      else {
        known?.timer?.cancel()
        const { session, turn, message } = update
        this.#growing.set(session, { session, turn, message, blocks, shown: new Map(), timer: null })
      }
      void this.#flush(this.#growing.get(update.session)!).catch(onError)
    })
  }

  /** The answer is finished: its ephemeral updates are dropped. */
  finished(session: string, message: string): void {
    this.#options.status.turnEnded(session)
    this.#stopTyping(session)
    const growing = this.#growing.get(session)
    if (!growing || growing.message !== message) return
    growing.timer?.cancel()
    this.#growing.delete(session)
    for (const chat of growing.shown.keys()) {
      this.#options.outbox.dropEphemeral(chat, `draft ${session}`)
      this.#options.outbox.dropEphemeral(chat, message)
    }
  }

  /** Sessions with an answer that some chat sees growing. */
  get growing(): string[] {
    return [...this.#growing.values()].filter(({ shown }) => shown.size > 0).map(({ session }) => session)
  }

  stop(): void {
    this.#unlisten?.()
    this.#options.status.stop()
    for (const { timer } of this.#growing.values()) timer?.cancel()
    this.#growing.clear()
    for (const session of [...this.#working.keys()]) this.#stopTyping(session)
  }

  /** Repeats the typing indicator while the agent works, in chats that show nothing else. */
  #startTyping(session: string): void {
    const { clock, onError } = this.#options
    this.#stopTyping(session)
    this.#working.set(
      session,
      clock.setTimer(TYPING_MS, () => this.#startTyping(session)),
    )
    void this.#typing(session).catch(onError)
  }

  #stopTyping(session: string): void {
    this.#working.get(session)?.cancel()
    this.#working.delete(session)
  }

  async #typing(session: string): Promise<void> {
    const { chats, outbox, clock } = this.#options
    const growing = this.#growing.get(session)
    for (const { chat, current } of await chats.followers(session)) {
      const showsText = growing?.shown.has(chat) === true && !outbox.isThrottled(chat, clock.now())
      if (current === session && !showsText) outbox.sendEphemeral(chat, 'typing', { do: 'typing' })
    }
  }

  /** Shows every chat what is new, within its rate limit, and sets the next timer. */
  async #flush(growing: Growing): Promise<void> {
    const { chats, clock, onError } = this.#options
    const now = clock.monotonic()
    let next = RENEW_MS
    for (const { chat, current, verbosity = 1 } of await chats.followers(growing.session)) {
      if (current !== growing.session || this.#growing.get(growing.session) !== growing) continue
      const blocks = blocksByVerbosity(growing.blocks, verbosity as Verbosity)
      const text = blocks.map(plain).join('\n\n')
      if (text.replace(/\s/gu, '').length < CHARACTERS_MIN) continue
      const isDraft = await this.#hasDrafts(chat)
      const before = growing.shown.get(chat)
      const since = before ? now - before.at : Number.POSITIVE_INFINITY
      const isSame = before?.text === text && before.isDraft === isDraft
      if (isDraft && isSame) next = Math.min(next, DRAFT_CHECK_MS)
      if (isSame && (!isDraft || since < RENEW_MS)) continue
      const interval = isDraft ? DRAFT_MS : editIntervalMs(chat, text.length)
      if (since < interval) {
        next = Math.min(next, interval - since)
        continue
      }
      growing.shown.set(chat, { at: now, text, isDraft })
      if (isDraft) next = Math.min(next, DRAFT_CHECK_MS)
      await this.#show(chat, growing, blocks, text, isDraft)
    }
    growing.timer?.cancel()
    if (this.#growing.get(growing.session) === growing)
      growing.timer = clock.setTimer(next, () => void this.#flush(growing).catch(onError))
  }

  async #show(chat: number, growing: Growing, blocks: readonly Block[], text: string, isDraft: boolean): Promise<void> {
    const { outbox, topics, clock } = this.#options
    if (outbox.isThrottled(chat, clock.now())) return outbox.sendEphemeral(chat, 'typing', { do: 'typing' })
    if (!isDraft) {
      const html = renderTelegram(provisional(blocks), { maxUnits: PART_UNITS })[0]
      if (html) outbox.sendEphemeral(chat, growing.message, { do: 'grow', html, topic: growing.session })
      return
    }
    const thread = await topics.threadOf(chat, growing.session)
    outbox.sendEphemeral(chat, `draft ${growing.session}`, {
      do: 'draft',
      draftId: draftId(growing.session, growing.turn),
      text: text.slice(-4096),
      markdown: provisionalMarkdown(blocks),
      ...(thread !== null && { thread }),
    })
  }

  async #hasDrafts(chat: number): Promise<boolean> {
    return chat > 0 && !(await this.#options.sender.lacksMethod(chat, 'sendMessageDraft'))
  }
}

/** Closed blocks keep their formatting; the growing one becomes plain text. */
export function provisional(blocks: readonly Block[]): Block[] {
  const last = blocks.at(-1)
  if (!last) return []
  const open: Block = { ...commonFields(last), kind: 'prose', variant: 'paragraph', runs: [{ text: plain(last) }] }
  return [...blocks.slice(0, -1), open]
}

export function provisionalMarkdown(blocks: readonly Block[]): string {
  return renderMarkdown(provisional(blocks))
}

function commonFields({
  id,
  rows,
  provisional,
  missing,
  source,
}: Block): Omit<Block, 'kind'> & Record<string, unknown> {
  return { id, rows, provisional, missing, source }
}

/** The length of the agent's text, without tools and their results. */
function textLength(blocks: readonly Block[]): number {
  return blocksByVerbosity(blocks, 0).reduce((sum, block) => sum + plain(block).length, 0)
}

function plain(block: Block): string {
  if (block.kind === 'code' || block.kind === 'tool_result') return block.lines.join('\n')
  return blockWords(block).join(' ')
}

/** Not zero, 31 bits, and the same after a restart. */
export function draftId(session: string, turn: string): number {
  const hash = createHash('sha256').update(`${session}\n${turn}`).digest().readUInt32BE(0) & 0x7fff_ffff
  return hash === 0 ? 1 : hash
}
