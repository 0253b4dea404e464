import {
  type ApprovalRecord,
  agentName,
  type ContentLine,
  contentText,
  decisionWords,
  isDenialMeaning,
  isOpen,
  requestContent,
  requestTitle,
} from '../../approvals/index.js'
import { closedReason, formatAge, optionText, plainLabel, riskWord } from '../../text/index.js'
import type { ButtonSpec, CardView } from '../incoming/button-action.js'
import { escapeHtml } from '../outgoing/split.js'
import { approvalButtons } from './approval-buttons.js'
import type { PlanChanges } from './plan-changes.js'
import { clockTime } from './times.js'

export interface CardContext {
  now: number
  /** Minutes east of UTC, for the times on cards. */
  utcOffset: number
  /** Paths and contents may be shown; in groups only where `telegram.group_detail` is on. */
  isDetailed: boolean
  project: string
  sessionName: string | null
  /** The machine of the session, if there is more than one. */
  machine: string | null
  lastPrompt: string | null
  view: CardView
  /** The whole request was shown in this chat. */
  isSeen: boolean
  /** Ticked choices of a question that takes several, or of a list of items. */
  ticked: readonly string[]
  page: number
  /** The topic of its session or run, in a chat with topics. */
  topic: { name: string; url: string | null } | null
  /** The request in the dashboard, where that can be opened from other machines. */
  link: string | null
  /** For a plan: the difference to the previous version. */
  changes: PlanChanges | null
}

interface CardText {
  html: string
  buttons: ButtonSpec[][]
  /** The card does not show the whole request. */
  isCut: boolean
}

const SHOWN_UNITS = 1500
const PROMPT_CHARACTERS = 80
const CHANGES_SHOWN = 6
const VERBS: Readonly<Record<string, string>> = {
  question: 'asks',
  plan: 'has a plan',
  review: 'has findings',
  budget: 'has used its budget',
  auth: 'must sign in',
}

/**
 * A request as one message, built from its record in the ledger and from nothing that the agent
 * says about it. It shows the same as every other surface. A text that does not fit is cut, and
 * says so; *See all* shows the rest.
 */
export function approvalCard(record: ApprovalRecord, context: CardContext): CardText {
  const { subject, risk, request } = record
  const content = context.isDetailed ? requestContent(record) : []
  const whole = contentText(content).trim()
  const isCut = whole.length > SHOWN_UNITS || record.display.isCut === true || !context.isDetailed
  const shown =
    whole.length > SHOWN_UNITS
      ? `${whole.slice(0, wholeCharacters(whole))}\n… ${whole.length} characters in total`
      : whole
  const facts = [
    context.project,
    // For a run, the title already contains it.
    subject.agent === 'signalbox' ? null : subject.agent,
    context.sessionName,
    context.machine,
    formatAge(context.now - record.requestedAt),
  ]
  const html = [
    `${MARK[risk.level]} <b>${escapeHtml(titleOf(record, context.isDetailed))}</b>`,
    escapeHtml(facts.filter(Boolean).join(' · ')),
    context.topic ? topicLine(context.topic) : '',
    shown === '' ? `<i>${context.isDetailed ? NO_DETAILS : PRIVATE_DETAILS}</i>` : contentHtml(shown, content),
    context.isDetailed && context.changes ? changeLines(context.changes) : '',
    // The reasons name paths and commands, which are details as well.
    risk.level === 'low'
      ? ''
      : `<b>${capital(riskWord(risk.level))} risk${context.isDetailed ? `:</b> ${escapeHtml(risk.reasons.join('; '))}` : '</b>'}`,
    record.state === 'pending' && record.terminalOnly && !record.source.can?.includes('hold')
      ? `<b>Only the terminal can allow it:</b> ${escapeHtml(record.terminalOnly)}`
      : '',
    context.isDetailed && record.source.mismatch
      ? `<b>The agent’s report and its screen differ:</b> ${escapeHtml(record.source.mismatch)}`
      : '',
    context.isDetailed && request.questions.length > 1
      ? escapeHtml(request.questions.map(({ text }, index) => `${index + 1}. ${text}`).join('\n'))
      : '',
    record.state === 'pending' && context.isDetailed ? escapeHtml(detailLines(request.options)) : '',
    record.state === 'pending' && record.changed && context.isDetailed
      ? `<b>Changed since you last looked:</b> ${escapeHtml(record.changed.join(', '))}`
      : '',
    record.state === 'pending' && record.repeats
      ? `<b>Asks in a loop:</b> ${record.repeats} times within 10 minutes`
      : '',
    record.deadline
      ? `Until ${clockTime(record.deadline.at, context.utcOffset)}, then: ${AFTER[record.deadline.onExpiry]}`
      : '',
    context.isDetailed && context.lastPrompt ? `<i>You asked: ${escapeHtml(short(context.lastPrompt))}</i>` : '',
    record.state === 'pending' && takesReply(record) ? `<i>${replyHint(record)}</i>` : '',
    record.state === 'pending' && context.view === 'confirm'
      ? `<b>Confirm this high-risk request</b>${context.isDetailed ? ` ${escapeHtml(risk.reasons.join('; '))}` : ''}`
      : '',
    endLine(record, context),
  ]
  const buttons = record.state === 'pending' ? approvalButtons(record, context, isCut) : []
  return { html: html.filter(Boolean).join('\n'), buttons, isCut }
}

