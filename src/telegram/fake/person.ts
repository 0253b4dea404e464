import { type Content, chatToApi, type FakeChat, type FakeMessage, toApi } from './chats.js'
import type { FakePress, FakeState } from './state.js'

/** A person with a phone; each of their actions becomes an update for the bot. */
export class FakePerson {
  readonly id: number
  readonly name: string
  readonly #state: FakeState

  constructor(state: FakeState, id: number, name: string, options: { hasTopics?: boolean } = {}) {
    this.#state = state
    this.id = id
    this.name = name
    state.addChat(id, name, options)
  }

  /** The private chat with the bot. */
  get chat(): FakeChat {
    return this.#state.chats.get(this.id)!
  }

  say(
    text: string,
    options: { in?: FakeChat; replyTo?: number; thread?: number; forwardedFrom?: string } = {},
  ): FakeMessage {
    return this.#post({ text, entities: commandEntities(text) }, options)
  }

  sendFile(
    name: string,
    bytes: Uint8Array,
    options: { caption?: string; in?: FakeChat; forwardedFrom?: string; as?: 'photo' | 'voice'; album?: string } = {},
  ): FakeMessage {
    const fileId = this.#state.keepFile({ name, bytes })
    const { as, album } = options
    const document = { name, bytes, fileId, ...(as && { as }), ...(album !== undefined && { album }) }
    return this.#post({ text: options.caption ?? '', entities: [], document }, options)
  }

  editOwn(message: FakeMessage, text: string): void {
    const chat = this.#state.chats.get(message.chat)!
    this.#state.edit(message, { text, entities: commandEntities(text) })
    this.#state.updates.push({
      edited_message: { ...toApi(chat, message), edit_date: Math.floor(this.#state.now / 1000) },
    })
  }

  /** Presses the button with this label, or with this data, under a message. */
  press(message: FakeMessage, wanted: string | { data: string }): FakePress {
    const buttons = message.markup?.inline_keyboard?.flat() ?? []
    const label = typeof wanted === 'string' ? wanted : null
    const button =
      buttons.find(({ text }) => text === label) ?? buttons.find(({ text }) => label && text.includes(label))
    const data = typeof wanted === 'string' ? button?.callback_data : wanted.data
    if (data === undefined)
      throw new Error(
        `no button "${label}" under "${message.text.slice(0, 60)}": ${buttons.map(({ text }) => text).join(' | ')}`,
      )
    const chat = this.#state.chats.get(message.chat)!
    const press: FakePress = {
      id: `cb_${this.#state.presses.length + 1}`,
      chat: chat.id,
      message: message.id,
      by: this.id,
      data,
    }
    this.#state.presses.push(press)
    this.#state.updates.push({
      callback_query: {
        id: press.id,
        from: this.#user(),
        message: toApi(chat, message),
        chat_instance: String(chat.id),
        data,
      },
    })
    return press
  }

  block(): void {
    this.#member('kicked')
    this.chat.isBlocked = true
  }

  unblock(): void {
    this.chat.isBlocked = false
    this.#member('member')
  }

  /** Removes the bot from a group. */
  removeBot(group: FakeChat): void {
    group.isBlocked = true
    this.#member('kicked', group)
  }

  /** Closes a topic, which posts a service message. */
  closeTopic(chat: FakeChat, thread: number): void {
    chat.topics.get(thread)!.isClosed = true
    const service = this.#state.post(chat, { text: '', entities: [] }, { thread }, { ...this.#sender(), isBot: false })
    this.#state.updates.push({ message: { ...toApi(chat, service), text: undefined, forum_topic_closed: {} } })
  }

  /** Deletes a topic with its messages; the bot gets no update about it. */
  deleteTopic(chat: FakeChat, thread: number): void {
    chat.topics.get(thread)!.isDeleted = true
    for (const message of chat.messages) if (message.thread === thread) message.isDeleted = true
  }

  #member(status: string, group?: FakeChat): void {
    const user = { id: this.#state.bot.id, is_bot: true, first_name: this.#state.bot.first_name }
    this.#state.updates.push({
      my_chat_member: {
        chat: group ? chatToApi(group) : { id: this.id, type: 'private', first_name: this.name },
        from: this.#user(),
        date: Math.floor(this.#state.now / 1000),
        old_chat_member: { status: status === 'kicked' ? 'member' : 'kicked', user },
        new_chat_member: { status, user },
      },
    })
  }

  #post(
    content: Content,
    options: { in?: FakeChat; replyTo?: number; thread?: number; forwardedFrom?: string },
  ): FakeMessage {
    const chat = options.in ?? this.chat
    const where = {
      ...(options.thread !== undefined && { thread: options.thread }),
      ...(options.replyTo !== undefined && { replyTo: options.replyTo }),
      ...(options.forwardedFrom && { forwardedFrom: options.forwardedFrom }),
    }
    const message = this.#state.post(chat, content, where, { ...this.#sender(), isBot: false })
    this.#state.updates.push({ message: toApi(chat, message) })
    return message
  }

  #sender(): { id: number; name: string } {
    return { id: this.id, name: this.name }
  }

  #user(): Record<string, unknown> {
    return { id: this.id, is_bot: false, first_name: this.name }
  }
}

function commandEntities(text: string): Content['entities'] {
  const command = /^\/\w+(?:@\w+)?/.exec(text)
  return command ? [{ type: 'bot_command', offset: 0, length: command[0].length }] : []
}
