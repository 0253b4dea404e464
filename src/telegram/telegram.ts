import type { Clock, Timer } from '../clock/index.js'
import { SignalboxError } from '../errors/index.js'
import { newEvent } from '../events/index.js'
import type { Host, People, Person } from '../host/index.js'
import type { Lease } from '../store/index.js'
import type { BotApi } from './bot-api.js'
import { CardMaker } from './card-maker.js'
import { Chats } from './chats.js'
import { Follower } from './follower.js'
import { Intake } from './intake.js'
import { Outbox } from './outbox.js'
import type { Intent } from './parse-update.js'
import { Poll } from './poll.js'
import { Presses } from './presses.js'
import { Speaker } from './speaker.js'
import { escapeHtml } from './split.js'
import { Tell, TOLD } from './tell.js'
import { Tokens } from './tokens.js'
import { Topics } from './topics.js'

export interface TelegramOptions {
  host: Host
  api: BotApi
  people: People
  clock: Clock
  owner: string
  settings: { groups: readonly number[]; groupDetail: boolean; topics: 'auto' | 'off'; stream: 'auto' | 'off' }
  utcOffset: number
  onError(error: unknown): void
}

export type TelegramHealth = { state: 'starting' | 'connected' | 'deaf' | 'unauthorized' | 'stopped'; reason: string }

const LEASE_MS = 30_000

/** The bot: shows what the host says and asks of it what people say. It keeps nothing outside the store and decides nothing. */
export class Telegram {
  readonly #options: TelegramOptions
  readonly #chats: Chats
  readonly #outbox: Outbox
  readonly #follower: Follower
  readonly #presses: Presses
  #intake: Intake | null = null
  #poll: Poll | null = null
  #lease: Lease | null = null
  #renewal: Timer | null = null
  health: TelegramHealth = { state: 'starting', reason: 'not started yet' }

  constructor(options: TelegramOptions) {
    const { host, api, people, clock, settings, onError, utcOffset } = options
    const { store } = host
    this.#options = options
    this.#chats = new Chats(store, people, settings.groups)
    const tokens = new Tokens(store, clock)
    const topics = new Topics({ api, store, clock, isOn: settings.topics === 'auto', nameOf: id => this.#nameOf(id) })
    const speaker = new Speaker({
      api,
      store,
      clock,
      topics,
      readFile: async () => {
        throw new SignalboxError('E_INPUT', 'this file may not be sent')
      },
      onProblem: problem => onError(problem),
    })
    this.#outbox = new Outbox({
      store,
      clock,
      speaker,
      onGone: (chat, reason) => this.#gone(chat, reason),
      onMoved: (from, to) => this.#moved(from, to),
      onUnauthorized: () => this.#became('unauthorized', 'the token of the bot is not valid any more'),
      onError,
    })
    const cards = new CardMaker({ host, store, clock, tokens, utcOffset, groupDetail: settings.groupDetail })
    const tell = new Tell({ host, chats: this.#chats, cards })
    this.#follower = new Follower({
      store,
      clock,
      outbox: this.#outbox,
      types: TOLD,
      tell: events => tell.tell(events),
      onError,
    })
    this.#presses = new Presses({ host, chats: this.#chats, cards, tokens, outbox: this.#outbox })
  }

  async start(): Promise<void> {
    const { api, host, clock, owner, people, settings, onError } = this.#options
    const bot = await api.call<{ id: number; username: string }>('getMe', {})
    await this.#takeLease(owner)
    const { url } = await api.call<{ url: string }>('getWebhookInfo', {})
    if (url) this.#became('deaf', 'a webhook is set for this bot: remove it with signalbox telegram setup')
    await this.#outbox.start()
    await this.#follower.start()
    this.#intake = new Intake({
      store: host.store,
      clock,
      bot,
      personOf: id => people.byTelegram(id),
      groups: settings.groups,
      perform: (intent, person, about) => this.#perform(intent, person, about.update),
      stranger: async () => false,
      failed: (intent, reference) => this.#say(intent.chat, `That did not work (${reference}).`),
      onError,
    })
    await this.#intake.start()
    this.#poll = new Poll({
      api,
      clock,
      take: update => this.#intake!.take(update),
      onHealth: (state, reason) => this.#became(state, reason),
      onError,
    })
    if (!url) this.#became('connected', `@${bot.username}`)
    this.#poll.start()
  }

  async settled(): Promise<void> {
    await this.#intake?.settled()
    await this.#follower.settled()
    await this.#outbox.settled()
  }

  async stop(): Promise<void> {
    this.#renewal?.cancel()
    await this.#poll?.stop()
    await this.#intake?.stop()
    await this.#follower.stop()
    await this.#outbox.stop()
    if (this.#lease) await this.#options.host.store.releaseLease(this.#lease)
    this.#became('stopped', 'stopped')
  }

  async #perform(intent: Intent, person: Person, update: number): Promise<string> {
    if (intent.kind !== 'member')
      await this.#chats.change(intent.chat, { kind: intent.chatKind, person: intent.from.id, isBlocked: false })
    switch (intent.kind) {
      case 'press':
        return this.#presses.perform(intent, person, update)
      case 'member':
        await this.#chats.change(intent.chat, { isBlocked: !intent.isReachable })
        return intent.isReachable ? 'reachable again' : 'gone'
      default:
        return 'nothing to do'
    }
  }

  async #say(chat: number, text: string): Promise<void> {
    const act = { do: 'say', html: escapeHtml(text) } as const
    await this.#outbox.say([{ chat, lane: 2, subject: `said ${this.#options.clock.now()}`, act }])
  }

  async #takeLease(owner: string): Promise<void> {
    const { host, clock, onError } = this.#options
    const lease = await host.store.acquireLease('telegram', owner, { ttlMs: LEASE_MS })
    if (lease.isHeld)
      throw new SignalboxError('E_BUSY', `another process runs the bot (${lease.by})`, {
        next: 'stop it first: signalbox serve --stop',
      })
    this.#lease = lease
    const renew = () => {
      this.#renewal = clock.setTimer(LEASE_MS / 3, () => {
        host.store.renewLease(lease, LEASE_MS).then(isOurs => {
          if (isOurs) return renew()
          onError(new SignalboxError('E_FENCED', 'another process runs the bot now'))
          void this.stop().catch(onError)
        }, onError)
      })
    }
    renew()
  }

  async #gone(chat: number, reason: string): Promise<void> {
    await this.#chats.change(chat, { isBlocked: true })
    this.#options.onError(new SignalboxError('E_SINK_GONE', `the chat ${chat} cannot be reached: ${reason}`))
  }

  async #moved(from: number, to: number): Promise<void> {
    await this.#chats.change(from, { movedTo: to, isBlocked: true })
    await this.#chats.change(to, { kind: 'supergroup', isBlocked: false })
  }

  #became(state: TelegramHealth['state'], reason: string): void {
    if (this.health.state === state && this.health.reason === reason) return
    this.health = { state, reason }
    if (state === 'starting') return
    void this.#options.host.store
      .append('telegram/health', 'any', [newEvent('telegram.health', { state, reason })])
      .catch(this.#options.onError)
  }

  async #nameOf(subject: string): Promise<string> {
    const record = await this.#options.host.record(subject).catch(() => null)
    return record ? `${record.project.split('/').at(-1)} · ${record.agent} · ${record.number}` : subject
  }
}
