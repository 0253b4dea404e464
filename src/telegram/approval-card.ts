import { type ApprovalRecord, displayText, isOpen } from '../approvals/index.js'
import type { PlanChanges } from './plan-changes.js'
import type { CardFace, KeyWish, Press } from './press.js'
import { escapeHtml } from './split.js'
import { ago, clockTime } from './times.js'

export interface CardContext {
  now: number
  /** Minutes east of UTC, for the times on cards. */
  utcOffset: number
  /** Paths and contents may be shown; in groups they may not, unless somebody allowed it. */
  isDetailed: boolean
  project: string
  sessionName: string | null
  lastPrompt: string | null
  face: CardFace
  /** The whole request was shown in this chat. */
  isSeen: boolean
  /** Ticked choices of a question that takes several, or of a list of items. */
  ticked: readonly string[]
  page: number
  /** Where the rest of it is said, in a chat with topics. */
  topic: { name: string; url: string | null } | null
  /** The request in the dashboard, where that can be opened from elsewhere. */
  link: string | null
  /** Of a plan: what is other than in the one before. */
  changes: PlanChanges | null
}

export interface CardText {
  html: string
  keys: KeyWish[][]
  /** Not all of the request is on the card. */
  isCut: boolean
}

const SHOWN_UNITS = 1500
const PROMPT_CHARACTERS = 80
const ITEMS_A_PAGE = 8
const CHANGES_SHOWN = 6
const VERBS: Readonly<Record<string, string>> = {
  permission: 'wants your permission',
  question: 'asks',
  plan: 'has a plan',
  gate: 'is at a gate',
  review: 'has findings',
  budget: 'has used its budget',
  auth: 'must sign in',
}

/**
 * A request as one message: built from what the ledger keeps of it and from nothing that the agent says about it. It shows the same as
 * every other surface; what does not fit is said to be missing, and *See all* has it.
 */
export function approvalCard(record: ApprovalRecord, context: CardContext): CardText {
  const { subject, risk, request } = record
  const whole = context.isDetailed ? displayText(record.display).trim() : ''
  const isCut = whole.length > SHOWN_UNITS || record.display.isCut === true || !context.isDetailed
  const shown =
    whole.length > SHOWN_UNITS
      ? `${whole.slice(0, wholeCharacters(whole))}\n… ${whole.length} characters in all`
      : whole
  const facts = [
    context.project,
    subject.agent,
    context.sessionName,
    subject.hostName,
    ago(context.now - record.requestedAt),
  ]
  const html = [
    `${MARK[risk.level]} <b>${escapeHtml(titleOf(record))}</b>`,
    escapeHtml(facts.filter(Boolean).join(' · ')),
    context.topic ? topicLine(context.topic) : '',
    shown === '' ? '<i>Details are shown in a private chat only.</i>' : `<pre>${escapeHtml(shown)}</pre>`,
    context.isDetailed && context.changes ? changeLines(context.changes) : '',
    // Reasons name paths and commands: they are details as well.
    risk.level === 'low'
      ? ''
      : `<b>${risk.level} risk${context.isDetailed ? `:</b> ${escapeHtml(risk.reasons.join('; '))}` : '</b>'}`,
    context.isDetailed && record.source.mismatch
      ? `<b>Structure and screen differ:</b> ${escapeHtml(record.source.mismatch)}`
      : '',
    context.isDetailed && request.questions.length > 1
      ? escapeHtml(request.questions.map(({ text }, index) => `${index + 1}. ${text}`).join('\n'))
      : '',
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
    record.state === 'pending' && request.freeText !== 'none' ? `<i>${replyHint(record)}</i>` : '',
    record.state === 'pending' && context.face === 'really'
      ? `<b>Really?</b>${context.isDetailed ? ` ${escapeHtml(risk.reasons.join('; '))}` : ''}`
      : '',
    endLine(record, context),
  ]
  const isAsking = record.state === 'pending'
  return { html: html.filter(Boolean).join('\n'), keys: isAsking ? keysOf(record, context, isCut) : [], isCut }
}

const MARK = { low: '🔹', elevated: '🔶', high: '🔺' } as const
const AFTER = {
  nothing: 'nothing happens',
  deny: 'it is denied',
  'default-edge': 'the run goes its default way',
  fail: 'the run fails',
} as const

