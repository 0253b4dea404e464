import { SignalboxError } from '../errors/index.js'
import { optionText } from '../text/index.js'
import type { ProposedDecision } from './decide.js'
import { isDenialMeaning } from './denial.js'
import type { ApprovalRecord } from './record.js'

/** What a decision chooses, after it was checked against what the request offers. */
export interface CheckedAnswer {
  option: string
  choices?: readonly string[]
  meaning: string
  isDenial: boolean
  isAllow: boolean
}

type Option = ApprovalRecord['request']['options'][number]
type Given = Pick<ProposedDecision, 'option' | 'choices' | 'text' | 'note' | 'editedInput'>

/**
 * Reads an answer: an option, choices, or a text, and only what the request takes. Every surface
 * decides through this function. The answer to a gate of a run is final, so a gate is stricter than
 * an agent's dialog: a word that is none of its options is not taken for a text.
 */
export function readAnswer(record: ApprovalRecord, given: Given): CheckedAnswer | SignalboxError {
  if (record.kind === 'auth')
    return refused('signing in cannot be decided here', 'attach to the session and sign in there')
  if (given.choices !== undefined && given.option !== undefined)
    return refused('an answer is an option or choices, not both', offerOf(record))
  if (given.choices !== undefined) return readChoices(record, given.choices, given)
  return given.option === undefined ? readText(record, given) : readOption(record, given.option, given)
}

function readChoices(record: ApprovalRecord, keys: readonly string[], { text }: Given): CheckedAnswer | SignalboxError {
  const { options, questions, freeText } = record.request
  const no = (message: string) => refused(message, offerOf(record))
  const chosen: Option[] = []
  for (const key of keys) {
    const option = options.find(candidate => candidate.key === key)
    if (!option) return no(`this request has no option "${key}"`)
    chosen.push(option)
  }
  if (new Set(keys).size < keys.length) return no('an option was chosen twice')
  for (const [index, question] of questions.entries()) {
    const count = chosen.filter(option => (option.question ?? 0) === index).length
    if (count > 1 && !question.multi) return no(`"${shortened(question.text)}" takes one answer, not ${count}`)
    if (count === 0 && !question.multi && text === undefined) return no(`"${question.text}" has no answer`)
  }
  if (questions.length === 0 && chosen.length > 1) return no(`this request takes one answer, not ${chosen.length}`)
  const alone = chosen.find(({ isAlone }) => isAlone)
  if (alone && chosen.length > 1) return no(`"${optionText(alone.label)}" cannot be combined with other options`)
  // "None of them" answers only a question that takes several choices.
  if (chosen.length === 0 && (isGate(record) || (questions.length === 0 && text === undefined)))
    return no('no option was chosen')
  if (isGate(record)) {
    if (text !== undefined && freeText === 'none') return no('the options of this gate do not take a text; use a note')
  }
  if (chosen.some(({ meaning }) => meaning !== 'choice'))
    return no('an option that allows or denies cannot be combined with others')
  return { option: keys[0] ?? '', choices: keys, meaning: 'choice', isDenial: false, isAllow: false }
}

function readText(record: ApprovalRecord, { text }: Given): CheckedAnswer | SignalboxError {
  const { options, freeText } = record.request
  const fields = options.filter(({ meaning }) => meaning === 'text')
  // A gate with several such options does not know which of them the text is for.
  const isTaken = freeText !== 'none' || (fields.length > 0 && !isGate(record))
  if (!isTaken) return refused('this request does not take a text without an option', offerOf(record))
  if ((text ?? '').trim() === '') return refused('the text is empty', offerOf(record))
  return { option: fields[0]?.key ?? '', meaning: 'text', isDenial: false, isAllow: false }
}

function readOption(record: ApprovalRecord, key: string, given: Given): CheckedAnswer | SignalboxError {
  const option = record.request.options.find(candidate => candidate.key === key)
  if (!option) return refused(`this request has no option "${key}"`, offerOf(record))
  const problem = textProblem(record, option, given)
  if (problem !== null) return refused(`"${optionText(option.label)}" ${problem}`, offerOf(record))
  return {
    option: option.key,
    meaning: option.meaning,
    isDenial: isDenialMeaning(option.meaning),
    isAllow: option.meaning.startsWith('allow'),
  }
}

/** What is wrong with the text of an option; null if nothing is. */
function textProblem(record: ApprovalRecord, option: Option, { text, note, editedInput }: Given): string | null {
  const { freeText } = record.request
  switch (option.takes) {
    case 'text':
      return (text ?? '').trim() === '' && editedInput === undefined ? 'needs a text' : null
    case 'reason':
      return `${text ?? ''}${note ?? ''}`.trim() === '' ? 'needs a reason' : null
    case 'count':
      return text === undefined || /^[1-9]\d{0,2}$/.test(text.trim()) ? null : 'takes a number from 1 to 999'
    case 'note':
      return null
    case undefined: {
      // The agent would wait in its text field.
      if (option.meaning === 'text' && (text ?? '').trim() === '') return 'needs a text'
      const takesText = freeText !== 'none' || (!isGate(record) && ['text', 'deny-with-text'].includes(option.meaning))
      return text === undefined || takesText ? null : 'does not take a text'
    }
  }
}

/** A question of a run itself, which its ledger entry answers. */
function isGate({ source }: ApprovalRecord): boolean {
  return source.channel === 'run'
}

const TAKES = {
  text: ' with a text',
  reason: ' with a reason',
  count: ', if wanted with a number',
  note: ', if wanted with a text',
} as const

/** Everything that the request takes, in words. */
function offerOf(record: ApprovalRecord): string {
  const { options, freeText } = record.request
  const offers = options.map(({ key, label, takes }) => {
    const shown = optionText(label)
    const named = isGate(record) ? `${key} (${shown})` : shown
    return takes ? `${named}${TAKES[takes]}` : named
  })
  return `the request offers: ${[...offers, ...(freeText === 'none' ? [] : ['a text'])].join(' · ')}`
}

function shortened(text: string): string {
  const [line = ''] = text.split('\n')
  return line.length > 100 ? `${line.slice(0, 100)}…` : line
}

function refused(message: string, next: string): SignalboxError {
  return new SignalboxError('E_APPROVAL_OPTION', message, { next })
}
