import { type ApprovalRecord, denyingOption, isDenialMeaning } from '../../approvals/index.js'
import { plainLabel } from '../../text/index.js'
import type { ButtonAction, ButtonSpec, CardView } from '../incoming/button-action.js'
import type { CardContext } from './approval-card.js'

const ITEMS_PER_PAGE = 8

/** The buttons below a request that waits for its decision. */
export function approvalButtons(record: ApprovalRecord, context: CardContext, isCut: boolean): ButtonSpec[][] {
  const { id: approval, fingerprint, request, risk, kind } = record
  if (request.items) return itemButtons(record, context)
  if (kind !== 'permission') return questionButtons(record, context, isCut)
  const isWhole = context.isSeen || !isCut
  const show = (view: CardView): ButtonAction => ({ do: 'keys', approval, view, isSeen: context.isSeen })
  const decide = (option: string): ButtonAction => ({ do: 'decide', approval, fingerprint, option, isWhole })
  const once = request.options.find(({ meaning }) => meaning === 'allow-once')
  const deny = denyingOption(request.options)
  const needsWhole = risk.level !== 'low' && !isWhole
  if (context.view === 'confirm')
    return [
      [{ text: 'Back', action: show('plain') }],
      ...(once ? [[{ text: 'Yes, allow', action: decide(once.key), style: 'success' as const }]] : []),
    ]
  if (context.view === 'more')
    return [
      ...request.options.map(({ key, label, meaning }): ButtonSpec[] => [
        { text: plainLabel(label), action: decide(key), ...styleOf(meaning) },
      ]),
      [{ text: 'Deny with reason', action: { do: 'ask-reason', approval } }],
      ...interruptButtons(record, deny),
      ...linkButtons(context),
      [{ text: 'Back', action: show('plain') }],
    ]
  const allow: ButtonSpec | null = !once
    ? null
    : needsWhole
      ? { text: 'Allow once…', action: { do: 'see-all', approval } }
      : risk.level === 'high'
        ? { text: 'Allow once…', action: show('confirm') }
        : { text: 'Allow once', action: decide(once.key), style: 'success' }
  return [
    ...(allow ? [[allow]] : []),
    [
      ...(isCut && !context.isSeen ? [{ text: 'See all', action: { do: 'see-all', approval } } as ButtonSpec] : []),
      { text: 'More…', action: show('more') },
    ],
    ...(record.repeats ? interruptButtons(record, deny) : []),
    ...(deny ? [[{ text: 'Deny', action: decide(deny.key), style: 'danger' as const }]] : []),
  ]
}

/** For an agent that would ask again. */
function interruptButtons(
  { id: approval, fingerprint, subject }: ApprovalRecord,
  deny: Option | undefined,
): ButtonSpec[][] {
  if (!deny || subject.session === undefined) return []
  const action: ButtonAction = {
    do: 'decide',
    approval,
    fingerprint,
    option: deny.key,
    isWhole: true,
    thenInterrupt: true,
  }
  return [[{ text: 'Deny and interrupt', action, style: 'danger' }]]
}

/** One option per row. Several answers or questions are ticked, then submitted. */
function questionButtons(record: ApprovalRecord, context: CardContext, isCut: boolean): ButtonSpec[][] {
  const { id: approval, fingerprint, request, kind } = record
  const { ticked, page, isSeen } = context
  const options = request.options.filter(({ meaning }) => meaning !== 'text')
  const read: ButtonSpec[][] =
    isCut && !isSeen ? [[{ text: kind === 'plan' ? 'Read' : 'See all', action: { do: 'see-all', approval } }]] : []
  const own: ButtonSpec[][] =
    request.options.some(({ meaning }) => meaning === 'text') && kind === 'question'
      ? [[{ text: 'Answer in your own words', action: { do: 'ask-answer', approval } }]]
      : []
  const isMulti = request.questions.some(({ multi }) => multi)
  if (!isMulti && request.questions.length <= 1)
    return [
      ...read,
      ...options.map(({ key, label, meaning }): ButtonSpec[] => [
        {
          text: plainLabel(label),
          // An answer that takes a text asks for it first.
          action:
            meaning === 'deny-with-text'
              ? { do: 'ask-reason', approval }
              : { do: 'decide', approval, fingerprint, option: key, isWhole: isSeen || !isCut },
          ...styleOf(meaning),
        },
      ]),
      ...own,
      ...linkButtons(context),
    ]
  // Findings of a review are ticked one by one; an option that stands for several of them is an
  // answer of its own.
  const numbers = findingsOf(record)
  const single = numbers.size > 0 ? options.filter(({ key }) => numbers.has(key)) : options
  const several = options.filter(option => !single.includes(option))
  const submitText = isMulti ? `Submit ${ticked.length} of ${single.length}` : 'Submit'
  return [
    ...read,
    ...single.slice(page * ITEMS_PER_PAGE, (page + 1) * ITEMS_PER_PAGE).map((option): ButtonSpec[] => [
      {
        text: `${tickMark(record, option, ticked)} ${optionNumber(record, option, numbers)}${plainLabel(option.label)}`,
        action: { do: 'tick', approval, ticked: chosenWith(record, ticked, option), page },
      },
    ]),
    ...pageButtons(record, single.length, ticked, page),
    ...several.map(({ key, label, meaning }): ButtonSpec[] => [
      { text: plainLabel(label), action: submit(record, [key]), ...styleOf(meaning) },
    ]),
    [{ text: submitText, action: submit(record, ticked), style: 'success' }],
    ...linkButtons(context),
  ]
}

