import type { ApprovalRecord } from '../approvals/index.js'
import { isEvent } from '../events/index.js'
import type { Host } from '../host/index.js'
import type { Block } from '../screen/index.js'
import type { StoredEvent } from '../store/index.js'
import type { Queued } from './acts.js'
import { answerActs, type Verbosity } from './answers.js'
import type { CardMaker } from './card-maker.js'
import type { Chats } from './chats.js'
import type { Words } from './follower.js'
import { escapeHtml } from './split.js'

/** Events that somebody may want to hear of. */
export const TOLD = [
  'approval.requested',
  'approval.joined',
  'approval.decided',
  'approval.applied',
  'approval.stale',
  'approval.expired',
  'approval.cancelled',
  'message.final',
  'session.noticed',
  'session.ended',
  'session.lost',
  'run.completed',
  'run.failed',
  'run.rejected',
  'run.cancelled',
] as const

export interface TellOptions {
  host: Host
  chats: Chats
  cards: CardMaker
}

/** The log in words: which chats hear what about which events. */
export class Tell {
  readonly #options: TellOptions

  constructor(options: TellOptions) {
    this.#options = options
  }

  async tell(events: readonly StoredEvent[]): Promise<Words> {
    const words: Words = { items: [], appends: [] }
    const add = (more: Words) => {
      words.items.push(...more.items)
      words.appends.push(...more.appends)
    }
    // Of several events about one request only its state now is news.
    const approvals = new Set(
      events.filter(({ type }) => type.startsWith('approval.')).map(({ stream }) => stream.slice('approval/'.length)),
    )
    for (const id of approvals) add(await this.#approval(id))
    const finals = new Map(
      events.filter(({ type }) => type === 'message.final').map(event => [String(event.data.message), event]),
    )
    for (const event of finals.values()) add({ items: await this.#answer(event), appends: [] })
    for (const event of events) add({ items: await this.#notice(event), appends: [] })
    return words
  }

  async #approval(id: string): Promise<Words> {
    const { host, chats, cards } = this.#options
    const record: ApprovalRecord | null = await host.ledger.get(id)
    const words: Words = { items: [], appends: [] }
    if (!record || record.decision?.actor.kind === 'grant') return words
    for (const reader of await chats.readers()) {
      const { items, appends } = await cards.approval(record, reader)
      words.items.push(...items)
      words.appends.push(...appends)
    }
    return words
  }

  async #answer(event: StoredEvent): Promise<Queued[]> {
    if (!isEvent(event, 'message.final')) return []
    const { session, message, blocks } = event.data
    const { chats, host } = this.#options
    const record = await host.record(session).catch(() => null)
    const title = record ? `${record.agent}-${record.number}` : 'answer'
    const items: Queued[] = []
    for (const { chat, verbosity } of await chats.followers(session)) {
      const acts = answerActs(blocks as unknown as Block[], { verbosity: (verbosity ?? 1) as Verbosity, title })
      for (const act of acts)
        items.push({ chat, topic: session, lane: 2, subject: `${message}${act.do === 'file' ? '+file' : ''}`, act })
    }
    return items
  }

  async #notice(event: StoredEvent): Promise<Queued[]> {
    const text = await this.#noticeText(event)
    if (text === null) return []
    const subject = `${event.stream}#${event.version}`
    return (await this.#options.chats.readers()).map(({ chat }) => ({
      chat,
      lane: 3 as const,
      subject,
      act: { do: 'say' as const, html: text },
    }))
  }

  async #noticeText(event: StoredEvent): Promise<string | null> {
    const { host } = this.#options
    const [kind, id = ''] = event.stream.split('/')
    if (kind === 'session' && ['session.noticed', 'session.ended', 'session.lost'].includes(event.type)) {
      const record = await host.record(id).catch(() => null)
      if (!record) return null
      const name = `${record.project.split('/').at(-1)} · ${record.agent} · #${record.number}`
      if (isEvent(event, 'session.noticed')) return `<b>${escapeHtml(name)}</b>\n${escapeHtml(event.data.text)}`
      if (event.type === 'session.lost') return null
      return `<b>${escapeHtml(name)}</b>\nended${record.exit?.code ? ` with code ${record.exit.code}` : ''}`
    }
    return null
  }
}
