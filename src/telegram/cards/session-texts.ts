import type { Host } from '../../host/index.js'
import { type Block, blockWords, type Facet } from '../../screen/index.js'
import type { InterruptResult, SessionPort, SessionRecord } from '../../sessions/index.js'
import type { StoredEvent } from '../../store/index.js'
import { budgetSentence, costText, formatAge, formatDuration, sessionState, stateWord } from '../../text/index.js'
import type { ButtonSpec } from '../incoming/button-action.js'
import type { OutboxItem } from '../outgoing/outbox-item.js'
import { escapeHtml } from '../outgoing/split.js'
import { sessionTitle } from './session-title.js'
import { clockTime } from './times.js'

/** The screen as text, without blank rows at the end. */
export async function screenText(live: SessionPort): Promise<string> {
  return ((await live.currentFrame())?.lines ?? [])
    .map(({ text }) => text.trimEnd())
    .join('\n')
    .replace(/\n+$/, '')
}

/** `working · started 3 min ago`. */
export function statusOf(host: Host, record: SessionRecord, now: number): string {
  const worker = host.remote.whereIs(record)
  const since = `${formatAge(now - record.startedAt)}${worker ? ` · on ${worker.name}` : ''}`
  if (worker && worker.awaySince !== null && host.remote.has(record.id))
    return `worker away for ${formatDuration(now - worker.awaySince)} · started ${since}`
  const state = stateOf(host, record)
  const why = state === 'paused' && record.paused ? ` (${budgetSentence(record.paused)})` : ''
  return `${stateWord(state)}${why} · started ${since}`
}

function stateOf(host: Host, record: SessionRecord): ReturnType<typeof sessionState> {
  const live = host.live(record.id)
  if (!live) return sessionState({ ...record, catchingUp: host.isCatchingUp(record.id) || undefined })
  const { observation, approval, isIdle, phase } = live
  const facts = {
    ...record,
    approval: approval?.state === 'pending',
    awaiting: observation?.awaiting,
    busy: observation?.busy,
    // An agent that shows nothing of its own any more has nothing to do.
    idle: isIdle || (phase === 'dormant' && record.agent !== 'generic'),
    view: observation?.view,
  }
  return sessionState(
    facts,
    host.panes?.list().find(pane => pane.id === record.id),
  )
}

/** Times and outcome of a session: `2026-11-15 12:03 – 13:10 · 1h 7m · ended · code 0`. */
export function historyLine(record: SessionRecord, utcOffset: number): string {
  const { startedAt, endedAt, exit } = record
  const day = (at: number) => new Date(at + utcOffset * 60_000).toISOString().slice(0, 10)
  const end =
    endedAt === undefined
      ? ''
      : ` – ${day(endedAt) === day(startedAt) ? '' : `${day(endedAt)} `}${clockTime(endedAt, utcOffset)}`
  const facts = [
    `${day(startedAt)} ${clockTime(startedAt, utcOffset)}${end}`,
    endedAt === undefined ? '' : formatDuration(endedAt - startedAt),
    stateWord(sessionState(record)),
    exit ? (exit.signal ?? `code ${exit.code}`) : '',
  ]
  return `<b>${escapeHtml(sessionTitle(record))}</b>\n${escapeHtml(facts.filter(Boolean).join(' · '))}`
}

/** Empty where the agent does not report its usage. */
export function usageLine(usage: ReturnType<Host['usageOf']>): string {
  if (!usage) return ''
  const cost = usage.costUsd === undefined ? '' : `, ${costText(usage)}`
  return `${usage.input + usage.output} tokens${cost}`
}

/** The result of an interrupt. */
export function interruptText(sent: InterruptResult): string {
  if (sent.result === 'interrupted') return 'Interrupted.'
  if (sent.result === 'idle') return 'The agent is idle: there is nothing to interrupt.'
  return sent.result === 'refused' ? `Not interrupted: ${sent.detail}.` : `Perhaps interrupted: ${sent.detail}.`
}

/**
 * The message about an interrupted turn: one in each chat, whether `/esc` or the end of the turn
 * sends it first. Null without a turn.
 */
export function interruptedMessage(record: SessionRecord, turn: string | null, chat: number): OutboxItem | null {
  if (turn === null) return null
  const html = `<b>${escapeHtml(sessionTitle(record))}</b>\n${interruptText({ result: 'interrupted' })}`
  const act = { do: 'card', html, keyboard: [], isOpen: true } as const
  return { chat, topic: record.id, lane: 2, subject: `${turn}/interrupted`, act }
}

/** How much of the context is left, where the agent's screen shows it. */
export function contextLeft(live: SessionPort): number | null {
  const percent = live.observation?.facets.find(({ name }) => name === 'context')?.data.percent
  return typeof percent === 'number' ? percent : null
}

/** Sends the agent's own command; null where it has none. */
export function compactButton(live: SessionPort): ButtonSpec | null {
  const text = live.compactCommand
  return text === null
    ? null
    : { text: 'Compact now', action: { do: 'send-text', session: live.id, text, when: 'hold' } }
}

/** Other facts from the agent's screen, one line each, the context gauge first. */
export function facetLines(facets: readonly Facet[]): string[] {
  const order = (name: Facet['name']) => (name === 'context' ? 0 : 1)
  return [...facets].sort((a, b) => order(a.name) - order(b.name)).map(facetLine)
}

function facetLine({ name, data }: Facet): string {
  if (name === 'context' && typeof data.percent === 'number')
    return `Context: ${'▓'.repeat(Math.round(data.percent / 10)).padEnd(10, '░')} ${data.percent}% left`
  const title = FACETS[name]
  const values = Object.entries(data).filter(([, value]) => ['string', 'number'].includes(typeof value))
  const [only] = values
  if (!only) return title
  const text = values.length === 1 ? String(only[1]) : values.map(([key, value]) => `${value} ${key}`).join(', ')
  return `${title}: ${text}`
}

const FACETS: Readonly<Record<Facet['name'], string>> = {
  todo: 'To do',
  agents: 'Sub-agents',
  background: 'In the background',
  queued: 'Queued in the agent',
  context: 'Context',
  mode: 'Mode',
  retry: 'Retrying',
  survey: 'Survey',
  notice: 'Notice',
  scrolled: 'Scrolled up',
  statusline: 'Status line',
  update: 'Update available',
}

/** The last line of the agent's current or last answer. */
export async function lastLine(host: Host, record: SessionRecord): Promise<string> {
  const growing = host.live(record.id)?.blocks ?? []
  const answer = answersOf(await host.store.readStream(`session/${record.id}`)).at(-1)
  const blocks = (growing.length > 0 ? growing : (answer?.blocks ?? [])) as readonly Block[]
  const words = blocks.map(block => blockWords(block).join(' ')).findLast(text => text !== '') ?? ''
  return [...words].slice(0, 80).join('')
}

export interface FinalAnswer {
  message: string
  blocks: readonly unknown[]
}

/** The answers of a session in their order, each in its last version. */
export function answersOf(events: readonly StoredEvent[]): FinalAnswer[] {
  const answers = new Map<string, FinalAnswer>()
  for (const { type, data } of events)
    if (type === 'message.final')
      answers.set(String(data.message), { message: String(data.message), blocks: data.blocks as unknown[] })
  return [...answers.values()]
}