type Option = ApprovalRecord['request']['options'][number]

/** Boxes for a question with several answers, circles for one with a single answer. */
function tickMark({ request }: ApprovalRecord, { key, question = 0 }: Option, ticked: readonly string[]): string {
  const isOn = ticked.includes(key)
  return request.questions[question]?.multi ? (isOn ? '☑' : '☐') : isOn ? '●' : '○'
}

/** The number of the finding, or of the question that the option answers. */
function optionNumber({ request }: ApprovalRecord, { key, question = 0 }: Option, findings: Set<string>): string {
  if (findings.size > 0) return `${key} `
  return request.questions.length > 1 ? `${question + 1}. ` : ''
}

/** What is ticked after a press; a question with a single answer keeps the newest. */
function chosenWith({ request }: ApprovalRecord, ticked: readonly string[], { key, question = 0 }: Option): string[] {
  if (request.questions[question]?.multi) return toggle(ticked, key)
  const alternatives = request.options.filter(option => (option.question ?? 0) === question).map(option => option.key)
  return [...ticked.filter(other => !alternatives.includes(other)), key]
}

function linkButtons({ link }: CardContext): ButtonSpec[][] {
  return link === null ? [] : [[{ text: 'Open in browser', url: link }]]
}

/** The numbers of a review's findings, as its options name them. */
function findingsOf({ kind, request }: ApprovalRecord): Set<string> {
  const items = kind === 'review' ? (request.input as { items?: unknown } | null | undefined)?.items : null
  const numbers = Array.isArray(items) ? items.map(item => (item as { number?: unknown } | null)?.number) : []
  return new Set(numbers.filter(number => typeof number === 'number').map(String))
}

/** Buttons to turn the page, where there is more than one. */
function pageButtons(
  { id: approval }: ApprovalRecord,
  count: number,
  ticked: readonly string[],
  page: number,
): ButtonSpec[][] {
  const pages = Math.max(1, Math.ceil(count / ITEMS_PER_PAGE))
  const turn = (text: string, to: number): ButtonSpec[] =>
    to >= 0 && to < pages ? [{ text, action: { do: 'tick', approval, ticked: [...ticked], page: to } }] : []
  return pages > 1 ? [[...turn('◀', page - 1), ...turn(`${page + 1}/${pages} ▶`, page + 1)]] : []
}

function itemButtons(record: ApprovalRecord, { ticked, page }: CardContext): ButtonSpec[][] {
  const { id: approval, request } = record
  const items = request.items ?? []
  const shown = items.slice(page * ITEMS_PER_PAGE, (page + 1) * ITEMS_PER_PAGE)
  const tick = (all: string[]): ButtonAction => ({ do: 'tick', approval, ticked: all, page })
  return [
    ...shown.map((item): ButtonSpec[] => [
      {
        text: `${ticked.includes(item.id) ? '☑' : '☐'} ${[item.id, item.severity, item.place ?? item.file].filter(Boolean).join(' ')}`,
        action: { do: 'tick', approval, ticked: toggle(ticked, item.id), page },
      },
    ]),
    ...pageButtons(record, items.length, ticked, page),
    [
      { text: 'All', action: tick(items.map(({ id }) => id)) },
      { text: 'Major and up', action: tick(items.filter(isMajor).map(({ id }) => id)) },
      { text: 'None', action: tick([]) },
    ],
    [{ text: `Submit ${ticked.length} of ${items.length}`, action: submit(record, ticked), style: 'success' }],
  ]
}

function toggle(ticked: readonly string[], choice: string): string[] {
  return ticked.includes(choice) ? ticked.filter(other => other !== choice) : [...ticked, choice]
}

function isMajor({ severity }: Readonly<Record<string, unknown>>): boolean {
  return severity === 'critical' || severity === 'major' || severity === 'blocker'
}

/** The button carries the set that it submits: ticks that come later do not change it. */
function submit({ id: approval, fingerprint }: ApprovalRecord, ticked: readonly string[]): ButtonAction {
  return { do: 'decide', approval, fingerprint, choices: [...ticked], isWhole: true }
}

function styleOf(meaning: string): { style?: 'success' | 'danger' } {
  if (meaning.startsWith('allow')) return { style: 'success' }
  return isDenialMeaning(meaning) ? { style: 'danger' } : {}
}
