import { basename } from 'node:path'
import { type Clock, delay, type Timer } from '../clock/index.js'
import { getRun } from '../engine/index.js'
import { SignalboxError } from '../errors/index.js'
import { newEvent } from '../events/index.js'
import type { Host } from '../host/index.js'
import { type KnownChat, telegramChatsProjection } from '../host/index.js'
import type { People } from '../people/index.js'
import { ApiProblem, type BotApi } from './bot-api.js'
import { BotLease } from './bot-lease.js'
import { CardMaker } from './cards/card-builder.js'
import { sessionTitle } from './cards/names.js'
import { Status } from './cards/status-cards.js'
import { Chats } from './chats.js'
import { Desk, type TelegramDoors } from './command-services.js'
import { commandList } from './commands/index.js'
import { Starter } from './commands/start-wizard.js'
import { Presses } from './incoming/button-handler.js'
import { Tokens } from './incoming/button-tokens.js'
import { Files } from './incoming/file-transfers.js'
import { type PerformOptions, perform } from './incoming/handle-intent.js'
import { Words } from './incoming/incoming-text.js'
import { Pairing } from './incoming/pairing.js'
import type { Intent } from './incoming/parse-update.js'
import { Intake } from './incoming/update-handler.js'
import { Poll } from './incoming/update-poller.js'
import { Stream } from './outgoing/answer-stream.js'
import { Speaker } from './outgoing/bot-sender.js'
import { Digest } from './outgoing/digest.js'
import { NOTIFY_ALL, type NotifyWish, Tell, TOLD } from './outgoing/event-notifier.js'
import { Follower } from './outgoing/log-follower.js'
import { Outbox } from './outgoing/outbox.js'
import type { Queued } from './outgoing/outbox-item.js'
import { NOBODY_ELSEWHERE, type Presence } from './outgoing/presence.js'
import type { PaceRules } from './outgoing/rate-limiter.js'
import { escapeHtml } from './outgoing/split.js'
import { Topics } from './topics.js'

export interface TelegramSettings {
  groups: readonly number[]
  groupDetail: boolean
  topics: 'auto' | 'off'
  stream: 'auto' | 'off'
  announce: boolean
  /** Hours in which notices are held: `22:00-07:00`. */
  quiet: string | null
  /** What people are called for at all; left out: everything. */
  notify?: NotifyWish
}

export interface TelegramOptions {
  host: Host
  api: BotApi
  people: People
  clock: Clock
  /** Names this process in the lease that keeps a second bot out. */
  owner: string
  /** Whether the process that holds the lease has certainly ended. */
  isGone?(owner: string): boolean
  settings: TelegramSettings
  doors: TelegramDoors
  utcOffset: number
  /** Who is at another surface now; without it nobody ever is. */
  presence?(): Presence
  /** How fast it may speak, where that is not what Telegram allows. */
  pace?: PaceRules
  onError(error: unknown): void
}

export type TelegramHealth = {
  state: 'starting' | 'connected' | 'deaf' | 'unauthorized' | 'stopped'
  reason: string
}

const FIRST_RETRY_MS = 2000
const LONGEST_RETRY_MS = 60_000
const UNAUTHORIZED_MS = 600_000
/** A stop waits no longer than this for its last words. */
const FAREWELL_MS = 3000

/** The bot: shows what the host says and asks of it what people say. It keeps nothing outside the store and decides nothing. */
export class Telegram {
  readonly pairing: Pairing
  readonly #options: TelegramOptions
  readonly #chats: Chats
  readonly #outbox: Outbox
  readonly #follower: Follower
  readonly #stream: Stream
  readonly #digest: Digest
  readonly #parts: PerformOptions
  #intake: Intake | null = null
  #poll: Poll | null = null
  readonly #lease: BotLease
  #retry: Timer | null = null
  #isStopped = false
  health: TelegramHealth = { state: 'starting', reason: 'not started yet' }

