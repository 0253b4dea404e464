import { basename } from 'node:path'
import { type Clock, delay, type Timer } from '../clock/index.js'
import { getRun } from '../engine/index.js'
import { SignalboxError } from '../errors/index.js'
import { newEvent } from '../events/index.js'
import type { Host } from '../host/index.js'
import { type KnownChat, telegramChatsProjection } from '../host/index.js'
import type { People } from '../people/index.js'
import { ApiProblem, type BotApi, untilAborted } from './bot-api.js'
import { BotLease } from './bot-lease.js'
import { CardBuilder } from './cards/card-builder.js'
import { sessionTitle } from './cards/session-title.js'
import { StatusCards } from './cards/status-cards.js'
import { Chats } from './chats.js'
import { CommandServices, type TelegramPorts } from './command-services.js'
import { commandMenu } from './commands/index.js'
import { StartWizard } from './commands/start-wizard.js'
import { ButtonHandler } from './incoming/button-handler.js'
import { ButtonTokens } from './incoming/button-tokens.js'
import { FileTransfers } from './incoming/file-transfers.js'
import { handleIntent, type IntentHandlers } from './incoming/handle-intent.js'
import { IncomingText } from './incoming/incoming-text.js'
import { Pairing } from './incoming/pairing.js'
import type { Intent } from './incoming/parse-update.js'
import { UNPAIRED, UpdateHandler } from './incoming/update-handler.js'
import { UpdatePoller } from './incoming/update-poller.js'
import { AnswerStream } from './outgoing/answer-stream.js'
import { BotSender } from './outgoing/bot-sender.js'
import { Digest } from './outgoing/digest.js'
import { ALL_NOTIFICATIONS, EventNotifier, NOTIFIED_EVENTS, type NotificationKinds } from './outgoing/event-notifier.js'
import { LogFollower } from './outgoing/log-follower.js'
import { Outbox } from './outgoing/outbox.js'
import type { OutboxItem } from './outgoing/outbox-item.js'
import { NO_OTHER_SURFACE, type PersonPresence } from './outgoing/presence.js'
import type { RateLimits } from './outgoing/rate-limiter.js'
import { escapeHtml } from './outgoing/split.js'
import { Topics } from './topics.js'
import { TurnSummaries } from './turn-summaries.js'

export interface TelegramSettings {
  groups: readonly number[]
  groupDetail: boolean
  topics: 'auto' | 'off'
  stream: 'auto' | 'off'
  announce: boolean
  /** Hours in which notifications are held: `22:00-07:00`. */
  quiet: string | null
  /** Which kinds of notifications are sent; by default all. */
  notify?: NotificationKinds
}

export interface TelegramOptions {
  host: Host
  api: BotApi
  people: People
  clock: Clock
  /** The name of this process in the bot's lease. */
  owner: string
  /** Whether the process that holds the lease has certainly ended. */
  isGone?(owner: string): boolean
  settings: TelegramSettings
  ports: TelegramPorts
  utcOffset: number
  /** On which other surfaces a person is active now; by default on none. */
  presence?(): PersonPresence
  /** By default below what Telegram allows. */
  rateLimits?: RateLimits
  onError(error: unknown): void
}

export type TelegramHealth = {
  state: 'starting' | 'connected' | 'not-receiving' | 'unauthorized' | 'stopped'
  reason: string
}

const FIRST_RETRY_MS = 2000
const RETRY_MAX_MS = 60_000
const UNAUTHORIZED_MS = 600_000
const BUSY_MS = 5_000
/** How long a stop waits for its last messages, and then for calls that are not answered. */
const LAST_MESSAGES_MS = 1000
const LAST_CALLS_MS = 1000

/** The bot: wires, starts and stops its parts. Its state is in the store. */
export class Telegram {
  readonly pairing: Pairing
  readonly #options: TelegramOptions
  readonly #chats: Chats
  readonly #outbox: Outbox
  readonly #follower: LogFollower
  readonly #stream: AnswerStream
  readonly #digest: Digest
  readonly #handlers: IntentHandlers
  #updates: UpdateHandler | null = null
  #poller: UpdatePoller | null = null
  readonly #lease: BotLease
  #retry: Timer | null = null
  /** Aborts what the Bot API does not answer while the bot stops. */
  readonly #calls = new AbortController()
  #isStopped = false
  health: TelegramHealth = { state: 'starting', reason: 'not started yet' }

