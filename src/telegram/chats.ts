import { newEvent } from '../events/index.js'
import { type KnownChat, type People, telegramChatsProjection } from '../host/index.js'
import type { EventStore } from '../store/index.js'
import { mayDecide, type Reader } from './card-maker.js'

/** What is known of chats: who reads there, what is current there, whether they can be reached. */
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

  /** Only what changes is written. */
  async change(chat: number, change: Omit<Partial<KnownChat>, 'chat'>): Promise<void> {
    const known = (await this.get(chat)) as Record<string, unknown>
    const isNews = Object.entries(change).some(([name, value]) => JSON.stringify(known[name]) !== JSON.stringify(value))
    if (!isNews) return
    await this.#store.append(`telegram/chat/${chat}`, 'any', [newEvent('telegram.chat-changed', { chat, ...change })])
  }

  /** Everybody who is told things: people who once spoke to the bot, and groups that were enabled. */
  async readers(): Promise<Reader[]> {
    const people = this.#people.all()
    const known = await this.#store.documents<KnownChat>(telegramChatsProjection.name)
    const reachable = new Set(known.filter(({ state }) => !state.isBlocked).map(({ state }) => state.chat))
    const own = people.flatMap(person =>
      person.telegram
        .filter(id => reachable.has(id))
        .map(id => ({ chat: id, isPrivate: true, deciders: mayDecide(person) ? [id] : [] })),
    )
    const deciders = people.filter(mayDecide).flatMap(({ telegram }) => telegram)
    const groups = this.#groups.filter(chat => reachable.has(chat)).map(chat => ({ chat, isPrivate: false, deciders }))
    return [...own, ...groups]
  }

  async reader(chat: number): Promise<Reader | null> {
    return (await this.readers()).find(reader => reader.chat === chat) ?? null
  }

  /** Chats that follow a session: it is the current one there. */
  async followers(session: string): Promise<KnownChat[]> {
    const readers = new Set((await this.readers()).map(({ chat }) => chat))
    const known = await this.#store.documents<KnownChat>(telegramChatsProjection.name)
    return known.map(({ state }) => state).filter(({ chat, current }) => current === session && readers.has(chat))
  }
}
