import type { ApprovalRecord } from '../approvals/index.js'
import type { Clock } from '../clock/index.js'
import type { Host, Person } from '../host/index.js'
import type { EventStore } from '../store/index.js'
import type { Keyboard, Queued } from './acts.js'
import { approvalCard } from './approval-card.js'
import type { Words } from './follower.js'
import type { CardFace, KeyWish } from './press.js'
import type { Tokens } from './tokens.js'

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
  utcOffset: number
  groupDetail: boolean
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
    const { html, keys } = approvalCard(record, {
      now: clock.now(),
      utcOffset,
      isDetailed: reader.isPrivate || groupDetail,
      sessionName: session ? `#${session.number}${session.label ? ` ${session.label}` : ''}` : null,
      lastPrompt: record.subject.session ? await this.#lastPrompt(record.subject.session) : null,
      ...PLAIN,
      ...look,
    })
    const { keyboard, appends } = this.keyboard(keys, reader, record.id)
    const isOpen = record.state === 'pending' || record.state === 'decided'
    const item: Queued = {
      chat: reader.chat,
      lane: 1,
      subject: record.id,
      act: { do: 'card', html, keyboard, isOpen, ...(options.isBelow && { isBelow: true }) },
    }
    return { items: [item], appends }
  }

  /** What the person asked for last in this session: it says what the request is about. */
  async #lastPrompt(session: string): Promise<string | null> {
    const events = await this.#options.store.readStream(`session/${session}`)
    const turn = events.findLast(({ type, data }) => type === 'turn.opened' && typeof data.prompt === 'string')
    return turn ? String(turn.data.prompt) : null
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
      row.map(({ text, press, style }) => {
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