function titleOf({ kind, subject, request, display }: ApprovalRecord): string {
  const who = subject.agent.charAt(0).toUpperCase() + subject.agent.slice(1)
  if (kind === 'permission') return `${who} wants to use ${request.tool}`
  return `${who} ${VERBS[kind] ?? 'asks'}: ${display.title}`
}

function replyHint({ kind }: ApprovalRecord): string {
  if (kind === 'permission') return 'Reply to this message to deny it with your reason.'
  return kind === 'plan'
    ? 'Reply to this message to reject it with feedback.'
    : 'Reply to this message to answer in your own words.'
}

function topicLine({ name, url }: { name: string; url: string | null }): string {
  return url === null ? `In the topic ${escapeHtml(name)}` : `In the topic <a href="${url}">${escapeHtml(name)}</a>`
}

/** Beginning of the difference; the whole plan is behind *Read*. */
function changeLines({ added, removed }: PlanChanges): string {
  const lines = [...removed.map(line => `- ${line}`), ...added.map(line => `+ ${line}`)]
  if (lines.length === 0) return '<b>Since the last version:</b> nothing changed'
  const shown = lines.slice(0, CHANGES_SHOWN).map(line => [...line].slice(0, 120).join(''))
  const more = lines.length > CHANGES_SHOWN ? [`… ${lines.length - CHANGES_SHOWN} lines more`] : []
  return `<b>Since the last version:</b>\n<pre>${escapeHtml([...shown, ...more].join('\n'))}</pre>`
}

/** What became of it, in the words that stay. */
function endLine(record: ApprovalRecord, { utcOffset }: CardContext): string {
  const { state, decision, outcome, request } = record
  if (state === 'pending') return ''
  const chosen = request.options.find(({ key }) => key === decision?.option)
  const isDenial =
    decision && (decision.tier === 'deny' || decision.tier === 'deny-with-text' || decision.tier === 'cancel')
  const by = decision
    ? `${decision.actor.name}, ${decision.surface}, ${clockTime(decision.at, utcOffset)}`
    : outcome?.observed
      ? 'at the terminal'
      : ''
  const what = decision
    ? `${isDenial ? '⛔' : '✅'} ${escapeHtml(chosen?.label ?? (isDenial ? 'Denied' : 'Answered'))} — ${escapeHtml(by)}`
    : ''
  if (isOpen(record)) return `${what} · being applied…`
  if (state === 'applied') return `${what || `✅ Answered ${escapeHtml(by)}`} · applied`
  if (state === 'expired') return '⌛ Nobody decided in time.'
  if (state === 'cancelled') return `⌛ Gone: ${escapeHtml(outcome?.reason ?? 'it was withdrawn')}`
  const reason = outcome?.reason === 'unconfirmed' ? 'nobody saw whether it was applied' : 'the agent moved on'
  return `${what ? `${what} · ` : ''}⌛ Gone: ${reason}`
}

function keysOf(record: ApprovalRecord, context: CardContext, isCut: boolean): KeyWish[][] {
  const { id: approval, fingerprint, request, risk, kind } = record
  if (request.items) return itemKeys(record, context)
  if (kind !== 'permission') return questionKeys(record, context, isCut)
  const isWhole = context.isSeen || !isCut
  const keys = (face: CardFace): Press => ({ do: 'keys', approval, face, isSeen: context.isSeen })
  const decide = (option: string): Press => ({ do: 'decide', approval, fingerprint, option, isWhole })
  const once = request.options.find(({ meaning }) => meaning === 'allow-once')
  const deny = request.options.find(
    ({ meaning }) => meaning === 'deny' || meaning === 'deny-with-text' || meaning === 'cancel',
  )
  const needsWhole = risk.level !== 'low' && !isWhole
  if (context.face === 'really')
    return [
      [{ text: 'Back', press: keys('plain') }],
      ...(once ? [[{ text: 'Yes, allow', press: decide(once.key), style: 'success' as const }]] : []),
    ]
  if (context.face === 'more')
    return [
      ...request.options.map(({ key, label, meaning }): KeyWish[] => [
        { text: label, press: decide(key), ...styleOf(meaning) },
      ]),
      [{ text: 'Deny with reason', press: { do: 'ask-reason', approval } }],
      ...interruptKeys(record, deny),
      ...linkKeys(context),
      [{ text: 'Back', press: keys('plain') }],
    ]
  const allow: KeyWish | null = !once
    ? null
    : needsWhole
      ? { text: 'Allow once…', press: { do: 'see-all', approval } }
      : risk.level === 'high'
        ? { text: 'Allow once…', press: keys('really') }
        : { text: 'Allow once', press: decide(once.key), style: 'success' }
  return [
    ...(allow ? [[allow]] : []),
    [
      ...(isCut && !context.isSeen ? [{ text: 'See all', press: { do: 'see-all', approval } } as KeyWish] : []),
      { text: 'More…', press: keys('more') },
    ],
    ...(record.repeats ? interruptKeys(record, deny) : []),
    ...(deny ? [[{ text: 'Deny', press: decide(deny.key), style: 'danger' as const }]] : []),
  ]
}

