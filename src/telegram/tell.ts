import { basename } from 'node:path'
import { type ApprovalRecord, isReplaced } from '../approvals/index.js'
import type { Clock } from '../clock/index.js'
import { findRun } from '../engine/index.js'
import { isEvent } from '../events/index.js'
import type { Host, KnownChat } from '../host/index.js'
import type { Block } from '../screen/index.js'
import type { SessionRecord } from '../sessions/index.js'
import type { StoredEvent } from '../store/index.js'
import { formatDuration } from '../text/index.js'
import type { Queued } from './acts.js'
import { answerActs, type Verbosity } from './answers.js'
import type { CardMaker, Reader } from './card-maker.js'
import type { Chats } from './chats.js'
import type { Digest } from './digest.js'
import type { Words } from './follower.js'
import { lastLine } from './look.js'
import { sessionTitle } from './names.js'
import { type Presence, telegramDueAt } from './presence.js'
import type { KeyWish } from './press.js'
import { escapeHtml } from './split.js'
import type { Status } from './status.js'
import type { Stream } from './stream.js'

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
  'turn.closed',
  'session.noticed',
  'session.ended',
  'session.renamed',
  'run.completed',
  'run.failed',
  'run.rejected',
  'run.cancelled',
] as const

export interface TellOptions {
  host: Host
  clock: Clock
  chats: Chats
  cards: CardMaker
  digest: Digest
  status: Status
  stream: Stream
  files: {
    /** Files that an answer names, written since then, which may be handed out. */
    offered(record: SessionRecord, blocks: readonly Block[], since: number): Promise<string[]>
  }
  presence(): Presence
  notify: NotifyWish
}

/** What somebody wants to be called for at all. Answers come in any case: they were asked for. */
export interface NotifyWish {
  needsYou: boolean
  done: boolean
  failed: boolean
}

export const NOTIFY_ALL: NotifyWish = { needsYou: true, done: true, failed: true }
const RENAME_MS = 60_000

interface Notice {
  kind: 'done' | 'failed'
  html: string
  keys: KeyWish[][]
  /** A session: then only chats that follow it are told. */
  session: string | null
  topic?: string
}

