import type { Clock } from '../clock/index.js'
import { newId } from '../clock/index.js'
import { SignalboxError } from '../errors/index.js'
import type { Host } from '../host/index.js'
import type { Person } from '../people/index.js'
import type { LiveSession, SessionRecord } from '../sessions/index.js'
import type { BotApi } from './bot-api.js'
import type { CardMaker, Reader } from './cards/card-builder.js'
import type { Chats } from './chats.js'
import type { KeyWish } from './incoming/button-action.js'
import type { Tokens } from './incoming/button-tokens.js'
import type { Outbox } from './outgoing/outbox.js'
import type { Queued } from './outgoing/outbox-item.js'
import type { Topics } from './topics.js'

/** What rooms beside this one know how to do; what is missing is said to be missing. */
export interface TelegramDoors {
  agents: readonly string[]
  /** Directories whose repositories are offered as projects. */
  roots: readonly string[]
  startOneshot?(wish: { task: string; project: string; agent?: string }): Promise<string>
  startPipeline?(name: string, wish: { input: unknown; project: string; person: string }): Promise<string>
  lockdown?: { begin(by: { id: string; name: string }): Promise<{ grants: number }> }
  updateAgent?(agent: string): Promise<string>
  /** Where the dashboard can be opened from elsewhere, without a slash at the end. */
  dashboard?: string
  /** What all runs of a day may cost; null where there is no limit. */
  dayUsd?: number | null
}

/** Who asks, where, and by which update. */
export interface Asker {
  person: Person
  from: number
  chat: number
  reader: Reader
  update: number
  /** Their own message, where it was one. */
  message?: number
  thread?: number
  replyTo?: number
  /** It was begun before, and nobody knows how far it got. */
  isAgain: boolean
}

export interface SayOptions {
  /** What the message is about: a reply to it means that. */
  about?: string
  keys?: readonly (readonly KeyWish[])[]
  forceReply?: boolean
  isReply?: boolean
}

/** Everything that commands and buttons need: what to ask of the host, and how to say what came of it. */
export class Desk {
  readonly host: Host
  readonly clock: Clock
  readonly api: BotApi
  readonly chats: Chats
  readonly cards: CardMaker
  readonly tokens: Tokens
  readonly outbox: Outbox
  readonly topics: Topics
  readonly doors: TelegramDoors
  readonly utcOffset: number
  /** Paths and contents may be shown in groups. */
  readonly groupDetail: boolean

  constructor(parts: {
    host: Host
    clock: Clock
    api: BotApi
    chats: Chats
    cards: CardMaker
    tokens: Tokens
    outbox: Outbox
    topics: Topics
    doors: TelegramDoors
    utcOffset: number
    groupDetail: boolean
  }) {
    this.host = parts.host
    this.clock = parts.clock
    this.api = parts.api
    this.chats = parts.chats
    this.cards = parts.cards
    this.tokens = parts.tokens
    this.outbox = parts.outbox
    this.topics = parts.topics
    this.doors = parts.doors
    this.utcOffset = parts.utcOffset
    this.groupDetail = parts.groupDetail
  }

  /** One message, with buttons for those who may press them. */
  async say(to: Asker, html: string, options: SayOptions = {}): Promise<void> {
    const { about, keys = [], forceReply = false, isReply = false } = options
    const subject = about?.startsWith('ask.') ? about : `${about ?? 'said'}/${newId('tgi')}`
    const { keyboard, appends } = this.cards.keyboard(keys, to.reader, subject)
    const item: Queued = {
      chat: to.chat,
      ...(about && /^(ses|run)_/.test(about) && { topic: about }),
      lane: 2,
      subject,
      act: {
        do: 'say',
        html,
        keyboard,
        ...(forceReply && { forceReply }),
        ...(isReply && to.message !== undefined && { replyTo: to.message }),
      },
    }
    await this.outbox.say([item], appends)
  }

  async sayFile(to: Asker, file: { name: string; text: string; caption: string }, about?: string): Promise<void> {
    const subject = `${about ?? 'said'}/${newId('tgi')}`
    const topic = about && /^(ses|run)_/.test(about) ? { topic: about } : {}
    await this.outbox.say([{ chat: to.chat, ...topic, lane: 2, subject, act: { do: 'file', ...file } }])
  }

  /** The session that words in this place are meant for: the topic's, that of the message replied to, else the chat's current one. */
  async sessionFor(to: Asker): Promise<SessionRecord | null> {
    const named =
      (to.replyTo === undefined ? null : await this.#sessionOf(await this.chats.subjectOf(to.chat, to.replyTo))) ??
      (to.thread === undefined ? null : await this.topics.subjectOf(to.chat, to.thread)) ??
      (await this.chats.get(to.chat)).current ??
      null
    return named === null ? null : this.host.record(named).catch(() => null)
  }

  /** @throws SignalboxError `E_STATE` in words for the chat */
  async need(to: Asker): Promise<SessionRecord> {
    const record = await this.sessionFor(to)
    if (record) return record
    throw new SignalboxError('E_STATE', 'No session.', { next: '/new starts one, /sessions lists those that run.' })
  }

  /** @throws SignalboxError `E_STATE` */
  live(record: SessionRecord): LiveSession {
    const live = this.host.live(record.id)
    if (live && !live.exit) return live
    throw new SignalboxError('E_STATE', `Session #${record.number} does not run any more.`, {
      next: '/new starts another one.',
    })
  }

  /** From here on plain words go there, and its answers come here. */
  async makeCurrent(chat: number, session: string | null): Promise<void> {
    const { follows = [] } = await this.chats.get(chat)
    const still = follows.filter(id => this.host.live(id) && id !== session)
    await this.chats.change(chat, { current: session, follows: session === null ? still : [...still, session] })
  }

  async #sessionOf(subject: string | null): Promise<string | null> {
    if (subject === null) return null
    const session = /^(ses_[^/.]+)/.exec(subject)?.[1]
    if (session) return session
    const approval = /^(apr_[^/]+)/.exec(subject)?.[1]
    return approval ? ((await this.host.ledger.get(approval))?.subject.session ?? null) : null
  }
}

/** Whoever owns this machine is the same person by whatever door they come. */
export function personName(person: Person): string {
  return person.role === 'owner' ? 'local' : person.id
}

/** @throws SignalboxError `E_ROLE` */
export function needRole(person: Person, role: 'approver' | 'owner'): void {
  if (person.role === 'owner' || (role === 'approver' && person.role === 'approver')) return
  throw new SignalboxError('E_ROLE', `This needs the role of ${role}.`, { next: 'Ask the owner.' })
}
