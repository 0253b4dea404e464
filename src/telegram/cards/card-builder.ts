import { hostname } from 'node:os'
import { basename } from 'node:path'
import { type ApprovalRecord, displayText } from '../../approvals/index.js'
import type { Clock } from '../../clock/index.js'
import { getRun } from '../../engine/index.js'
import type { Host } from '../../host/index.js'
import type { Person } from '../../people/index.js'
import type { EventStore } from '../../store/index.js'
import type { ButtonSpec, CardView } from '../incoming/button-action.js'
import type { ButtonTokens } from '../incoming/button-tokens.js'
import type { OutboxBatch } from '../outgoing/log-follower.js'
import type { InlineKeyboard, OutboxItem } from '../outgoing/outbox-item.js'
import type { Topics } from '../topics.js'
import type { TurnSummaries } from '../turn-summaries.js'
import { approvalCard } from './approval-card.js'
import { type PlanChanges, planChanges } from './plan-changes.js'

/** A chat that gets messages, and the accounts in it that may decide. */
export interface ChatRecipient {
  chat: number
  isPrivate: boolean
  /** Accounts that may press buttons here; none in a chat of viewers. */
  deciders: readonly number[]
}

interface CardBuilderOptions {
  host: Host
  store: EventStore
  clock: Clock
  tokens: ButtonTokens
  topics: Topics
  turns: TurnSummaries
  utcOffset: number
  groupDetail: boolean
  /** The address of the dashboard for other machines; null where it has none. */
  dashboard: string | null
}

/** What the buttons of a card have changed about it. */
interface CardState {
  view: CardView
  isSeen: boolean
  ticked: readonly string[]
  page: number
}

const INITIAL_STATE: CardState = { view: 'plain', isSeen: false, ticked: [], page: 0 }

/** Builds the outbox items of cards: text, buttons with their tokens, and the place in the chat. */
export class CardBuilder {
  readonly #options: CardBuilderOptions

  constructor(options: CardBuilderOptions) {
    this.#options = options
  }

  /** The card of a request in one chat, in its present state. */
  async approval(
    record: ApprovalRecord,
    recipient: ChatRecipient,
    state: Partial<CardState> = {},
    options: { /** As a new message below the last one. */ isBelow?: boolean } = {},
  ): Promise<OutboxBatch> {
    const { host, clock, utcOffset, groupDetail } = this.#options
    const session = record.subject.session ? await host.record(record.subject.session).catch(() => null) : null
    const { subject } = record
    const { html, buttons } = approvalCard(record, {
      now: clock.now(),
      utcOffset,
      isDetailed: recipient.isPrivate || groupDetail,
      project: await this.#projectOf(record),
      sessionName: session
        ? `#${session.number}${session.label ? ` ${session.label}` : ''}`
        : ((await this.#runOf(record))?.title ?? null),
      // Named only where it is not this one: most people have one machine.
      machine: subject.hostName === hostname() ? null : subject.hostName,
      // It says what the request is about.
      lastPrompt: subject.session ? await this.#options.turns.lastPrompt(subject.session) : null,
      topic: await this.#options.topics.linkTo(recipient.chat, subject.session ?? subject.run ?? ''),
      link: this.#options.dashboard === null ? null : `${this.#options.dashboard}/approvals/${record.id}`,
      changes: record.kind === 'plan' ? await this.#changesOf(record) : null,
      ...INITIAL_STATE,
      ...state,
    })
    const { keyboard, appends } = this.keyboard(buttons, recipient, record.id)
    const isOpen = record.state === 'pending' || record.state === 'decided'
    const item: OutboxItem = {
      chat: recipient.chat,
      lane: 1,
      subject: await this.subjectOf(record),
      act: { do: 'card', html, keyboard, isOpen, ...(options.isBelow && { isBelow: true }) },
    }
    return { items: [item], appends }
  }

  /** A request that supersedes another one keeps the card of the first. */
  async subjectOf({ id, follows }: ApprovalRecord): Promise<string> {
    const before = follows === undefined ? null : await this.#options.host.ledger.get(follows)
    return before?.outcome?.followedBy === id ? this.subjectOf(before) : id
  }

  /** A run works in a copy of its project; the card names the project itself. */
  async #projectOf(record: ApprovalRecord): Promise<string> {
    const path = (await this.#runOf(record))?.project ?? record.subject.project
    return basename(path) || path
  }

  async #runOf({ subject }: ApprovalRecord) {
    return subject.run === undefined ? null : getRun(this.#options.store, subject.run).catch(() => null)
  }

  /** The difference to the previous version of the plan. */
  async #changesOf({ id, subject, requestedAt, display }: ApprovalRecord): Promise<PlanChanges | null> {
    if (subject.run === undefined) return null
    const earlier = (await this.#options.host.ledger.list({ isOpenOnly: false })).findLast(
      other =>
        other.kind === 'plan' &&
        other.subject.run === subject.run &&
        other.id !== id &&
        other.requestedAt <= requestedAt,
    )
    return earlier ? planChanges(displayText(earlier.display), displayText(display)) : null
  }

  /** Buttons with their tokens, which must be written in the same transaction. */
  keyboard(
    rows: readonly (readonly ButtonSpec[])[],
    recipient: ChatRecipient,
    subject: string,
  ): Pick<OutboxBatch, 'appends'> & { keyboard: InlineKeyboard } {
    const appends: OutboxBatch['appends'] = []
    // A chat in which no account may decide gets no buttons.
    if (recipient.deciders.length === 0) return { keyboard: [], appends }
    const keyboard = rows.map(row =>
      row.map(spec => {
        if ('url' in spec) return spec
        const { text, action, style } = spec
        const { data, append } = this.#options.tokens.make({
          chat: recipient.chat,
          subject,
          act: { ...action },
          people: recipient.deciders,
        })
        appends.push(append)
        return { text, data, ...(style && { style }) }
      }),
    )
    return { keyboard, appends }
  }
}

export function mayDecide({ role }: Person): boolean {
  return role !== 'viewer'
}
