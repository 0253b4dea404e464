import { basename } from 'node:path'
import { type ApprovalRecord, isSuperseded } from '../../approvals/index.js'
import type { Clock } from '../../clock/index.js'
import { findRun } from '../../engine/index.js'
import { type EventData, isEvent } from '../../events/index.js'
import type { Host, KnownChat } from '../../host/index.js'
import { describeRun } from '../../runs/index.js'
import type { Block } from '../../screen/index.js'
import type { SessionRecord } from '../../sessions/index.js'
import type { StoredEvent } from '../../store/index.js'
import { costText, formatDuration, runWord } from '../../text/index.js'
import { answerActions, type Verbosity } from '../cards/answer-messages.js'
import type { CardBuilder, ChatRecipient } from '../cards/card-builder.js'
import { compactButton, contextLeft, interruptedMessage, lastLine } from '../cards/session-texts.js'
import { sessionTitle } from '../cards/session-title.js'
import type { StatusCards } from '../cards/status-cards.js'
import type { Chats } from '../chats.js'
import type { ButtonSpec } from '../incoming/button-action.js'
import type { TurnSummaries, TurnSummary } from '../turn-summaries.js'
import type { AnswerStream } from './answer-stream.js'
import type { Digest } from './digest.js'
import type { OutboxBatch } from './log-follower.js'
import type { OutboxItem } from './outbox-item.js'
import { type PersonPresence, telegramDueAt } from './presence.js'
import { escapeHtml } from './split.js'

/** The events that lead to messages. */
export const NOTIFIED_EVENTS = [
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
  'pane.noticed',
  'host.started',
  'run.undriven',
] as const

interface EventNotifierOptions {
  host: Host
  clock: Clock
  chats: Chats
  cards: CardBuilder
  digest: Digest
  status: StatusCards
  stream: AnswerStream
  turns: TurnSummaries
  files: {
    /** Files that the answer names, that were written since then, and that may be sent. */
    downloadable(record: SessionRecord, blocks: readonly Block[], since: number): Promise<string[]>
  }
  presence(): PersonPresence
  notify: NotificationKinds
  /** Groups are shown what panes ask, not only that they ask. */
  groupDetail: boolean
}

/** Which kinds of notifications people want. Answers are sent in any case. */
export interface NotificationKinds {
  needsYou: boolean
  done: boolean
  failed: boolean
}

export const ALL_NOTIFICATIONS: NotificationKinds = { needsYou: true, done: true, failed: true }
const RENAME_MS = 60_000
/** From here on an answer offers to compact the conversation. */
const NEARLY_FULL_PERCENT = 20
/** The subjects of cards about panes start with this. */
const PANE_CARD = 'pane '

interface Notice {
  kind: keyof NotificationKinds
  html: string
  buttons: ButtonSpec[][]
  /** For a session, only the chats that follow it are notified. */
  session: string | null
  topic?: string
}

/** Turns events of the log into messages, and decides which chats get them. */
export class EventNotifier {
  readonly #options: EventNotifierOptions
  /** When topics were last renamed. */
  readonly #renamedAt = new Map<string, number>()

  constructor(options: EventNotifierOptions) {
    this.#options = options
  }