  constructor(given: TelegramOptions) {
    const options = { ...given, api: untilAborted(given.api, this.#calls.signal) }
    const { host, api, people, clock, settings, onError, utcOffset, ports } = options
    const { store } = host
    const { groupDetail } = settings
    this.#options = options
    this.pairing = new Pairing(people, clock)
    this.#lease = new BotLease({ ...options, store, onLost: () => void this.stop().catch(onError) })
    const chats = new Chats(store, people, settings.groups)
    this.#chats = chats
    const tokens = new ButtonTokens(store, clock)
    const topics = new Topics({ api, store, clock, isOn: settings.topics === 'auto', nameOf: id => this.#nameOf(id) })
    const sender = new BotSender({
      api,
      store,
      clock,
      topics,
      readFile: path => this.#handlers.files.read(path),
      onProblem: problem => onError(problem),
    })
    const outbox = new Outbox({
      store,
      clock,
      sender,
      ...(options.rateLimits && { limits: options.rateLimits }),
      onGone: (chat, reason) => this.#chatGone(chat, reason),
      onMoved: (from, to) => this.#chatMoved(from, to),
      onUnauthorized: () => this.#setHealth('unauthorized', 'the bot token is no longer valid'),
      onError,
    })
    this.#outbox = outbox
    const turns = new TurnSummaries(store)
    const cards = new CardBuilder({
      host,
      store,
      clock,
      tokens,
      topics,
      turns,
      utcOffset,
      groupDetail,
      dashboard: ports.dashboard ?? null,
    })
    const status = new StatusCards({ host, clock, chats, outbox, onError })
    this.#stream = new AnswerStream({
      status,
      bus: host.bus,
      clock,
      chats,
      outbox,
      sender,
      topics,
      isOn: settings.stream === 'auto',
      onError,
    })
    this.#digest = new Digest({
      store,
      clock,
      chats,
      outbox,
      get quiet() {
        return settings.quiet
      },
      utcOffset,
      betweenBatches: work => this.#follower.betweenBatches(work),
    })
    const notifier = new EventNotifier({
      host,
      clock,
      chats,
      cards,
      digest: this.#digest,
      status,
      stream: this.#stream,
      turns,
      files: { downloadable: (record, blocks, since) => this.#handlers.files.downloadable(record, blocks, since) },
      presence: options.presence ?? (() => NO_OTHER_SURFACE),
      notify: settings.notify ?? ALL_NOTIFICATIONS,
      groupDetail,
    })
    this.#follower = new LogFollower({
      store,
      clock,
      outbox,
      types: NOTIFIED_EVENTS,
      messagesFor: events => notifier.messagesFor(events),
      onError,
    })
    const services = new CommandServices({
      host,
      clock,
      api,
      chats,
      cards,
      tokens,
      outbox,
      topics,
      ports,
      utcOffset,
      groupDetail,
    })
    const wizard = new StartWizard(services)
    const texts = new IncomingText(services, wizard)
    const files = new FileTransfers(services, texts)
    const onRefused = (intent: Intent, update: number, reason: string) => this.#recordRefusal(intent, update, reason)
    const buttons = new ButtonHandler({ services, texts, wizard, files, onRefused, onError })
    this.#handlers = { services, texts, wizard, files, buttons, onRefused, refusedCount: () => this.#refusedCount() }
  }

  /** Starts in the background and retries: the daemon runs without its bot as well. */
  begin(): void {
    this.#begin(FIRST_RETRY_MS)
  }

  async start(): Promise<void> {
    const { api, host, clock, people, settings, onError } = this.#options
    const bot = await api.call<BotUser>('getMe', {})
    await this.#lease.acquire()
    const { url } = await api.call<{ url: string }>('getWebhookInfo', {})
    await this.#registerCommands()
    await this.#learnTopics(bot)
    await this.#outbox.start()
    await this.#follower.start()
    this.#stream.start()
    this.#digest.start()
    host.notifications?.connectTelegram(() => people.all().some(({ telegram }) => telegram.length > 0))
    const updates = new UpdateHandler({
      store: host.store,
      clock,
      bot,
      personOf: id => people.byTelegram(id),
      isEnabled: group => this.#chats.isEnabled(group),
      handle: async (intent, person, about) => {
        if (bot.has_topics_enabled && intent.chatKind === 'private')
          await this.#chats.change(intent.chat, { hasTopics: true })
        return handleIntent(this.#handlers, intent, person, about)
      },
      onStranger: intent => this.#handleStranger(intent),
      onFailure: (intent, reference) => this.#send(intent.chat, `An internal error occurred (${reference}).`),
      onError,
    })
    this.#updates = updates
    await updates.start()
    this.#poller = new UpdatePoller({
      api,
      clock,
      acceptUpdate: update => updates.acceptUpdate(update),
      onHealth: (state, reason) => this.#setHealth(state, reason),
      onError,
    })
    if (url) this.#setHealth('not-receiving', 'a webhook is set for this bot: signalbox telegram setup removes it')
    else this.#setHealth('connected', `@${bot.username}`)
    if (settings.announce)
      for (const { chat } of await this.#chats.recipients()) await this.#send(chat, 'Signalbox is running.')
    this.#poller.start()
  }

  /** Resolves when all updates that came in are handled and all messages are sent. */
  async settled(): Promise<void> {
    await this.#updates?.settled()
    await this.#follower.settled()
    await this.#outbox.settled()
  }

  async stop(): Promise<void> {
    if (this.#isStopped) return
    this.#isStopped = true
    this.#options.host.notifications?.disconnectTelegram()
    this.#lease.stopRenewing()
    this.#retry?.cancel()
    await this.#announceStop().catch(this.#options.onError)
    const limit = this.#options.clock.setTimer(LAST_CALLS_MS, () => this.#calls.abort())
    this.#stream.stop()
    this.#digest.stop()
    await this.#poller?.stop()
    await this.#updates?.stop()
    await this.#follower.stop()
    await this.#outbox.stop()
    limit.cancel()
    this.#calls.abort()
    await this.#lease.release()
    this.#setHealth('stopped', 'stopped')
  }

  /** Tells chats that show a growing answer why it stops. */
  async #announceStop(): Promise<void> {
    const { host, clock } = this.#options
    const items: OutboxItem[] = []
    for (const session of this.#stream.growing) {
      const record = await host.record(session).catch(() => null)
      const title = record ? `<b>${escapeHtml(sessionTitle(record))}</b>\n` : ''
      const html = `${title}Signalbox is stopping; the answer follows after the restart.`
      for (const { chat, current } of await this.#chats.followers(session))
        if (current === session)
          items.push({ chat, topic: session, lane: 2, subject: `${session}/stopping`, act: { do: 'say', html } })
    }
    if (items.length === 0) return
    await this.#outbox.enqueue(items)
    await Promise.race([this.#outbox.settled(), delay(clock, LAST_MESSAGES_MS)])
  }

  #begin(retryMs: number): void {
    void this.start().catch(error => {
      if (this.#isStopped) return
      const isRevoked = error instanceof ApiProblem && error.code === 401
      if (isRevoked) this.#setHealth('unauthorized', 'the bot token is not valid')
      else this.#setHealth('not-receiving', problemText(error))
      // Another server runs the bot: this one takes over when that one is gone.
      const isBusy = error instanceof SignalboxError && error.code === 'E_BUSY'
      const wait = isRevoked ? UNAUTHORIZED_MS : isBusy ? BUSY_MS : retryMs
      this.#retry = this.#options.clock.setTimer(wait, () => this.#begin(Math.min(retryMs * 2, RETRY_MAX_MS)))
    })
  }

  async #registerCommands(): Promise<void> {
    const { api, onError } = this.#options
    for (const [kind, scope] of [
      ['private', 'all_private_chats'],
      ['group', 'all_group_chats'],
    ] as const)
      await api
        .call('setMyCommands', { commands: commandMenu(kind), scope: { type: scope } })
        .catch(error => onError(error))
  }

  /** Private chats have topics in threaded mode; a group reports them with messages. */
  async #learnTopics(bot: BotUser): Promise<void> {
    const { host } = this.#options
    const known = await host.store.documents<KnownChat>(telegramChatsProjection.name)
    for (const { state } of known)
      if (state.kind === 'private') await this.#chats.change(state.chat, { hasTopics: bot.has_topics_enabled === true })
  }

  /** An unpaired account gets no answer, unless it sends the pairing code. */
  async #handleStranger(intent: Intent): Promise<boolean> {
    if (!this.pairing.tryCode(intent)) return false
    await this.#chats.change(intent.chat, { kind: 'private', isBlocked: false })
    await this.#send(intent.chat, 'The code is correct. Now confirm the pairing at the machine.')
    return true
  }

  async #recordRefusal(intent: Intent, update: number, reason: string): Promise<void> {
    const data = { update, from: intent.from.id, chat: intent.chat, reason }
    await this.#options.host.store.append('telegram/refusals', 'any', [newEvent('telegram.refused', data)])
  }

  async #refusedCount(): Promise<number> {
    const refusals = await this.#options.host.store.readStream('telegram/refusals')
    return refusals.filter(({ data }) => data.reason === UNPAIRED).length
  }

  async #send(chat: number, text: string): Promise<void> {
    const act = { do: 'say', html: escapeHtml(text) } as const
    await this.#outbox.enqueue([{ chat, lane: 2, subject: `said ${this.#options.clock.now()}`, act }])
  }

  async #chatGone(chat: number, reason: string): Promise<void> {
    if ((await this.#chats.get(chat)).isBlocked) return
    await this.#chats.change(chat, { isBlocked: true })
    this.#options.onError(new SignalboxError('E_SINK_GONE', `the chat ${chat} cannot be reached: ${reason}`))
  }

  async #chatMoved(from: number, to: number): Promise<void> {
    await this.#chats.change(from, { movedTo: to, isBlocked: true })
    await this.#chats.change(to, { kind: 'supergroup', isBlocked: false })
  }

  #setHealth(state: TelegramHealth['state'], reason: string): void {
    if (this.health.state === state && this.health.reason === reason) return
    this.health = { state, reason }
    if (state === 'starting') return
    void this.#options.host.store
      .append('telegram/health', 'any', [newEvent('telegram.health', { state, reason })])
      .catch(this.#options.onError)
  }

  async #nameOf(subject: string): Promise<string> {
    const { host } = this.#options
    const record = await host.record(subject).catch(() => null)
    if (record) return sessionTitle(record)
    const run = await getRun(host.store, subject).catch(() => null)
    return run ? `${basename(run.project)} · ${run.kind} · ${run.title}` : subject
  }
}

function problemText(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return error instanceof ApiProblem && error.code === 0 ? `Telegram cannot be reached: ${message}` : message
}

interface BotUser {
  id: number
  username: string
  has_topics_enabled?: boolean
}