/** The log in words: which chats hear what about which events. */
export class Tell {
  readonly #options: TellOptions
  /** When topics were last named. */
  readonly #named = new Map<string, number>()

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
    const rested = new Set(events.filter(({ type }) => type === 'turn.closed').map(({ data }) => String(data.session)))
    for (const session of rested) add({ items: await this.#options.status.closed(session), appends: [] })
    const finals = new Map(
      events.filter(({ type }) => type === 'message.final').map(event => [String(event.data.message), event]),
    )
    for (const event of finals.values()) add(await this.#answer(event))
    const held = new Map<number, { chat: KnownChat; notices: string[] }>()
    for (const event of events) {
      add(await this.#notice(event, held))
      if (CLOSING.has(event.type)) add({ items: await this.#closedTopics(event), appends: [] })
      if (event.type === 'session.renamed') add({ items: await this.#namedTopics(event), appends: [] })
    }
    for (const { chat, notices } of held.values()) words.appends.push(this.#options.digest.hold(chat, notices))
    return words
  }

  async #approval(id: string): Promise<Words> {
    const { host, chats, cards } = this.#options
    const record: ApprovalRecord | null = await host.ledger.get(id)
    const words: Words = { items: [], appends: [] }
    if (!record || isReplaced(record) || record.decision?.actor.kind === 'grant') return words
    const { clock, presence } = this.#options
    const now = clock.now()
    if (record.state === 'pending' && !this.#options.notify.needsYou) return words
    const due = record.state === 'pending' ? telegramDueAt(record, presence(), now) : now
    for (const reader of await chats.readers()) {
      const { items, appends } = await cards.approval(record, reader)
      words.items.push(...(due > now ? items.map(item => ({ ...item, notBefore: due })) : items))
      words.appends.push(...appends)
    }
    return words
  }

  async #answer(event: StoredEvent): Promise<Words> {
    if (!isEvent(event, 'message.final')) return { items: [], appends: [] }
    const { session, message, blocks } = event.data
    const { chats, host, stream, cards } = this.#options
    stream.finished(session, message)
    const record = await host.record(session).catch(() => null)
    const title = record ? `${record.agent}-${record.number}` : 'answer'
    const words: Words = { items: [], appends: [] }
    const readers = await chats.readers()
    for (const { chat, verbosity, current, hasTopics } of await chats.followers(session)) {
      // Of a session that is not the current one it is said whose words these are, and how to make it that.
      const other = current === session || hasTopics ? null : record
      const acts = answerActs(blocks as unknown as Block[], {
        verbosity: (verbosity ?? 1) as Verbosity,
        title,
        mark: other && sessionTitle(other),
      })
      const use: KeyWish[][] =
        other && host.live(session) ? [[{ text: `Use #${other.number}`, press: { do: 'current', session } }]] : []
      for (const act of acts) {
        const subject = `${message}${act.do === 'file' ? '+file' : ''}`
        const reader = readers.find(candidate => candidate.chat === chat)
        const made =
          act.do === 'answer' && reader ? cards.keyboard(use, reader, subject) : { keyboard: [], appends: [] }
        const said = made.keyboard.length > 0 && act.do === 'answer' ? { ...act, keyboard: made.keyboard } : act
        words.items.push({ chat, topic: session, lane: 2, subject, act: said })
        words.appends.push(...made.appends)
      }
    }
    const downloads = record ? await this.#downloads(record, event) : { items: [], appends: [] }
    return { items: [...words.items, ...downloads.items], appends: [...words.appends, ...downloads.appends] }
  }

  /** Buttons for files that the agent says it wrote: in private chats only, and checked again when they are pressed. */
  async #downloads(record: SessionRecord, event: StoredEvent): Promise<Words> {
    const { chats, host, cards, files } = this.#options
    const words: Words = { items: [], appends: [] }
    const { turn, message, blocks } = event.data as { turn: string; message: string; blocks: Block[] }
    const events = await host.store.readStream(`session/${record.id}`)
    const opened = events.find(({ type, data }) => type === 'turn.opened' && data.turn === turn)
    const paths = opened ? await files.offered(record, blocks, opened.at) : []
    if (paths.length === 0) return words
    const keys = paths.map((path): KeyWish[] => [
      { text: `⬇ ${path}`, press: { do: 'download', session: record.id, path } },
    ])
    const followers = new Set((await chats.followers(record.id)).map(({ chat }) => chat))
    for (const reader of await chats.readers()) {
      if (!reader.isPrivate || !followers.has(reader.chat) || reader.deciders.length === 0) continue
      const subject = `${record.id}/files.${message}`
      const { keyboard, appends } = cards.keyboard(keys, reader, subject)
      const html = paths.length === 1 ? 'A file was written.' : `${paths.length} files were written.`
      words.items.push({ chat: reader.chat, topic: record.id, lane: 2, subject, act: { do: 'say', html, keyboard } })
      words.appends.push(...appends)
    }
    return words
  }

  /** With its session a topic ends, after the last words about it. */
  async #closedTopics({ stream }: StoredEvent): Promise<Queued[]> {
    const id = stream.slice(stream.indexOf('/') + 1)
    const chats = await this.#options.chats.topicsOf(id)
    return chats.map(chat => ({ chat, topic: id, lane: 3, subject: `${id}/closed`, act: { do: 'close-topic' } }))
  }

  /** A session was given another name: its topics get it too, at most once a minute. */
  async #namedTopics({ stream }: StoredEvent): Promise<Queued[]> {
    const id = stream.slice(stream.indexOf('/') + 1)
    const now = this.#options.clock.now()
    const notBefore = Math.max(now, (this.#named.get(id) ?? 0) + RENAME_MS)
    this.#named.set(id, notBefore)
    const chats = await this.#options.chats.topicsOf(id)
    return chats.map(chat => ({
      chat,
      topic: id,
      lane: 3,
      subject: `${id}/named`,
      ...(notBefore > now && { notBefore }),
      act: { do: 'name-topic' },
    }))
  }

  async #notice(event: StoredEvent, held: Map<number, { chat: KnownChat; notices: string[] }>): Promise<Words> {
    const words: Words = { items: [], appends: [] }
    const notice = await this.#noticeOf(event)
    const { cards, digest, clock, notify } = this.#options
    if (!notice || !(notice.kind === 'failed' ? notify.failed : notify.done)) return words
    const subject = notice.session ? `${notice.session}/${event.version}` : `${event.stream}#${event.version}`
    for (const { reader, chat } of await this.#audience(notice)) {
      if (digest.isToBeHeld(chat, clock.now())) {
        const entry = held.get(chat.chat) ?? { chat, notices: [] }
        entry.notices.push(notice.html)
        held.set(chat.chat, entry)
        continue
      }
      const { keyboard, appends } = cards.keyboard(notice.keys, reader, subject)
      const item: Queued = { chat: chat.chat, lane: 3, subject, act: { do: 'say', html: notice.html, keyboard } }
      words.items.push(notice.topic === undefined ? item : { ...item, topic: notice.topic })
      words.appends.push(...appends)
    }
    return words
  }

  /** A lost session and the end of a run concern everybody; what else a session has to say, those who follow it. */
  async #audience({ session }: Notice): Promise<{ reader: Reader; chat: KnownChat }[]> {
    const { chats } = this.#options
    const following = session === null ? null : new Set((await chats.followers(session)).map(({ chat }) => chat))
    const audience = []
    for (const reader of await chats.readers())
      if (following === null || following.has(reader.chat))
        audience.push({ reader, chat: await chats.get(reader.chat) })
    return audience
  }

  async #noticeOf(event: StoredEvent): Promise<Notice | null> {
    const [kind, id = ''] = event.stream.split('/')
    if (kind === 'session') return this.#sessionNotice(event, id)
    return kind === 'run' ? this.#runNotice(id) : null
  }

  async #sessionNotice(event: StoredEvent, id: string): Promise<Notice | null> {
    const record = await this.#options.host.record(id).catch(() => null)
    if (!record) return null
    const title = `<b>${escapeHtml(sessionTitle(record))}</b>`
    if (isEvent(event, 'session.noticed')) {
      const { kind, text, rows = [] } = event.data
      const canResume = (kind === 'lost' || kind === 'crash') && record.agentSessionId !== undefined
      return {
        kind: 'failed',
        html: [
          title,
          escapeHtml(text),
          rows.length > 0 ? `<pre>${escapeHtml(rows.join('\n').slice(0, 1500))}</pre>` : '',
        ]
          .filter(Boolean)
          .join('\n'),
        keys: [
          ...(canResume ? [[{ text: 'Resume', press: { do: 'resume-session' as const, session: id } }]] : []),
          [{ text: 'Open', press: { do: 'show-session', session: id } }],
        ],
        session: kind === 'lost' ? null : id,
        topic: id,
      }
    }
    // A crash has its own notice; an end that somebody asked for is told to whoever asked.
    if (!isEvent(event, 'session.ended') || event.data.exit?.code !== 0 || event.data.reason === 'stopped') return null
    const last = await lastLine(this.#options.host, record)
    const html = [title, `✅ ended after ${lasted(record)}`, last && `<i>${escapeHtml(last)}</i>`]
    const open: KeyWish = { text: 'Open', press: { do: 'show-session', session: id } }
    const go: KeyWish[] =
      record.agentSessionId === undefined ? [] : [{ text: 'Continue', press: { do: 'resume-session', session: id } }]
    return { kind: 'done', html: html.filter(Boolean).join('\n'), keys: [[open, ...go]], session: id, topic: id }
  }

  /** Runs that another run started are its own business. */
  async #runNotice(id: string): Promise<Notice | null> {
    const run = await findRun(this.#options.host.store, id).catch(() => null)
    if (!run || run.parent !== null || run.status === 'cancelled') return null
    const isDone = run.status === 'completed'
    const cost = run.usage.costUsd === undefined ? [] : [`$${run.usage.costUsd.toFixed(2)}`]
    const time = formatDuration((run.endedAt ?? run.updatedAt) - (run.startedAt ?? run.createdAt))
    const agent = await this.#agentOf(id)
    const facts = [basename(run.project), run.kind, ...agent, run.status, time, ...cost]
    const open: KeyWish = { text: 'Open', press: { do: 'show-run', run: id } }
    const go: KeyWish[] =
      isDone || run.status === 'rejected' ? [] : [{ text: 'Resume', press: { do: 'run', run: id, act: 'resume' } }]
    return {
      kind: isDone ? 'done' : 'failed',
      html: [
        `${isDone ? '✅' : '❌'} <b>${escapeHtml(run.title)}</b>`,
        escapeHtml(facts.join(' · ')),
        run.reason ? escapeHtml(run.reason.slice(0, 1000)) : '',
      ]
        .filter(Boolean)
        .join('\n'),
      keys: [[open, ...go]],
      session: null,
      topic: id,
    }
  }

  /** Which agent a run was started with, where its input says so. */
  async #agentOf(run: string): Promise<string[]> {
    const [created] = await this.#options.host.store.readStream(`run/${run}`)
    const { agent, worker } = (created?.data.input ?? {}) as { agent?: unknown; worker?: unknown }
    return [agent ?? worker].filter(name => typeof name === 'string')
  }
}

/** After these nothing more is said in a topic. A run that failed may go on. */
const CLOSING: ReadonlySet<string> = new Set(['session.ended', 'run.completed', 'run.rejected', 'run.cancelled'])

function lasted({ startedAt, endedAt = startedAt }: SessionRecord): string {
  return formatDuration(endedAt - startedAt)
}