const PRIVATE_DETAILS = 'Details are shown in a private chat only.'
const NO_DETAILS = 'The agent shows no details. Check its terminal before you decide.'

const MARK = { low: '🔹', elevated: '🔶', high: '🔺' } as const
const AFTER = {
  nothing: 'nothing happens',
  deny: 'it is denied',
  'default-edge': 'the run takes its default edge',
  fail: 'the run fails',
} as const

/** In a group the title names no file: paths are details. */
function titleOf(record: ApprovalRecord, isDetailed: boolean): string {
  const { kind, request } = record
  if (kind === 'gate') return requestTitle(record)
  if (kind === 'permission')
    return requestTitle(isDetailed ? record : { ...record, request: { tool: request.tool, input: null } })
  return `${agentName(record.subject.agent)} ${VERBS[kind] ?? 'asks'}: ${record.display.title}`
}

/** Whether a reply to the card is an answer. */
function takesReply({ request }: ApprovalRecord): boolean {
  return request.freeText !== 'none' || request.options.some(({ takes }) => takes === 'reason')
}

function replyHint({ kind }: ApprovalRecord): string {
  if (kind === 'permission') return 'Reply to this message to deny it with your reason.'
  return kind === 'plan'
    ? 'Reply to this message to reject it with feedback.'
    : 'Reply to this message to answer in your own words.'
}

function topicLine({ name, url }: { name: string; url: string | null }): string {
  return url === null ? `Topic: ${escapeHtml(name)}` : `Topic: <a href="${url}">${escapeHtml(name)}</a>`
}

/** The beginning of the difference; *Read* shows the whole plan. */
function changeLines({ added, removed }: PlanChanges): string {
  const lines = [...removed.map(line => `- ${line}`), ...added.map(line => `+ ${line}`)]
  if (lines.length === 0) return '<b>Since the last version:</b> nothing changed'
  const shown = lines.slice(0, CHANGES_SHOWN).map(line => [...line].slice(0, 120).join(''))
  const more = lines.length > CHANGES_SHOWN ? [`… ${lines.length - CHANGES_SHOWN} more lines`] : []
  return `<b>Since the last version:</b>\n<pre>${escapeHtml([...shown, ...more].join('\n'))}</pre>`
}

const ANSWERED = { allowed: '✅ Allowed', denied: '⛔ Denied', unknown: '✅ Answered' } as const

/** The outcome, as the closed card shows it. */
function endLine(record: ApprovalRecord, { utcOffset }: CardContext): string {
  const { state, decision, outcome } = record
  if (state === 'pending') return ''
  const isDenial = isDenialMeaning(decision?.tier)
  const by = decision
    ? `${decision.actor.name}, ${decision.surface}, ${clockTime(decision.at, utcOffset)}`
    : outcome?.observed
      ? 'at the terminal'
      : ''
  const what = decision
    ? `${isDenial ? '⛔' : '✅'} ${escapeHtml(decisionWords(record, decision))} — ${escapeHtml(by)}`
    : ''
  if (isOpen(record)) return `${what} · waiting for the agent to continue`
  if (outcome?.observed) {
    const isDeclined = record.kind === 'question' && outcome.observed.result === 'denied'
    return `${isDeclined ? '⛔ Declined' : ANSWERED[outcome.observed.result ?? 'unknown']} ${by}`
  }
  if (state === 'applied') return what
  if (state === 'expired') return '⌛ Expired: no decision was made in time.'
  if (state === 'cancelled') return `⌛ Cancelled: ${escapeHtml(closedReason(outcome?.reason))}`
  return `${what ? `${what} · ` : ''}⌛ ${what ? 'Not applied' : 'Closed'}: ${escapeHtml(closedReason(outcome?.reason))}`
}

/** A diff has colours in the apps that know the format. */
function contentHtml(text: string, content: readonly ContentLine[]): string {
  const isDiff = content.some(({ kind }) => kind === 'added' || kind === 'removed')
  return isDiff ? `<pre><code class="language-diff">${escapeHtml(text)}</code></pre>` : `<pre>${escapeHtml(text)}</pre>`
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

function short(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > PROMPT_CHARACTERS ? `${[...line].slice(0, PROMPT_CHARACTERS).join('')}…` : line
}

/** Where to cut without splitting a surrogate pair. */
function wholeCharacters(text: string): number {
  const code = text.charCodeAt(SHOWN_UNITS - 1)
  return code >= 0xd800 && code <= 0xdbff ? SHOWN_UNITS - 1 : SHOWN_UNITS
}

/** What the agent's menu says about its options; the buttons have only their labels. */
function detailLines(options: ApprovalRecord['request']['options']): string {
  return options
    .flatMap(({ label, detail }) => (detail === undefined ? [] : [`${plainLabel(label)}: ${optionText(detail)}`]))
    .join('\n')
}
