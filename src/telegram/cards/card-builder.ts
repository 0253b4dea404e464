import { basename } from 'node:path'
import { type ApprovalRecord, displayText } from '../../approvals/index.js'
import type { Clock } from '../../clock/index.js'
import { getRun } from '../../engine/index.js'
import type { Host } from '../../host/index.js'
import type { Person } from '../../people/index.js'
import { turnPrompts } from '../../sessions/index.js'
import type { EventStore } from '../../store/index.js'
import type { CardFace, KeyWish } from '../incoming/button-action.js'
import type { Tokens } from '../incoming/button-tokens.js'
import type { Words } from '../outgoing/log-follower.js'
import type { Keyboard, Queued } from '../outgoing/outbox-item.js'
import type { Topics } from '../topics.js'
import { approvalCard } from './approval-card.js'
import { type PlanChanges, planChanges } from './plan-changes.js'

/** A chat, and who reads in it. */
export interface Reader {
  chat: number
  isPrivate: boolean
  /** Accounts that may press here; none in a chat of viewers. */
  deciders: readonly number[]
}

export interface CardMakerOptions {
  host: Host
  store: EventStore
  clock: Clock
  tokens: Tokens
  topics: Topics
  utcOffset: number
  groupDetail: boolean
  /** Where the dashboard can be opened from elsewhere; null where it cannot. */
  dashboard: string | null
}

export interface Look {
  face: CardFace
  isSeen: boolean
  ticked: readonly string[]
  page: number
}

const PLAIN: Look = { face: 'plain', isSeen: false, ticked: [], page: 0 }

/** Cards with their buttons: the text is made elsewhere, here it gets tokens and a place. */
export class CardMaker {
  readonly #options: CardMakerOptions

  constructor(options: CardMakerOptions) {
    this.#options = options
  }

  /** The card of a request for one chat, as it is to look now. */
  async approval(
    record: ApprovalRecord,
    reader: Reader,
    look: Partial<Look> = {},
    options: { /** As a new message under what was just sent. */ isBelow?: boolean } = {},
  ): Promise<Words> {
    const { host, clock, utcOffset, groupDetail } = this.#options
    const session = record.subject.session ? await host.record(record.subject.session).catch(() => null) : null
    const { subject } = record
    const { html, keys } = approvalCard(record, {
      now: clock.now(),
      utcOffset,
      isDetailed: reader.isPrivate || groupDetail,
      project: await this.#projectOf(record),
      sessionName: session ? `#${session.number}${session.label ? ` ${session.label}` : ''}` : null,
      lastPrompt: subject.session ? await this.#lastPrompt(subject.session) : null,
      topic: await this.#options.topics.linkTo(reader.chat, subject.session ?? subject.run ?? ''),
      link: this.#options.dashboard === null ? null : `${this.#options.dashboard}/approvals/${record.id}`,
      changes: record.kind === 'plan' ? await this.#changesOf(record) : null,
      ...PLAIN,
      ...look,
    })
    const { keyboard, appends } = this.keyboard(keys, reader, record.id)
    const isOpen = record.state === 'pending' || record.state === 'decided'
    const item: Queued = {
      chat: reader.chat,
      lane: 1,
      subject: await this.subjectOf(record),
      act: { do: 'card', html, keyboard, isOpen, ...(options.isBelow && { isBelow: true }) },
    }
    return { items: [item], appends }
  }

  /** One request has one card, also when it is known better by now: the card of what it stands in the place of is its own. */
  async subjectOf({ id, follows }: ApprovalRecord): Promise<string> {
    const before = follows === undefined ? null : await this.#options.host.ledger.get(follows)
    return before?.outcome?.followedBy === id ? this.subjectOf(before) : id
  }

  /** A run works in a copy of its project: it is called by the project's own name. */
  async #projectOf({ subject }: ApprovalRecord): Promise<string> {
    const run = subject.run === undefined ? null : await getRun(this.#options.store, subject.run).catch(() => null)
    const path = run?.project ?? subject.project
    return basename(path) || path
  }

  /** What is other than in the plan that this one replaces. */
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

  /** What the person asked for last in this session: it says what the request is about. */
  async #lastPrompt(session: string): Promise<string | null> {
    const events = await this.#options.store.readStream(`session/${session}`)
    return turnPrompts(events).at(-1)?.prompt ?? null
  }

  /** Buttons from wishes, and the tokens that must be written with them. */
  keyboard(
    rows: readonly (readonly KeyWish[])[],
    reader: Reader,
    subject: string,
  ): Pick<Words, 'appends'> & { keyboard: Keyboard } {
    const appends: Words['appends'] = []
    // Who may not press gets no buttons.
    if (reader.deciders.length === 0) return { keyboard: [], appends }
    const keyboard = rows.map(row =>
      row.map(wish => {
        if ('url' in wish) return wish
        const { text, press, style } = wish
        const { data, append } = this.#options.tokens.make({
          chat: reader.chat,
          subject,
          act: { ...press },
          people: reader.deciders,
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