  constructor(options: TelegramOptions) {
    const { host, api, people, clock, settings, onError, utcOffset, doors } = options
    const { store } = host
    this.#options = options
    this.pairing = new Pairing(people, clock)
    this.#lease = new BotLease({ ...options, store, onLost: () => void this.stop().catch(onError) })
    this.#chats = new Chats(store, people, settings.groups)
    const tokens = new Tokens(store, clock)
    const topics = new Topics({ api, store, clock, isOn: settings.topics === 'auto', nameOf: id => this.#nameOf(id) })
    const speaker = new Speaker({
      api,
      store,
      clock,
      topics,
      readFile: path => this.#parts.files.read(path),
      onProblem: problem => onError(problem),
    })
    this.#outbox = new Outbox({
      store,
      clock,
      speaker,
      ...(options.pace && { rules: options.pace }),
      onGone: (chat, reason) => this.#gone(chat, reason),
      onMoved: (from, to) => this.#moved(from, to),
      onUnauthorized: () => this.#became('unauthorized', 'the token of the bot is not valid any more'),
      onError,
    })
    const cards = new CardMaker({
      host,
      store,
      clock,
      tokens,
      topics,
      utcOffset,
      groupDetail: settings.groupDetail,
      dashboard: doors.dashboard ?? null,
    })
    const chats = this.#chats
    const status = new Status({ host, clock, chats, outbox: this.#outbox, onError })
    this.#stream = new Stream({
      status,
      bus: host.bus,
      clock,
      chats,
      outbox: this.#outbox,
      speaker,
      topics,
      isOn: settings.stream === 'auto',
      onError,
    })
    this.#digest = new Digest({
      store,
      clock,
      chats,
      outbox: this.#outbox,
      quiet: settings.quiet,
      utcOffset,
      inTurn: work => this.#follower.inTurn(work),
    })
    const tell = new Tell({
      host,
      clock,
      chats,
      cards,
      digest: this.#digest,
      status,
      stream: this.#stream,
      files: { offered: (record, blocks, since) => this.#parts.files.offered(record, blocks, since) },
      presence: options.presence ?? (() => NOBODY_ELSEWHERE),
      notify: settings.notify ?? NOTIFY_ALL,
    })
    this.#follower = new Follower({
      store,
      clock,
      outbox: this.#outbox,
      types: TOLD,
      tell: events => tell.tell(events),
      onError,
    })
    const { groupDetail } = settings
    const outbox = this.#outbox
    const desk = new Desk({ host, clock, api, chats, cards, tokens, outbox, topics, doors, utcOffset, groupDetail })
    const starter = new Starter(desk)
    const words = new Words(desk, starter)
    const files = new Files(desk, words)
    const refused = (intent: Intent, update: number, reason: string) => this.#refused(intent, update, reason)
    const presses = new Presses({ desk, words, starter, files, refused, onError })
    this.#parts = { desk, words, starter, files, presses, refused, knocks: () => this.#knocks() }
  }

  /** Goes on trying in the background: no bot is no reason not to have everything else. */
  begin(): void {
    this.#begin(FIRST_RETRY_MS)
  }

  async start(): Promise<void> {
    const { api, host, clock, people, settings, onError } = this.#options
    const bot = await api.call<BotUser>('getMe', {})
    await this.#lease.take()
    const { url } = await api.call<{ url: string }>('getWebhookInfo', {})
    await this.#register()
    await this.#learnTopics(bot)
    await this.#outbox.start()
    await this.#follower.start()
    this.#stream.start()
    this.#digest.start()
    this.#intake = new Intake({
      store: host.store,
      clock,
      bot,
      personOf: id => people.byTelegram(id),
      isEnabled: group => this.#chats.isEnabled(group),
      perform: async (intent, person, about) => {
        if (bot.has_topics_enabled && intent.chatKind === 'private')
          await this.#chats.change(intent.chat, { hasTopics: true })
        return perform(this.#parts, intent, person, about)
      },
      stranger: intent => this.#stranger(intent),
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
    if (url) this.#became('deaf', 'a webhook is set for this bot: signalbox telegram setup removes it')
    else this.#became('connected', `@${bot.username}`)
    if (settings.announce)
      for (const { chat } of await this.#chats.readers()) await this.#say(chat, 'Signalbox is here.')
    this.#poll.start()
  }

  /** Resolves when everything that came in was dealt with and everything to be said was said. */
  async settled(): Promise<void> {
    await this.#intake?.settled()
    await this.#follower.settled()
    await this.#outbox.settled()
  }

  async stop(): Promise<void> {
    if (this.#isStopped) return
    this.#isStopped = true
    this.#lease.rest()
    this.#retry?.cancel()
    await this.#sayStopping().catch(this.#options.onError)
    this.#stream.stop()
    this.#digest.stop()
    await this.#poll?.stop()
    await this.#intake?.stop()
    await this.#follower.stop()
    await this.#outbox.stop()
    await this.#lease.release()
    this.#became('stopped', 'stopped')
  }

  /** Who sees an answer grow is told why it does not go on. */
  async #sayStopping(): Promise<void> {
    const { host, clock } = this.#options
    const items: Queued[] = []
    for (const session of this.#stream.growing) {
      const record = await host.record(session).catch(() => null)
      const title = record ? `<b>${escapeHtml(sessionTitle(record))}</b>\n` : ''
      const html = `${title}Signalbox is stopping; the answer comes when it is back.`
      for (const { chat, current } of await this.#chats.followers(session))
        if (current === session)
          items.push({ chat, topic: session, lane: 2, subject: `${session}/stopping`, act: { do: 'say', html } })
    }
    if (items.length === 0) return
    await this.#outbox.say(items)
    await Promise.race([this.#outbox.settled(), delay(clock, FAREWELL_MS)])
  }

  #begin(retryMs: number): void {
    void this.start().catch(error => {
      if (this.#isStopped) return
      const isRevoked = error instanceof ApiProblem && error.code === 401
      if (isRevoked) this.#became('unauthorized', 'the token of the bot is not valid')
      else this.#became('deaf', whyDeaf(error))
      const wait = isRevoked ? UNAUTHORIZED_MS : retryMs
      this.#retry = this.#options.clock.setTimer(wait, () => this.#begin(Math.min(retryMs * 2, LONGEST_RETRY_MS)))
    })
  }

  async #register(): Promise<void> {
    const { api, onError } = this.#options
    for (const [kind, scope] of [
      ['private', 'all_private_chats'],
      ['group', 'all_group_chats'],
    ] as const)
      await api
        .call('setMyCommands', { commands: commandList(kind), scope: { type: scope } })
        .catch(error => onError(error))
  }

  /** A bot with threaded mode has topics in private chats; in groups the chat itself tells. */
  async #learnTopics(bot: BotUser): Promise<void> {
    const { host } = this.#options
    const known = await host.store.documents<KnownChat>(telegramChatsProjection.name)
    for (const { state } of known)
      if (state.kind === 'private') await this.#chats.change(state.chat, { hasTopics: bot.has_topics_enabled === true })
  }

  /** Somebody who is nobody here gets no answer, unless they bring the code that this machine shows. */
  async #stranger(intent: Intent): Promise<boolean> {
    if (!this.pairing.hear(intent)) return false
    await this.#chats.change(intent.chat, { kind: 'private', isBlocked: false })
    await this.#say(intent.chat, 'Thank you. Now somebody at the machine has to say yes.')
    return true
  }

  async #refused(intent: Intent, update: number, reason: string): Promise<void> {
    const data = { update, from: intent.from.id, chat: intent.chat, reason }
    await this.#options.host.store.append('telegram/refusals', 'any', [newEvent('telegram.refused', data)])
  }

  async #knocks(): Promise<number> {
    const refusals = await this.#options.host.store.readStream('telegram/refusals')
    return refusals.filter(({ data }) => data.reason === 'a stranger').length
  }

  async #say(chat: number, text: string): Promise<void> {
    const act = { do: 'say', html: escapeHtml(text) } as const
    await this.#outbox.say([{ chat, lane: 2, subject: `said ${this.#options.clock.now()}`, act }])
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
    const { host } = this.#options
    const record = await host.record(subject).catch(() => null)
    if (record) return sessionTitle(record)
    const run = await getRun(host.store, subject).catch(() => null)
    return run ? `${basename(run.project)} · ${run.kind} · ${run.title}` : subject
  }
}

function whyDeaf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return error instanceof ApiProblem && error.code === 0 ? `Telegram cannot be reached: ${message}` : message
}

interface BotUser {
  id: number
  username: string
  has_topics_enabled?: boolean
}
