import { createHash } from 'node:crypto'
import type { Clock, Timer } from '../../clock/index.js'
import type { LiveBus } from '../../host/index.js'
import { type Block, blockWords, renderMarkdown, renderTelegram } from '../../screen/index.js'
import { type Verbosity, wanted } from '../cards/answer-messages.js'
import type { Status } from '../cards/status-cards.js'
import type { Chats } from '../chats.js'
import type { Topics } from '../topics.js'
import type { Speaker } from './bot-sender.js'
import type { Outbox } from './outbox.js'
import { editPace } from './rate-limiter.js'
import { PART_UNITS } from './split.js'

export interface StreamOptions {
  bus: LiveBus
  clock: Clock
  chats: Chats
  outbox: Outbox
  speaker: Speaker
  topics: Topics
  status: Status
  isOn: boolean
  onError(error: unknown): void
}

interface Growing {
  session: string
  turn: string
  message: string
  blocks: readonly Block[]
  /** When each chat was last shown something, what, and by which way: a draft that was refused has shown nothing. */
  shown: Map<number, { at: number; text: string; isDraft: boolean }>
  timer: Timer | null
}

const DRAFT_MS = 500
/** Drafts vanish after about 30 s without a word. */
const RENEW_MS = 20_000
/** How soon it is noticed that a chat turned out to have no drafts. */
const LOOK_MS = 2000
/** The sign of writing lasts about five seconds. */
const TYPING_MS = 4000
const LEAST_CHARACTERS = 3

/**
 * Answers while they grow. Everything here is fleeting: the newest wins, what is dropped is replaced by the next, and the finished answer
 * comes by the log, whatever became of this. Drafts where the chat has them, edits elsewhere, only the sign of writing where Telegram
 * has refused too often.
 */
export class Stream {
  readonly #options: StreamOptions
  readonly #growing = new Map<string, Growing>()
  /** Sessions at work: chats where nothing else shows it get the sign of writing. */
  readonly #working = new Map<string, Timer>()
  #unlisten: (() => void) | null = null

  constructor(options: StreamOptions) {
    this.#options = options
  }

