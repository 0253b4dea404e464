import type { Clock } from '../clock/index.js'
import { newEvent } from '../events/index.js'
import { type KnownChat, type KnownTopic, telegramChatsProjection, telegramTopicsProjection } from '../host/index.js'
import type { EventStore } from '../store/index.js'
import { ApiProblem, type BotApi } from './bot-api.js'

const NAME_CHARACTERS = 128

interface TopicsOptions {
  api: BotApi
  store: EventStore
  clock: Clock
  isOn: boolean
  /** `project · agent · n` of a session, or the name of a run. */
  nameOf(subject: string): Promise<string>
}

/** One topic for each session and run, where the chat has topics. */
export class Topics {
  readonly #options: TopicsOptions

  constructor(options: TopicsOptions) {
    this.#options = options
  }

  /** The thread of a session or run; null for the main chat. */
  async threadOf(chat: number, subject: string): Promise<number | null> {
    const { isOn, store } = this.#options
    if (!isOn) return null
    const known = await store.document<KnownTopic>(telegramTopicsProjection.name, `${subject}@${chat}`)
    if (known) return known.state.thread
    const where = await store.document<KnownChat>(telegramChatsProjection.name, String(chat))
    return where?.state.hasTopics ? this.create(chat, subject) : null
  }

  /** Creates the topic; null, the main chat, where Telegram refuses. */
  async create(chat: number, subject: string): Promise<number | null> {
    const { api, store } = this.#options
    const name = await this.#nameFor(subject)
    const thread = await api
      .call<{ message_thread_id: number }>('createForumTopic', { chat_id: chat, name })
      .then(made => made.message_thread_id)
      .catch(error => {
        if (error instanceof ApiProblem && error.code === 400) return null
        throw error
      })
    const events = [newEvent('telegram.topic-made', { chat, subject, thread, name })]
    await store.append(`telegram/topic/${subject}@${chat}`, 'any', events)
    return thread
  }

  /** The topic of a session or run; null where it has none. Topics of private chats have no URL. */
  async linkTo(chat: number, subject: string): Promise<{ name: string; url: string | null } | null> {
    const known = await this.#options.store.document<KnownTopic>(telegramTopicsProjection.name, `${subject}@${chat}`)
    if (!this.#options.isOn || known?.state.thread == null) return null
    // The Bot API puts -100 before the id of a supergroup; links do not.
    const group = /^-100(\d+)$/.exec(String(chat))?.[1]
    return { name: known.state.name, url: group ? `https://t.me/c/${group}/${known.state.thread}` : null }
  }

  /** The session or run of a topic. */
  async subjectOf(chat: number, thread: number): Promise<string | null> {
    const topics = await this.#options.store.documents<KnownTopic>(telegramTopicsProjection.name)
    return topics.find(({ state }) => state.chat === chat && state.thread === thread)?.state.subject ?? null
  }

  /** Continues its subject in the main chat. */
  async detach(chat: number, subject: string): Promise<void> {
    const { store } = this.#options
    const known = await store.document<KnownTopic>(telegramTopicsProjection.name, `${subject}@${chat}`)
    if (!known) return
    const events = [newEvent('telegram.topic-made', { ...known.state, thread: null })]
    await store.append(`telegram/topic/${subject}@${chat}`, 'any', events)
  }

  /** Gives the topic the present name of its subject. */
  async rename(chat: number, subject: string): Promise<void> {
    const { api, store } = this.#options
    const known = await store.document<KnownTopic>(telegramTopicsProjection.name, `${subject}@${chat}`)
    const name = await this.#nameFor(subject)
    if (known?.state.thread == null || known.state.name === name) return
    await api.call('editForumTopic', { chat_id: chat, message_thread_id: known.state.thread, name }).catch(error => {
      if (!(error instanceof ApiProblem) || error.code !== 400) throw error
    })
    const events = [newEvent('telegram.topic-made', { ...known.state, name })]
    await store.append(`telegram/topic/${subject}@${chat}`, 'any', events)
  }

  async #nameFor(subject: string): Promise<string> {
    return [...(await this.#options.nameOf(subject))].slice(0, NAME_CHARACTERS).join('') || subject
  }

  async close(chat: number, subject: string): Promise<void> {
    const { api, store } = this.#options
    const known = await store.document<KnownTopic>(telegramTopicsProjection.name, `${subject}@${chat}`)
    if (known?.state.thread == null) return
    await api.call('closeForumTopic', { chat_id: chat, message_thread_id: known.state.thread }).catch(error => {
      if (!(error instanceof ApiProblem)) throw error
    })
  }
}
