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
    const name = [...(await this.#options.nameOf(subject))].slice(0, NAME_CHARACTERS).join('') || subject
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

  async close(chat: number, subject: string): Promise<void> {
    const { api, store } = this.#options
    const known = await store.document<KnownTopic>(telegramTopicsProjection.name, `${subject}@${chat}`)
    if (known?.state.thread == null) return
    await api.call('closeForumTopic', { chat_id: chat, message_thread_id: known.state.thread }).catch(error => {
      if (!(error instanceof ApiProblem)) throw error
    })
  }
}