  start(): void {
    const { bus, status, onError } = this.#options
    this.#unlisten = bus.listen(update => {
      if (update.type === 'typing') {
        if (!update.on) {
          this.#rest(update.session)
          return status.over(update.session)
        }
        status.atWork(update.session, false)
        return this.#work(update.session)
      }
      if (update.type !== 'message.update' || !this.#options.isOn) return
      const blocks = update.blocks as readonly Block[]
      const known = this.#growing.get(update.session)
      const isNew = known?.message !== update.message || wordsIn(blocks) !== wordsIn(known.blocks)
      status.atWork(update.session, isNew)
      if (known?.message === update.message) known.blocks = blocks
      else {
        known?.timer?.cancel()
        const { session, turn, message } = update
        this.#growing.set(session, { session, turn, message, blocks, shown: new Map(), timer: null })
      }
      void this.#flush(this.#growing.get(update.session)!).catch(onError)
    })
  }

  /** The answer is finished: what was still to be shown of it is not any more. */
  finished(session: string, message: string): void {
    this.#options.status.over(session)
    this.#rest(session)
    const growing = this.#growing.get(session)
    if (!growing || growing.message !== message) return
    growing.timer?.cancel()
    this.#growing.delete(session)
    for (const chat of growing.shown.keys()) {
      this.#options.outbox.dropFleeting(chat, `draft ${session}`)
      this.#options.outbox.dropFleeting(chat, message)
    }
  }

  /** Sessions with an answer that is still growing somewhere. */
  get growing(): string[] {
    return [...this.#growing.values()].filter(({ shown }) => shown.size > 0).map(({ session }) => session)
  }

  stop(): void {
    this.#unlisten?.()
    this.#options.status.stop()
    for (const { timer } of this.#growing.values()) timer?.cancel()
    this.#growing.clear()
    for (const session of [...this.#working.keys()]) this.#rest(session)
  }

  /** Shows that something is being written for as long as it is, wherever no words show it. */
  #work(session: string): void {
    const { clock, onError } = this.#options
    this.#rest(session)
    this.#working.set(
      session,
      clock.setTimer(TYPING_MS, () => this.#work(session)),
    )
    void this.#typing(session).catch(onError)
  }

  #rest(session: string): void {
    this.#working.get(session)?.cancel()
    this.#working.delete(session)
  }

  async #typing(session: string): Promise<void> {
    const { chats, outbox, clock } = this.#options
    const growing = this.#growing.get(session)
    for (const { chat, current } of await chats.followers(session)) {
      const isSeen = growing?.shown.has(chat) === true && !outbox.isTired(chat, clock.now())
      if (current === session && !isSeen) outbox.fleeting(chat, 'typing', { do: 'typing' })
    }
  }

  /** Shows every chat what it has not seen, no faster than that chat takes it; looks again when the next may be shown. */
  async #flush(growing: Growing): Promise<void> {
    const { chats, clock, onError } = this.#options
    const now = clock.monotonic()
    let next = RENEW_MS
    for (const { chat, current, verbosity = 1 } of await chats.followers(growing.session)) {
      if (current !== growing.session || this.#growing.get(growing.session) !== growing) continue
      const blocks = wanted(growing.blocks, verbosity as Verbosity)
      const text = blocks.map(plain).join('\n\n')
      if (text.replace(/\s/gu, '').length < LEAST_CHARACTERS) continue
      const isDraft = await this.#hasDrafts(chat)
      const before = growing.shown.get(chat)
      const since = before ? now - before.at : Number.POSITIVE_INFINITY
      const isSame = before?.text === text && before.isDraft === isDraft
      if (isDraft && isSame) next = Math.min(next, LOOK_MS)
      if (isSame && (!isDraft || since < RENEW_MS)) continue
      const pace = isDraft ? DRAFT_MS : editPace(chat, text.length)
      if (since < pace) {
        next = Math.min(next, pace - since)
        continue
      }
      growing.shown.set(chat, { at: now, text, isDraft })
      if (isDraft) next = Math.min(next, LOOK_MS)
      await this.#show(chat, growing, blocks, text, isDraft)
    }
    growing.timer?.cancel()
    if (this.#growing.get(growing.session) === growing)
      growing.timer = clock.setTimer(next, () => void this.#flush(growing).catch(onError))
  }

  async #show(chat: number, growing: Growing, blocks: readonly Block[], text: string, isDraft: boolean): Promise<void> {
    const { outbox, topics, clock } = this.#options
    if (outbox.isTired(chat, clock.now())) return outbox.fleeting(chat, 'typing', { do: 'typing' })
    if (!isDraft) {
      const html = renderTelegram(provisional(blocks), { maxUnits: PART_UNITS })[0]
      if (html) outbox.fleeting(chat, growing.message, { do: 'grow', html, topic: growing.session })
      return
    }
    const thread = await topics.threadOf(chat, growing.session)
    outbox.fleeting(chat, `draft ${growing.session}`, {
      do: 'draft',
      draftId: draftId(growing.session, growing.turn),
      text: text.slice(-4096),
      markdown: provisionalMarkdown(blocks),
      ...(thread !== null && { thread }),
    })
  }

  async #hasDrafts(chat: number): Promise<boolean> {
    return chat > 0 && !(await this.#options.speaker.cannot(chat, 'sendMessageDraft'))
  }
}

/** Closed blocks with their formatting; the one that still grows as plain words, so that half a mark formats nothing. */
export function provisional(blocks: readonly Block[]): Block[] {
  const last = blocks.at(-1)
  if (!last) return []
  const open: Block = { ...base(last), kind: 'prose', variant: 'paragraph', runs: [{ text: plain(last) }] }
  return [...blocks.slice(0, -1), open]
}

export function provisionalMarkdown(blocks: readonly Block[]): string {
  return renderMarkdown(provisional(blocks))
}

function base({ id, rows, provisional, missing, source }: Block): Omit<Block, 'kind'> & Record<string, unknown> {
  return { id, rows, provisional, missing, source }
}

/** How much of it is said, tools and their results left out. */
function wordsIn(blocks: readonly Block[]): number {
  return wanted(blocks, 0).reduce((sum, block) => sum + plain(block).length, 0)
}

function plain(block: Block): string {
  if (block.kind === 'code' || block.kind === 'tool_result') return block.lines.join('\n')
  return blockWords(block).join(' ')
}

/** Never zero, 31 bits, and the same after a restart. */
export function draftId(session: string, turn: string): number {
  const hash = createHash('sha256').update(`${session}\n${turn}`).digest().readUInt32BE(0) & 0x7fff_ffff
  return hash === 0 ? 1 : hash
}
