import type { Clock } from '../clock/index.js'
import { newId } from '../clock/index.js'
import type { RunRecord } from '../engine/index.js'
import { SignalboxError } from '../errors/index.js'
import type { Host } from '../host/index.js'
import type { Person } from '../people/index.js'
import type { SessionPort, SessionRecord } from '../sessions/index.js'
import type { BotApi } from './bot-api.js'
import type { CardBuilder, ChatRecipient } from './cards/card-builder.js'
import { sessionTitle } from './cards/session-title.js'
import type { Chats } from './chats.js'
import type { ButtonSpec } from './incoming/button-action.js'
import type { ButtonTokens } from './incoming/button-tokens.js'
import type { Outbox } from './outgoing/outbox.js'
import type { OutboxItem } from './outgoing/outbox-item.js'
import type { Topics } from './topics.js'

/** What the bot needs from other rooms. A function that is missing is reported as unavailable. */
export interface TelegramPorts {
  agents: readonly string[]
  /** Those of them that only runs can use. */
  agentsWithoutTerminal?: readonly string[]
  /** Directories whose repositories are offered as projects. */
  roots: readonly string[]
  startOneshot?(options: { task: string; project: string; agent?: string }): Promise<string>
  startPipeline?(name: string, options: { input: unknown; project: string; person: string }): Promise<string>
  resumeRun?(run: RunRecord, by: string): Promise<void>
  lockdown?: { begin(by: { id: string; name: string }): Promise<{ grants: number }> }
  updateAgent?(agent: string): Promise<string>
  /** The address of the dashboard for other machines, without a slash at the end. */
  dashboard?: string
}

/** Who sent a command, a text or a button press, where, and by which update. */
export interface Requester {
  person: Person
  from: number
  chat: number
  recipient: ChatRecipient
  update: number
  /** Their message, where it was one. */
  message?: number
  thread?: number
  replyTo?: number
  /** An earlier process started to handle this update, and it is unknown how far it got. */
  isRetry: boolean
}

interface ReplyOptions {
  /** The subject of the message: a reply to it refers to that. */
  about?: string
  buttons?: readonly (readonly ButtonSpec[])[]
  forceReply?: boolean
  isReply?: boolean
}

type Parts = Pick<
  CommandServices,
  'host' | 'clock' | 'api' | 'chats' | 'cards' | 'tokens' | 'outbox' | 'topics' | 'ports' | 'utcOffset' | 'groupDetail'
>

/** What commands, texts and buttons use: the host, the bot's parts, and replies to the chat. */
export class CommandServices {
  readonly host: Host
  readonly clock: Clock
  readonly api: BotApi
  readonly chats: Chats
  readonly cards: CardBuilder
  readonly tokens: ButtonTokens
  readonly outbox: Outbox
  readonly topics: Topics
  readonly ports: TelegramPorts
  readonly utcOffset: number
  /** Groups may see paths and contents. */
  readonly groupDetail: boolean

  constructor(parts: Parts) {
    this.host = parts.host
    this.clock = parts.clock
    this.api = parts.api
    this.chats = parts.chats
    this.cards = parts.cards
    this.tokens = parts.tokens
    this.outbox = parts.outbox
    this.topics = parts.topics
    this.ports = parts.ports
    this.utcOffset = parts.utcOffset
    this.groupDetail = parts.groupDetail
  }

  /** Sends one message, with buttons where the chat may decide. */
  async reply(to: Requester, html: string, options: ReplyOptions = {}): Promise<void> {
    const { about, buttons = [], forceReply = false, isReply = false } = options
    const subject = about?.startsWith('ask.') ? about : `${about ?? 'said'}/${newId('tgi')}`
    const { keyboard, appends } = this.cards.keyboard(buttons, to.recipient, subject)
    const item: OutboxItem = {
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
    await this.outbox.enqueue([item], appends)
  }

  async replyFile(to: Requester, file: { name: string; text: string; caption: string }, about?: string): Promise<void> {
    const subject = `${about ?? 'said'}/${newId('tgi')}`
    const topic = about && /^(ses|run)_/.test(about) ? { topic: about } : {}
    await this.outbox.enqueue([{ chat: to.chat, ...topic, lane: 2, subject, act: { do: 'file', ...file } }])
  }

  /**
   * The session that a text is for: that of the message replied to, of the topic, or the chat's
   * current one.
   */
  async sessionFor(to: Requester): Promise<SessionRecord | null> {
    const named =
      (to.replyTo === undefined ? null : await this.#sessionOf(await this.chats.subjectOf(to.chat, to.replyTo))) ??
      (to.thread === undefined ? null : await this.topics.subjectOf(to.chat, to.thread)) ??
      (await this.chats.get(to.chat)).current ??
      null
    return named === null ? null : this.host.record(named).catch(() => null)
  }

  /** @throws SignalboxError `E_STATE`, worded for the chat */
  async requireSession(to: Requester): Promise<SessionRecord> {
    const record = await this.sessionFor(to)
    if (record) return record
    throw new SignalboxError('E_STATE', 'No session is selected.', {
      next: '/sessions lists the running ones, /new starts one.',
    })
  }

  /** @throws SignalboxError `E_STATE`, worded for the chat */
  async requireLive(record: SessionRecord): Promise<SessionPort> {
    const live = await this.host.whenLive(record.id)
    if (live && !live.exit) return live
    throw new SignalboxError('E_STATE', `Session #${record.number} has ended.`, { next: '/new starts another one.' })
  }

  /** Plain text of this chat goes to this session from now on, and its answers come here. */
  async makeCurrent(chat: number, session: string | null): Promise<void> {
    const { follows = [] } = await this.chats.get(chat)
    const others = follows.filter(id => this.host.isRunning(id) && id !== session)
    await this.chats.change(chat, { current: session, follows: session === null ? others : [...others, session] })
  }

  /** `#2`, or `#2 of Bob`: every person counts their sessions from 1. */
  numberOf(record: SessionRecord, to: Requester): string {
    const isOwn = record.person === personName(to.person)
    return `#${record.number}${isOwn ? '' : ` of ${this.chats.ownerOf(record)}`}`
  }

  /** The name of a session for this person: that of another person's session says whose it is. */
  titleOf(record: SessionRecord, to: Requester): string {
    return sessionTitle(record).replace(`#${record.number}`, () => this.numberOf(record, to))
  }

  async #sessionOf(subject: string | null): Promise<string | null> {
    if (subject === null) return null
    const session = /^(ses_[^/.]+)/.exec(subject)?.[1]
    if (session) return session
    const approval = /^(apr_[^/]+)/.exec(subject)?.[1]
    return approval ? ((await this.host.ledger.get(approval))?.subject.session ?? null) : null
  }
}

/** What is wrong, and what to do next. */
export function refusalText({ message, next }: Pick<SignalboxError, 'message' | 'next'>): string {
  return next ? `${message}${/[.!?]$/u.test(message) ? ' ' : ' — '}${next}` : message
}

/** The owner is the same person on every surface. */
export function personName(person: Person): string {
  return person.role === 'owner' ? 'local' : person.id
}

/** @throws SignalboxError `E_ROLE`, worded for the chat */
export function requireRole(person: Person, role: 'approver' | 'owner'): void {
  if (person.role === 'owner' || (role === 'approver' && person.role === 'approver')) return
  throw new SignalboxError('E_ROLE', `This needs the role ${role}.`, { next: 'Ask the owner.' })
}
