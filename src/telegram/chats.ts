import { newEvent } from '../events/index.js'
import {
  type KnownChat,
  type KnownTopic,
  type ShownCard,
  telegramChatsProjection,
  telegramShownProjection,
  telegramTopicsProjection,
} from '../host/index.js'
import type { People } from '../people/index.js'
import type { SessionRecord } from '../sessions/index.js'
import type { EventStore } from '../store/index.js'
import { type ChatRecipient, mayDecide } from './cards/card-builder.js'

/**
 * What is known about chats: which of them get messages, who may decide in them, their current
 * session, and whether they can be reached.
 */
export class Chats {
  readonly #store: EventStore
  readonly #people: People
  readonly #groups: readonly number[]

  constructor(store: EventStore, people: People, groups: readonly number[]) {
    this.#store = store
    this.#people = people
    this.#groups = groups
  }

  async get(chat: number): Promise<KnownChat> {
    return (await this.#store.document<KnownChat>(telegramChatsProjection.name, String(chat)))?.state ?? { chat }
  }

  /** Writes only what differs. */
  async change(chat: number, change: Omit<Partial<KnownChat>, 'chat'>): Promise<void> {
    const known = (await this.get(chat)) as Record<string, unknown>
    const hasChanged = Object.entries(change).some(
      ([name, value]) => JSON.stringify(known[name]) !== JSON.stringify(value),
    )
    if (!hasChanged) return
    await this.#store.append(`telegram/chat/${chat}`, 'any', [newEvent('telegram.chat-changed', { chat, ...change })])
  }

  /**
   * The chats that get messages: paired people who have written to the bot, and enabled groups. A
   * chat that blocks the bot gets none, unless they are to wait for the end of the block.
   */
  async recipients({ withBlocked = false } = {}): Promise<ChatRecipient[]> {
    const people = this.#people.all()
    const known = await this.#store.documents<KnownChat>(telegramChatsProjection.name)
    const reachable = new Set(
      known.filter(({ state }) => withBlocked || !state.isBlocked).map(({ state }) => state.chat),
    )
    const own = people.flatMap(person =>
      person.telegram
        .filter(id => reachable.has(id))
        .map(id => ({ chat: id, isPrivate: true, deciders: mayDecide(person) ? [id] : [] })),
    )
    const deciders = people.filter(mayDecide).flatMap(({ telegram }) => telegram)
    const enabled = this.#enabled(known.map(({ state }) => state))
    const groups = enabled.filter(chat => reachable.has(chat)).map(chat => ({ chat, isPrivate: false, deciders }))
    return [...own, ...groups]
  }

  /** A group is enabled by its id; as a supergroup it stays enabled under its new id. */
  async isEnabled(group: number): Promise<boolean> {
    const known = await this.#store.documents<KnownChat>(telegramChatsProjection.name)
    return this.#enabled(known.map(({ state }) => state)).includes(group)
  }

  #enabled(known: readonly KnownChat[]): number[] {
    const moved = known.flatMap(({ chat, movedTo }) =>
      this.#groups.includes(chat) && movedTo !== undefined ? [movedTo] : [],
    )
    return [...new Set([...this.#groups, ...moved])]
  }

  async recipient(chat: number): Promise<ChatRecipient | null> {
    return (await this.recipients()).find(recipient => recipient.chat === chat) ?? null
  }

  /** The chats that follow a session: it is current there, or was started there. */
  async followers(session: string, options: { withBlocked?: boolean } = {}): Promise<KnownChat[]> {
    const recipients = new Set((await this.recipients(options)).map(({ chat }) => chat))
    const known = await this.#store.documents<KnownChat>(telegramChatsProjection.name)
    return known
      .map(({ state }) => state)
      .filter(
        ({ chat, current, follows }) => (current === session || follows?.includes(session)) && recipients.has(chat),
      )
  }

  /** The name of the person whose session this is: the owner's sessions are those of `local`. */
  ownerOf({ person }: SessionRecord): string {
    const found = this.#people.all().find(({ id, role }) => (person === 'local' ? role === 'owner' : id === person))
    return found?.name ?? (person === 'local' ? 'the owner' : 'another person')
  }

  /** The chats that have a topic for this session or run. */
  async topicsOf(subject: string): Promise<number[]> {
    const topics = await this.#store.documents<KnownTopic>(telegramTopicsProjection.name)
    return topics
      .filter(({ state }) => state.subject === subject && state.thread !== null)
      .map(({ state }) => state.chat)
  }

  /** The subject of a message of the bot; null when it is unknown. */
  async subjectOf(chat: number, message: number): Promise<string | null> {
    const shown = await this.#store.documents<ShownCard>(telegramShownProjection.name)
    const found = shown.find(({ state }) => state.chat === chat && state.messages.includes(message))
    return found?.state.subject ?? null
  }

  /** The cards in any chat that are still open, of subjects that start like this. */
  async openCards(prefix: string): Promise<ShownCard[]> {
    const shown = await this.#store.documents<ShownCard>(telegramShownProjection.name)
    return shown.map(({ state }) => state).filter(({ subject, isOpen }) => isOpen && subject.startsWith(prefix))
  }

  async shown(chat: number, subject: string): Promise<ShownCard | null> {
    const found = await this.#store.document<ShownCard>(telegramShownProjection.name, `${subject}@${chat}`)
    return found?.state ?? null
  }

  /** Links another message to a subject. @returns false when it was linked already. */
  async remember(chat: number, subject: string, message: number): Promise<boolean> {
    const known = await this.shown(chat, subject)
    if (known?.messages.includes(message)) return false
    // The content of that message is unknown: the empty hash makes sure that it is edited.
    const shown = { chat, subject, messages: [message], hash: '', isOpen: known?.isOpen ?? true }
    await this.#store.append(`telegram/shown/${subject}@${chat}`, 'any', [newEvent('telegram.shown', shown)])
    return true
  }
}
