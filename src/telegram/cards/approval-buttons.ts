import { type ApprovalRecord, denyingOption, isDenialMeaning } from '../../approvals/index.js'
import type { CardFace, KeyWish, Press } from '../incoming/button-action.js'
import type { CardContext } from './approval-card.js'

const ITEMS_A_PAGE = 8

/** What can be pressed below a request that waits for its decision. */
export function approvalKeys(record: ApprovalRecord, context: CardContext, isCut: boolean): KeyWish[][] {
  const { id: approval, fingerprint, request, risk, kind } = record
  if (request.items) return itemKeys(record, context)
  if (kind !== 'permission') return questionKeys(record, context, isCut)
  const isWhole = context.isSeen || !isCut
  const keys = (face: CardFace): Press => ({ do: 'keys', approval, face, isSeen: context.isSeen })
  const decide = (option: string): Press => ({ do: 'decide', approval, fingerprint, option, isWhole })
  const once = request.options.find(({ meaning }) => meaning === 'allow-once')
  const deny = denyingOption(request.options)
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
  return isDenialMeaning(meaning) ? { style: 'danger' } : {}
}