  async messagesFor(events: readonly StoredEvent[]): Promise<OutboxBatch> {
    const batch: OutboxBatch = { items: [], appends: [] }
    const add = (more: OutboxBatch) => {
      batch.items.push(...more.items)
      batch.appends.push(...more.appends)
    }
    // Several events about one request lead to one message with its present state.
    const approvals = new Set(
      events.filter(({ type }) => type.startsWith('approval.')).map(({ stream }) => stream.slice('approval/'.length)),
    )
    for (const id of approvals) add(await this.#approval(id))
    const closedTurns = new Map(
      events.filter(event => isEvent(event, 'turn.closed')).map(({ data }) => [data.session, data]),
    )
    for (const [session, { outcome }] of closedTurns)
      add({ items: await this.#options.status.closed(session, outcome === 'interrupted'), appends: [] })
    for (const event of events)
      if (isEvent(event, 'turn.closed') && event.data.outcome === 'interrupted')
        add({ items: await this.#interrupted(event.data), appends: [] })
    const finals = new Map(
      events.filter(({ type }) => type === 'message.final').map(event => [String(event.data.message), event]),
    )
    for (const event of finals.values()) add(await this.#answer(event))
    const held = new Map<number, { chat: KnownChat; notices: string[] }>()
    for (const event of events) {
      add(await this.#notice(event, held))
      if (CLOSING.has(event.type)) add({ items: await this.#closedTopics(event), appends: [] })
      if (event.type === 'session.renamed') add({ items: await this.#renamedTopics(event), appends: [] })
      if (isEvent(event, 'pane.noticed')) add({ items: await this.#paneCards(event.data), appends: [] })
      // The questions of an earlier daemon are unknown to this one.
      if (event.type === 'host.started') add({ items: await this.#closedPaneCards(), appends: [] })
    }
    for (const { chat, notices } of held.values()) batch.appends.push(this.#options.digest.hold(chat, notices))
    return batch
  }

  async #approval(id: string): Promise<OutboxBatch> {
    const { host, chats, cards } = this.#options
    const record: ApprovalRecord | null = await host.ledger.get(id)
    const batch: OutboxBatch = { items: [], appends: [] }
    if (!record || isSuperseded(record) || record.decision?.actor.kind === 'grant') return batch
    const { clock, presence } = this.#options
    const now = clock.now()
    if (record.state === 'pending' && !this.#options.notify.needsYou) return batch
    const due = record.state === 'pending' ? telegramDueAt(record, presence(), now) : now
    for (const recipient of await chats.recipients()) {
      const { items, appends } = await cards.approval(record, recipient)
      batch.items.push(...(due > now ? items.map(item => ({ ...item, notBefore: due })) : items))
      batch.appends.push(...appends)
    }
    return batch
  }

  /** The card of a tmux pane that needs a person. It can only be answered in tmux. */
  async #paneCards({
    question,
    kind,
    title,
    place,
    text,
    isReminder,
  }: EventData<'pane.noticed'>): Promise<OutboxItem[]> {
    const { chats, groupDetail, notify } = this.#options
    const isOpen = kind === 'needs-you'
    if (isOpen && !notify.needsYou) return []
    return (await chats.recipients()).map(({ chat, isPrivate }) => {
      const rows = [
        `${isOpen ? '❓' : '✅'} <b>${escapeHtml(title)}</b>`,
        escapeHtml(place),
        isOpen && (isPrivate || groupDetail) ? `<i>${escapeHtml(text)}</i>` : '',
        isOpen ? 'Answer it in tmux.' : '',
      ]
      const html = rows.filter(Boolean).join('\n')
      const act = { do: 'card', html, keyboard: [], isOpen, ...(isReminder && { isBelow: true }) } as const
      return { chat, lane: 1, subject: `${PANE_CARD}${question}`, act }
    })
  }

  async #closedPaneCards(): Promise<OutboxItem[]> {
    const shown = await this.#options.chats.openCards(PANE_CARD)
    const html = 'This question was asked before Signalbox was restarted.'
    return shown.map(({ chat, subject }) => ({
      chat,
      lane: 3,
      subject,
      act: { do: 'card', html, keyboard: [], isOpen: false },
    }))
  }

  async #answer(event: StoredEvent): Promise<OutboxBatch> {
    if (!isEvent(event, 'message.final')) return { items: [], appends: [] }
    const { session, message, blocks } = event.data
    const { chats, host, stream, cards, turns } = this.#options
    stream.finished(session, message)
    const record = await host.record(session).catch(() => null)
    const title = record ? `${record.agent}-${record.number}` : 'answer'
    const batch: OutboxBatch = { items: [], appends: [] }
    const recipients = await chats.recipients()
    // The output of the agent's own command is the answer, not a detail of its work.
    const least: Verbosity = isCommandOutput(event.data, await turns.turn(session, event.data.turn)) ? 2 : 0
    const buttons = this.#compactButtons(session)
    // A chat that blocks the bot gets the answer when the block ends.
    for (const { chat, verbosity, current, hasTopics } of await chats.followers(session, { withBlocked: true })) {
      // An answer of another session than the current one names it, and has a button to switch to
      // it.
      const other = current === session || hasTopics ? null : record
      const acts = answerActions(blocks as unknown as Block[], {
        verbosity: Math.max(verbosity ?? 1, least) as Verbosity,
        title,
        mark: other && sessionTitle(other),
      })
      const use: ButtonSpec[][] =
        other && host.isRunning(session) ? [[{ text: `Use #${other.number}`, action: { do: 'current', session } }]] : []
      for (const act of acts) {
        const subject = `${message}${act.do === 'file' ? '+file' : ''}`
        const recipient = recipients.find(candidate => candidate.chat === chat)
        const made =
          act.do === 'answer' && recipient
            ? cards.keyboard([...use, ...buttons], recipient, subject)
            : { keyboard: [], appends: [] }
        const withButtons = made.keyboard.length > 0 && act.do === 'answer' ? { ...act, keyboard: made.keyboard } : act
        batch.items.push({ chat, topic: session, lane: 2, subject, act: withButtons })
        batch.appends.push(...made.appends)
      }
    }
    const downloads = record ? await this.#downloads(record, event) : { items: [], appends: [] }
    return { items: [...batch.items, ...downloads.items], appends: [...batch.appends, ...downloads.appends] }
  }

  /** A conversation that is nearly full can be compacted from the chat. */
  #compactButtons(session: string): ButtonSpec[][] {
    const live = this.#options.host.live(session)
    const button = live && compactButton(live)
    const left = live && contextLeft(live)
    return button && left !== null && left <= NEARLY_FULL_PERCENT ? [[button]] : []
  }

  /** An interrupted turn without an answer ends with a message of its own. */
  async #interrupted(event: EventData<'turn.closed'>): Promise<OutboxItem[]> {
    const { host, chats, turns } = this.#options
    const { session, turn } = event
    if ((await turns.turn(session, turn)).hasMessage) return []
    const record = await host.record(session).catch(() => null)
    if (!record) return []
    return (await chats.followers(session)).map(({ chat }) => interruptedMessage(record, turn, chat)!)
  }

  /**
   * Buttons for files that the agent says it wrote: in private chats only; a press checks the file
   * again.
   */
  async #downloads(record: SessionRecord, event: StoredEvent): Promise<OutboxBatch> {
    const { chats, cards, files, turns } = this.#options
    const batch: OutboxBatch = { items: [], appends: [] }
    const { turn, message, blocks } = event.data as { turn: string; message: string; blocks: Block[] }
    const { openedAt } = await turns.turn(record.id, turn)
    const paths = openedAt === null ? [] : await files.downloadable(record, blocks, openedAt)
    if (paths.length === 0) return batch
    const buttons = paths.map((path): ButtonSpec[] => [
      { text: `⬇ ${path}`, action: { do: 'download', session: record.id, path } },
    ])
    const followers = new Set((await chats.followers(record.id)).map(({ chat }) => chat))
    for (const recipient of await chats.recipients()) {
      if (!recipient.isPrivate || !followers.has(recipient.chat) || recipient.deciders.length === 0) continue
      const subject = `${record.id}/files.${message}`
      const { keyboard, appends } = cards.keyboard(buttons, recipient, subject)
      const html = paths.length === 1 ? 'The agent wrote a file.' : `The agent wrote ${paths.length} files.`
      batch.items.push({ chat: recipient.chat, topic: record.id, lane: 2, subject, act: { do: 'say', html, keyboard } })
      batch.appends.push(...appends)
    }
    return batch
  }

  /** A topic is closed with its session, after the last message about it. */
  async #closedTopics({ stream }: StoredEvent): Promise<OutboxItem[]> {
    const id = stream.slice(stream.indexOf('/') + 1)
    const chats = await this.#options.chats.topicsOf(id)
    return chats.map(chat => ({ chat, topic: id, lane: 3, subject: `${id}/closed`, act: { do: 'close-topic' } }))
  }

  /** A renamed session renames its topics, at most once a minute. */
  async #renamedTopics({ stream }: StoredEvent): Promise<OutboxItem[]> {
    const id = stream.slice(stream.indexOf('/') + 1)
    const now = this.#options.clock.now()
    const notBefore = Math.max(now, (this.#renamedAt.get(id) ?? 0) + RENAME_MS)
    this.#renamedAt.set(id, notBefore)
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

  async #notice(event: StoredEvent, held: Map<number, { chat: KnownChat; notices: string[] }>): Promise<OutboxBatch> {
    const batch: OutboxBatch = { items: [], appends: [] }
    const notice = await this.#noticeOf(event)
    if (!notice || !this.#options.notify[notice.kind]) return batch
    const { cards, digest, clock } = this.#options
    const subject = notice.session ? `${notice.session}/${event.version}` : `${event.stream}#${event.version}`
    for (const { recipient, chat } of await this.#audience(notice)) {
      if (digest.mustHold(chat, clock.now())) {
        const entry = held.get(chat.chat) ?? { chat, notices: [] }
        entry.notices.push(notice.html)
        held.set(chat.chat, entry)
        continue
      }
      const { keyboard, appends } = cards.keyboard(notice.buttons, recipient, subject)
      const item: OutboxItem = { chat: chat.chat, lane: 3, subject, act: { do: 'say', html: notice.html, keyboard } }
      batch.items.push(notice.topic === undefined ? item : { ...item, topic: notice.topic })
      batch.appends.push(...appends)
    }
    return batch
  }

  /**
   * A lost session and the end of a run go to every chat, other notifications to the chats that
   * follow the session.
   */
  async #audience({ session }: Notice): Promise<{ recipient: ChatRecipient; chat: KnownChat }[]> {
    const { chats } = this.#options
    const following = session === null ? null : new Set((await chats.followers(session)).map(({ chat }) => chat))
    const audience = []
    for (const recipient of await chats.recipients())
      if (following === null || following.has(recipient.chat))
        audience.push({ recipient, chat: await chats.get(recipient.chat) })
    return audience
  }

  async #noticeOf(event: StoredEvent): Promise<Notice | null> {
    const [kind, id = ''] = event.stream.split('/')
    if (kind === 'session') return this.#sessionNotice(event, id)
    return kind === 'run' ? this.#runNotice(event, id) : null
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
        buttons: [
          ...(canResume ? [[{ text: 'Resume', action: { do: 'resume-session' as const, session: id } }]] : []),
          [{ text: 'Open', action: { do: 'show-session', session: id } }],
        ],
        session: kind === 'lost' ? null : id,
        topic: id,
      }
    }
    // A crash has a notification of its own, and a person who stops a session gets a reply.
    if (!isEvent(event, 'session.ended') || event.data.exit?.code !== 0 || event.data.reason === 'stopped') return null
    const last = await lastLine(this.#options.host, record)
    const html = [title, `✅ ended after ${sessionDuration(record)}`, last && `<i>${escapeHtml(last)}</i>`]
    const open: ButtonSpec = { text: 'Open', action: { do: 'show-session', session: id } }
    const go: ButtonSpec[] =
      record.agentSessionId === undefined ? [] : [{ text: 'Continue', action: { do: 'resume-session', session: id } }]
    return { kind: 'done', html: html.filter(Boolean).join('\n'), buttons: [[open, ...go]], session: id, topic: id }
  }

  /** Runs that another run started are not reported. */
  async #runNotice(event: StoredEvent, id: string): Promise<Notice | null> {
    const { host } = this.#options
    const record = await findRun(host.store, id).catch(() => null)
    if (!record || record.parent !== null || record.status === 'cancelled') return null
    const run = await describeRun(host, record)
    const { isUndriven, why, next } = run
    // It may have been resumed in the meantime.
    if (isEvent(event, 'run.undriven') && !isUndriven) return null
    const isDone = run.status === 'completed'
    const cost = run.usage.costUsd === undefined ? [] : [costText(run.usage)]
    const time = formatDuration((run.endedAt ?? run.updatedAt) - (run.startedAt ?? run.createdAt))
    const agent = await this.#agentOf(id)
    const facts = [basename(run.project), run.kind, ...agent, runWord(run), time, ...cost]
    const open: ButtonSpec = { text: 'Open', action: { do: 'show-run', run: id } }
    const canResume = run.status === 'failed'
    const go: ButtonSpec[] = canResume ? [{ text: 'Resume', action: { do: 'run', run: id, act: 'resume' } }] : []
    return {
      kind: isDone ? 'done' : isUndriven ? 'needsYou' : 'failed',
      html: [
        `${isDone ? '✅' : isUndriven ? '⏹' : '❌'} <b>${escapeHtml(run.title)}</b>`,
        escapeHtml(facts.join(' · ')),
        why === null ? '' : escapeHtml(why.slice(0, 1000)),
        next === null || canResume ? '' : `<code>${escapeHtml(next)}</code>`,
      ]
        .filter(Boolean)
        .join('\n'),
      buttons: [[open, ...go]],
      session: null,
      topic: id,
    }
  }

  /** The agent of a run, where its input names one. */
  async #agentOf(run: string): Promise<string[]> {
    const [created] = await this.#options.host.store.readStream(`run/${run}`)
    const { agent, worker } = (created?.data.input ?? {}) as { agent?: unknown; worker?: unknown }
    return [agent ?? worker].filter(name => typeof name === 'string')
  }
}

/**
 * Whether a message is what a command of the agent itself printed (`/context`, `/cost`): the
 * message names the command, or the turn has it as its prompt. The agent has used no tool for it.
 */
function isCommandOutput(
  { blocks, command }: Pick<EventData<'message.final'>, 'blocks' | 'command'>,
  { prompt, hasToolCall }: TurnSummary,
): boolean {
  if (blocks.some(({ kind }) => kind === 'tool_call')) return false
  if (command !== undefined) return true
  return /^\/\w/u.test(prompt ?? '') && !hasToolCall
}

/** Nothing more is sent to a topic after these. A failed run may be resumed. */
const CLOSING: ReadonlySet<string> = new Set(['session.ended', 'run.completed', 'run.rejected', 'run.cancelled'])

function sessionDuration({ startedAt, endedAt = startedAt }: SessionRecord): string {
  return formatDuration(endedAt - startedAt)
}
