import type { Clock } from '../../clock/index.js'
import { type Content, DRAFT_LIFE_MS, type Draft, type FakeChat, type FakeMessage, newChat } from './chats.js'
import { type Fields, numberOf, type SentFile } from './fields.js'
import { type RateRules, Rates } from './rates.js'
import { badRequest, Refusal } from './refusal.js'
import { Updates } from './updates.js'

export interface FakePress {
  id: string
  chat: number
  message: number
  by: number
  data: string
  answer?: { text: string; isAlert: boolean; at: number }
}

/** The state of the fake server. It keeps everything, so that a test can check earlier states. */
export class FakeState {
  readonly bot = { id: 7_000_001, is_bot: true, first_name: 'Signalbox', username: 'signalbox_test_bot' }
  botHasTopics = false
  webhook = ''
  commands: { command: string; description: string }[] = []
  readonly chats = new Map<number, FakeChat>()
  readonly files = new Map<string, SentFile>()
  readonly presses: FakePress[] = []
  readonly updates: Updates
  readonly #clock: Clock
  readonly #rates: Rates
  readonly #changed: () => void
  #lastMessage = 0

  constructor(clock: Clock, rates: RateRules, changed: () => void) {
    this.#clock = clock
    this.#rates = new Rates(rates)
    this.#changed = changed
    this.updates = new Updates(clock)
  }

  get now(): number {
    return this.#clock.now()
  }

  addChat(id: number, title: string, options: { type?: FakeChat['type']; hasTopics?: boolean } = {}): FakeChat {
    const known = this.chats.get(id)
    if (known) return known
    const chat = newChat(id, title, options.type ?? 'private', options.hasTopics ?? false)
    this.chats.set(id, chat)
    return chat
  }

  chat(fields: Fields): FakeChat {
    const chat = this.chats.get(numberOf(fields, 'chat_id'))
    if (!chat) throw badRequest('chat not found')
    if (chat.migratedTo !== null)
      throw new Refusal(400, 'Bad Request: group chat was upgraded to a supergroup chat', {
        migrate_to_chat_id: chat.migratedTo,
      })
    if (chat.isBlocked)
      throw new Refusal(
        403,
        chat.type === 'private'
          ? 'Forbidden: bot was blocked by the user'
          : 'Forbidden: bot was kicked from the group chat',
      )
    return chat
  }

  forum(fields: Fields): FakeChat {
    const chat = this.chat(fields)
    if (!chat.hasTopics) throw badRequest('the chat is not a forum')
    return chat
  }

  topic(fields: Fields): { name: string; isClosed: boolean; isDeleted: boolean } {
    const topic = this.forum(fields).topics.get(numberOf(fields, 'message_thread_id'))
    if (!topic || topic.isDeleted) throw badRequest('TOPIC_ID_INVALID')
    return topic
  }

  pace(chat: FakeChat, kind: 'send' | 'edit' | 'draft'): void {
    const seconds = this.#rates.take({ id: chat.id, isPrivate: chat.type === 'private' }, kind, this.now)
    if (seconds > 0) throw new Refusal(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds })
  }

  nextMessageId(): number {
    this.#lastMessage += 1
    return this.#lastMessage
  }

  post(
    chat: FakeChat,
    content: Content,
    where: { thread?: number; replyTo?: number; forwardedFrom?: string },
    from = { id: this.bot.id, name: this.bot.first_name, isBot: true },
  ): FakeMessage {
    const message: FakeMessage = {
      ...content,
      ...where,
      id: this.nextMessageId(),
      chat: chat.id,
      from,
      date: this.now,
      versions: [],
      isDeleted: false,
    }
    chat.messages.push(message)
    // A message in the same chat and topic ends the draft.
    if (from.isBot && chat.draft?.thread === where.thread) chat.draft = null
    this.#changed()
    return message
  }

  edit(message: FakeMessage, content: Content): FakeMessage {
    const { text, entities, rich, document, markup } = message
    message.versions.push({
      text,
      entities,
      ...(rich !== undefined && { rich }),
      ...(document && { document }),
      ...(markup && { markup }),
      at: this.now,
    })
    delete message.markup
    delete message.rich
    Object.assign(message, content)
    this.#changed()
    return message
  }

  setDraft(chat: FakeChat, draft: Draft): void {
    chat.draft = { ...draft, at: this.now }
    this.#changed()
  }

  /** The draft that a person sees now. */
  draftOf(chat: FakeChat): Draft | null {
    return chat.draft && this.now - chat.draft.at < DRAFT_LIFE_MS ? chat.draft : null
  }

  keepFile(file: SentFile): string {
    const id = `file_${this.files.size + 1}`
    this.files.set(id, file)
    return id
  }

  answerPress(id: string, text: string, isAlert: boolean): void {
    const press = this.presses.find(candidate => candidate.id === id)
    if (!press || press.answer) throw badRequest('query is too old and response timeout expired or query ID is invalid')
    press.answer = { text, isAlert, at: this.now }
    this.#changed()
  }
}
