import { createHash } from 'node:crypto'
import type { Clock } from '../../clock/index.js'
import { newEvent } from '../../events/index.js'
import {
  type KnownChat,
  type QueuedItem,
  type ShownCard,
  telegramChatsProjection,
  telegramShownProjection,
} from '../../host/index.js'
import type { EventStore, StreamAppend } from '../../store/index.js'
import { ApiProblem, type BotApi, type CallFields, fileField } from '../bot-api.js'
import type { Topics } from '../topics.js'
import type { EphemeralItem } from './chat-queue.js'
import { MessageCalls, markup, replying } from './message-calls.js'
import type { EphemeralAction, OutboxAction } from './outbox-item.js'
import type { CallKind, Throttle } from './rate-limiter.js'

interface BotSenderOptions {
  api: BotApi
  store: EventStore
  clock: Clock
  topics: Topics
  /** Reads a file that was requested; throws when it may no longer be sent. */
  readFile(path: string): Promise<{ name: string; bytes: Uint8Array; note?: string }>
  onProblem(problem: ApiProblem, about: string): void
}

interface SentMessages {
  messages: number[]
  /** Which messages show the subject now, to be stored with the result. */
  shown: StreamAppend[]
}

const SENT_AGAIN = '\n\n<i>(sent again: the first was not confirmed)</i>'
/** How long a chat's missing capability is remembered. */
const UNSUPPORTED_FOR_MS = 24 * 3_600_000

/** Turns items of the outbox into calls of the Bot API, and interprets its refusals. */
export class BotSender {
  readonly #options: BotSenderOptions
  readonly #messages: MessageCalls

  constructor(options: BotSenderOptions) {
    this.#options = options
    this.#messages = new MessageCalls(options)
  }

  async toast(id: string, text: string, isAlert: boolean): Promise<void> {
    const shown = [...text].slice(0, 200).join('')
    await this.#options.api.call('answerCallbackQuery', { callback_query_id: id, text: shown, show_alert: isAlert })
  }

  async kindOf(chat: number, next: QueuedItem | EphemeralItem): Promise<CallKind> {
    if (!('id' in next)) return next.act.do === 'grow' ? 'edit' : 'draft'
    const act = next.act as OutboxAction
    if (act.do === 'remove-keyboard') return 'edit'
    return act.do === 'card' && (await this.shown(chat, next.subject))?.messages.length ? 'edit' : 'send'
  }

  /** Whether a card was closed before it was shown, or is shown as closed already. */
  async isObsolete({ chat, subject, act }: QueuedItem): Promise<boolean> {
    const card = act as OutboxAction
    if (card.do !== 'card' || card.isOpen) return false
    const shown = await this.shown(chat, subject)
    return !shown?.messages.length || (!shown.isOpen && shown.hash === cardHash(card))
  }

  async shown(chat: number, subject: string): Promise<ShownCard | null> {
    const found = await this.#options.store.document<ShownCard>(telegramShownProjection.name, `${subject}@${chat}`)
    return found?.state ?? null
  }

  async send(item: QueuedItem, { isRetry, throttle }: { isRetry: boolean; throttle: Throttle }): Promise<SentMessages> {
    const act = item.act as OutboxAction
    if (act.do === 'close-topic' || act.do === 'name-topic') {
      await this.#options.topics[act.do === 'close-topic' ? 'close' : 'rename'](item.chat, item.topic!)
      return { messages: [], shown: [] }
    }
    if (act.do === 'remove-keyboard') {
      await this.#messages.removeKeyboard(item.chat, act.message, throttle)
      return { messages: [], shown: [] }
    }
    const thread = item.topic === undefined ? null : await this.#options.topics.threadOf(item.chat, item.topic)
    const target = { chat_id: item.chat, ...(thread !== null && { message_thread_id: thread }) }
    const note = isRetry && item.lane > 1 ? SENT_AGAIN : ''
    try {
      return await this.#send(item, act, target, note, throttle)
    } catch (error) {
      if (!(error instanceof ApiProblem) || thread === null || !/thread not found|TOPIC_/i.test(error.message))
        throw error
      const again = await this.#options.topics.create(item.chat, item.topic!)
      const elsewhere = { chat_id: item.chat, ...(again !== null && { message_thread_id: again }) }
      return this.#send(item, act, elsewhere, note, throttle)
    }
  }