/** For an agent that would only ask again. */
function interruptKeys({ id: approval, fingerprint, subject }: ApprovalRecord, deny: Option | undefined): KeyWish[][] {
  if (!deny || subject.session === undefined) return []
  const press: Press = { do: 'decide', approval, fingerprint, option: deny.key, isWhole: true, thenInterrupt: true }
  return [[{ text: 'Deny and interrupt', press, style: 'danger' }]]
}

/** One option a row; where several may be chosen, or several questions are asked, they are ticked and then submitted. */
function questionKeys(record: ApprovalRecord, context: CardContext, isCut: boolean): KeyWish[][] {
  const { id: approval, fingerprint, request, kind } = record
  const { ticked, page, isSeen } = context
  const options = request.options.filter(({ meaning }) => meaning !== 'text')
  const read: KeyWish[][] =
    isCut && !isSeen ? [[{ text: kind === 'plan' ? 'Read' : 'See all', press: { do: 'see-all', approval } }]] : []
  const own: KeyWish[][] =
    request.options.some(({ meaning }) => meaning === 'text') && kind === 'question'
      ? [[{ text: 'Answer in your own words', press: { do: 'ask-answer', approval } }]]
      : []
  const isMulti = request.questions.some(({ multi }) => multi)
  if (!isMulti && request.questions.length <= 1)
    return [
      ...read,
      ...options.map(({ key, label, meaning }): KeyWish[] => [
        {
          text: label,
          // An answer that takes words asks for them first.
          press:
            meaning === 'deny-with-text'
              ? { do: 'ask-reason', approval }
              : { do: 'decide', approval, fingerprint, option: key, isWhole: isSeen || !isCut },
          ...styleOf(meaning),
        },
      ]),
      ...own,
      ...linkKeys(context),
    ]
  // Findings of a review are ticked one by one; what stands for many of them at once is an answer of its own.
  const numbers = findingsOf(record)
  const single = numbers.size > 0 ? options.filter(({ key }) => numbers.has(key)) : options
  const several = options.filter(option => !single.includes(option))
  const submitText = isMulti ? `Submit ${ticked.length} of ${single.length}` : 'Submit'
  return [
    ...read,
    ...single.slice(page * ITEMS_A_PAGE, (page + 1) * ITEMS_A_PAGE).map((option): KeyWish[] => [
      {
        text: `${tickMark(record, option, ticked)} ${optionNumber(record, option, numbers)}${option.label}`,
        press: { do: 'tick', approval, ticked: chosenWith(record, ticked, option), page },
      },
    ]),
    ...pageKeys(record, single.length, ticked, page),
    ...several.map(({ key, label, meaning }): KeyWish[] => [
      { text: label, press: submit(record, [key]), ...styleOf(meaning) },
    ]),
    [{ text: submitText, press: submit(record, ticked), style: 'success' }],
    ...linkKeys(context),
  ]
}

type Option = ApprovalRecord['request']['options'][number]

/** Boxes where several may be chosen, circles where one answers the question. */
function tickMark({ request }: ApprovalRecord, { key, question = 0 }: Option, ticked: readonly string[]): string {
  const isOn = ticked.includes(key)
  return request.questions[question]?.multi ? (isOn ? '☑' : '☐') : isOn ? '●' : '○'
}

