import type { Clock } from '../clock/index.js'
import { newEvent } from '../events/index.js'
import { type KnownChat, type KnownTopic, telegramChatsProjection, telegramTopicsProjection } from '../host/index.js'
import type { EventStore } from '../store/index.js'
import { ApiProblem, type BotApi } from './bot-api.js'

const NAME_CHARACTERS = 128

export interface TopicsOptions {
  api: BotApi
  store: EventStore
  clock: Clock
  isOn: boolean
  /** `project · agent · n` of a session, or the name of a run. */
  nameOf(subject: string): Promise<string>
}

/** One topic for each session and run, where the chat has topics; elsewhere everything is in one place. */
export class Topics {
  readonly #options: TopicsOptions

  constructor(options: TopicsOptions) {
    this.#options = options
  }

  /** Null: the main chat. */
  async threadOf(chat: number, subject: string): Promise<number | null> {
    const { isOn, store } = this.#options
    if (!isOn) return null
    const known = await store.document<KnownTopic>(telegramTopicsProjection.name, `${subject}@${chat}`)
    if (known) return known.state.thread
    const where = await store.document<KnownChat>(telegramChatsProjection.name, String(chat))
    return where?.state.hasTopics ? this.again(chat, subject) : null
  }

  /** Made anew; the main chat where that does not work either. */
  async again(chat: number, subject: string): Promise<number | null> {
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

  /** Where in a chat a session or run has its place; null where it has none of its own. Private chats have no addresses. */
  async linkTo(chat: number, subject: string): Promise<{ name: string; url: string | null } | null> {
    const known = await this.#options.store.document<KnownTopic>(telegramTopicsProjection.name, `${subject}@${chat}`)
    if (!this.#options.isOn || known?.state.thread == null) return null
    // A supergroup is -100… to bots, and without that in links.
    const group = /^-100(\d+)$/.exec(String(chat))?.[1]
    return { name: known.state.name, url: group ? `https://t.me/c/${group}/${known.state.thread}` : null }
  }

  /** Which session or run a topic belongs to. */
  async subjectOf(chat: number, thread: number): Promise<string | null> {
    const topics = await this.#options.store.documents<KnownTopic>(telegramTopicsProjection.name)
    return topics.find(({ state }) => state.chat === chat && state.thread === thread)?.state.subject ?? null
  }

  /** Its subject goes on in the main chat. */
  async detach(chat: number, subject: string): Promise<void> {
    const { store } = this.#options
    const known = await store.document<KnownTopic>(telegramTopicsProjection.name, `${subject}@${chat}`)
    if (!known) return
    const events = [newEvent('telegram.topic-made', { ...known.state, thread: null })]
    await store.append(`telegram/topic/${subject}@${chat}`, 'any', events)
  }

  /** By the name that its subject has now. */
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