  /** A draft, an edit of a growing message, or the typing indicator. */
  async sendEphemeral(chat: number, subject: string, act: EphemeralAction, throttle: Throttle): Promise<void> {
    const { api } = this.#options
    const target = {
      chat_id: chat,
      ...('thread' in act && act.thread !== undefined && { message_thread_id: act.thread }),
    }
    if (act.do === 'typing') {
      await throttle('draft')
      return void (await api.call('sendChatAction', { ...target, action: 'typing' }))
    }
    if (act.do === 'draft') return this.#draft(chat, act, target, throttle)
    const shown = await this.shown(chat, subject)
    const [first] = shown?.messages ?? []
    if (first !== undefined) return void (await this.#messages.edit(chat, first, act.html, [], throttle))
    // A first send was not confirmed: the message may exist, but its id is unknown. The finished
    // answer says so; nothing more grows until then.
    if (shown?.isOpen) return
    const thread = act.topic === undefined ? null : await this.#options.topics.threadOf(chat, act.topic)
    const where = { ...target, ...(thread !== null && { message_thread_id: thread }) }
    await this.#remember({ chat, subject }, [], '')
    try {
      await this.#remember(
        { chat, subject },
        [await this.#messages.send(where, act.html, {}, throttle)],
        hashOf(act.html),
      )
    } catch (error) {
      const isUnclear = error instanceof ApiProblem && error.isUnclear
      if (!isUnclear) await this.#options.store.appendAll(this.#shownBy({ chat, subject }, [], '', false))
      throw error
    }
  }

  async #send(
    item: QueuedItem,
    act: Exclude<OutboxAction, { do: 'close-topic' | 'name-topic' | 'remove-keyboard' }>,
    target: CallFields,
    note: string,
    throttle: Throttle,
  ): Promise<SentMessages> {
    const { api } = this.#options
    if (act.do === 'say') {
      const fields = { ...markup(act.keyboard ?? [], act.forceReply), ...replying(act.replyTo) }
      const messages = [await this.#messages.send(target, act.html + note, fields, throttle)]
      return { messages, shown: this.#shownBy(item, messages, hashOf(act.html), true) }
    }
    if (act.do === 'card') return this.#card(item, act, target, throttle)
    if (act.do === 'answer') return this.#answer(item, act, target, note, throttle)
    const file: { name: string; bytes: Uint8Array; note?: string } =
      act.do === 'file' ? { name: act.name, bytes: Buffer.from(act.text) } : await this.#options.readFile(act.path)
    const document = fileField(file.name, file.bytes)
    await throttle('send')
    const sent = await api.call<{ message_id: number }>('sendDocument', {
      ...target,
      document,
      caption: `${act.caption}${file.note ?? ''}`.slice(0, 1000),
    })
    return { messages: [sent.message_id], shown: [] }
  }

  async #card(
    item: QueuedItem,
    act: Extract<OutboxAction, { do: 'card' }>,
    target: CallFields,
    throttle: Throttle,
  ): Promise<SentMessages> {
    const hash = cardHash(act)
    const shown = await this.shown(item.chat, item.subject)
    // A card that was sent twice, because the first was not confirmed, has two copies: both are
    // edited.
    const edited: number[] = []
    const gone: number[] = []
    for (const message of (act.isBelow ? null : shown?.messages) ?? [])
      ((await this.#messages.edit(item.chat, message, act.html, act.keyboard, throttle)) ? edited : gone).push(message)
    // Copies that a button press reports meanwhile are kept: messages are only added, and deleted
    // ones removed.
    const messages =
      edited.length > 0
        ? edited
        : [await this.#messages.send(target, act.html, markup(act.keyboard, act.forceReply), throttle)]
    return { messages, shown: this.#shownBy(item, messages, hash, act.isOpen, gone) }
  }

  async #answer(
    item: QueuedItem,
    act: Extract<OutboxAction, { do: 'answer' }>,
    target: CallFields,
    confirmed: string,
    throttle: Throttle,
  ): Promise<SentMessages> {
    const { api } = this.#options
    const shown = await this.shown(item.chat, item.subject)
    const earlier = shown?.messages ?? []
    const hash = hashOf(act.parts.join('\n'))
    // Its beginning may have been sent already, unconfirmed.
    const note = confirmed || (shown?.isOpen && earlier.length === 0 ? SENT_AGAIN : '')
    if (act.markdown !== null && earlier.length === 0 && !(await this.lacksMethod(item.chat, 'sendRichMessage'))) {
      try {
        const rich = { markdown: act.markdown + (note && '\n\n_(sent again: the first was not confirmed)_') }
        const message = { rich_message: { ...rich, skip_entity_detection: true } }
        const fields = { ...target, ...message, ...markup(act.keyboard ?? []) }
        await throttle('send')
        const sent = await api.call<{ message_id: number }>('sendRichMessage', fields)
        return { messages: [sent.message_id], shown: this.#shownBy(item, [sent.message_id], hash, false) }
      } catch (error) {
        if (!isUnsupported(error)) throw error
        await this.#noteUnsupported(item.chat, 'sendRichMessage')
      }
    }
    const messages: number[] = []
    const gone: number[] = []
    for (const [index, part] of act.parts.entries()) {
      const isLast = index === act.parts.length - 1
      const html = isLast ? part + note : part
      const keyboard = (isLast && act.keyboard) || []
      const old = earlier[index]
      if (old !== undefined && (await this.#messages.edit(item.chat, old, html, keyboard, throttle))) messages.push(old)
      else {
        if (old !== undefined) gone.push(old)
        messages.push(await this.#messages.send(target, html, markup(keyboard), throttle))
      }
      // Each part is stored at once, so that a crash between two parts sends none of them twice.
      await this.#remember(item, messages, hash, gone)
    }
    return { messages, shown: this.#shownBy(item, messages, hash, false, gone) }
  }

  async #draft(
    chat: number,
    act: Extract<EphemeralAction, { do: 'draft' }>,
    target: CallFields,
    throttle: Throttle,
  ): Promise<void> {
    const { api } = this.#options
    const draft = { ...target, draft_id: act.draftId }
    if (act.markdown !== null && !(await this.lacksMethod(chat, 'sendRichMessageDraft'))) {
      try {
        const rich_message = { markdown: act.markdown, skip_entity_detection: true }
        await throttle('draft')
        return void (await api.call('sendRichMessageDraft', { ...draft, rich_message }))
      } catch (error) {
        if (!isUnsupported(error)) throw error
        await this.#noteUnsupported(chat, 'sendRichMessageDraft')
      }
    }
    try {
      await throttle('draft')
      await api.call('sendMessageDraft', { ...draft, text: act.text.slice(-4096) })
    } catch (error) {
      if (!isUnsupported(error)) throw error
      await this.#noteUnsupported(chat, 'sendMessageDraft')
    }
  }

  /** Whether this chat refused the method as unsupported within the last day. */
  async lacksMethod(chat: number, method: string): Promise<boolean> {
    const known = await this.#options.store.document<KnownChat>(telegramChatsProjection.name, String(chat))
    const since = known?.state.cannot?.[method]
    return since !== undefined && this.#options.clock.now() - since < UNSUPPORTED_FOR_MS
  }

  async #noteUnsupported(chat: number, method: string): Promise<void> {
    const { store } = this.#options
    const known = await store.document<KnownChat>(telegramChatsProjection.name, String(chat))
    const cannot = { ...known?.state.cannot, [method]: this.#options.clock.now() }
    await store.append(`telegram/chat/${chat}`, 'any', [newEvent('telegram.chat-changed', { chat, cannot })])
  }

  #shownBy(
    { chat, subject }: Pick<QueuedItem, 'chat' | 'subject'>,
    messages: number[],
    hash: string,
    isOpen: boolean,
    gone: number[] = [],
  ): StreamAppend[] {
    const shown = { chat, subject, messages, hash, isOpen, ...(gone.length > 0 && { gone }) }
    return [
      { stream: `telegram/shown/${subject}@${chat}`, expected: 'any', events: [newEvent('telegram.shown', shown)] },
    ]
  }

  async #remember(
    item: Pick<QueuedItem, 'chat' | 'subject'>,
    messages: number[],
    hash: string,
    gone: number[] = [],
  ): Promise<void> {
    const [{ stream, expected, events }] = this.#shownBy(item, messages, hash, true, gone) as [StreamAppend]
    await this.#options.store.append(stream, expected, events, { durability: 'normal' })
  }
}

/** The method does not exist, or not in this chat. A refusal for its rate is something else. */
function isUnsupported(error: unknown): boolean {
  if (!(error instanceof ApiProblem)) return false
  return (
    error.code === 404 ||
    (error.code === 400 && /not found: method|unsupported|not supported|only to private/i.test(error.message))
  )
}

function cardHash({ html, keyboard }: Extract<OutboxAction, { do: 'card' }>): string {
  return hashOf(JSON.stringify([html, keyboard.map(row => row.map(({ text }) => text))]))
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