/** Which finding it is, or which of several questions it answers. */
function optionNumber({ request }: ApprovalRecord, { key, question = 0 }: Option, findings: Set<string>): string {
  if (findings.size > 0) return `${key} `
  return request.questions.length > 1 ? `${question + 1}. ` : ''
}

/** What is ticked after a press: another answer to a question that takes one replaces the one before. */
function chosenWith({ request }: ApprovalRecord, ticked: readonly string[], { key, question = 0 }: Option): string[] {
  if (request.questions[question]?.multi) return flipped(ticked, key)
  const rivals = request.options.filter(option => (option.question ?? 0) === question).map(option => option.key)
  return [...ticked.filter(other => !rivals.includes(other)), key]
}

function linkKeys({ link }: CardContext): KeyWish[][] {
  return link === null ? [] : [[{ text: 'Open in browser', url: link }]]
}

/** Numbers of the findings that a review asks about, as its options name them. */
function findingsOf({ kind, request }: ApprovalRecord): Set<string> {
  const items = kind === 'review' ? (request.input as { items?: unknown } | null | undefined)?.items : null
  const numbers = Array.isArray(items) ? items.map(item => (item as { number?: unknown } | null)?.number) : []
  return new Set(numbers.filter(number => typeof number === 'number').map(String))
}

/** Where there is more than fits one page. */
function pageKeys(
  { id: approval }: ApprovalRecord,
  count: number,
  ticked: readonly string[],
  page: number,
): KeyWish[][] {
  const pages = Math.max(1, Math.ceil(count / ITEMS_A_PAGE))
  const turn = (text: string, to: number): KeyWish[] =>
    to >= 0 && to < pages ? [{ text, press: { do: 'tick', approval, ticked: [...ticked], page: to } }] : []
  return pages > 1 ? [[...turn('◀', page - 1), ...turn(`${page + 1}/${pages} ▶`, page + 1)]] : []
}

function itemKeys(record: ApprovalRecord, { ticked, page }: CardContext): KeyWish[][] {
  const { id: approval, request } = record
  const items = request.items ?? []
  const shown = items.slice(page * ITEMS_A_PAGE, (page + 1) * ITEMS_A_PAGE)
  const tick = (all: string[]): Press => ({ do: 'tick', approval, ticked: all, page })
  return [
    ...shown.map((item): KeyWish[] => [
      {
        text: `${ticked.includes(item.id) ? '☑' : '☐'} ${[item.id, item.severity, item.place ?? item.file].filter(Boolean).join(' ')}`,
        press: { do: 'tick', approval, ticked: flipped(ticked, item.id), page },
      },
    ]),
    ...pageKeys(record, items.length, ticked, page),
    [
      { text: 'All', press: tick(items.map(({ id }) => id)) },
      { text: 'Major and up', press: tick(items.filter(isMajor).map(({ id }) => id)) },
      { text: 'None', press: tick([]) },
    ],
    [{ text: `Submit ${ticked.length} of ${items.length}`, press: submit(record, ticked), style: 'success' }],
  ]
}

function flipped(ticked: readonly string[], choice: string): string[] {
  return ticked.includes(choice) ? ticked.filter(other => other !== choice) : [...ticked, choice]
}

function isMajor({ severity }: Readonly<Record<string, unknown>>): boolean {
  return severity === 'critical' || severity === 'major' || severity === 'blocker'
}

/** The set it names is part of the press: what is ticked later does not change what this button submits. */
function submit({ id: approval, fingerprint }: ApprovalRecord, ticked: readonly string[]): Press {
  return { do: 'decide', approval, fingerprint, choices: [...ticked], isWhole: true }
}

function styleOf(meaning: string): { style?: 'success' | 'danger' } {
  if (meaning.startsWith('allow')) return { style: 'success' }
  return meaning.startsWith('deny') || meaning === 'cancel' ? { style: 'danger' } : {}
}

function short(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > PROMPT_CHARACTERS ? `${[...line].slice(0, PROMPT_CHARACTERS).join('')}…` : line
}

/** Never half a character at the cut. */
function wholeCharacters(text: string): number {
  const code = text.charCodeAt(SHOWN_UNITS - 1)
  return code >= 0xd800 && code <= 0xdbff ? SHOWN_UNITS - 1 : SHOWN_UNITS
}
