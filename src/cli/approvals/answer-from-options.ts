import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type ApprovalRecord, isDenialMeaning, type ProposedDecision } from '../../approvals/index.js'
import { parseInterviewAnswer, questionOf } from '../../engine/index.js'
import { SignalboxError, toSignalboxError } from '../../errors/index.js'
import { plainLabel } from '../../text/index.js'
import { findOption, plainOption } from './pick-option.js'

/** What a person typed as options of `approve`, `deny` or `answer`. */
export interface AnswerOptions {
  wants: 'allow' | 'deny' | 'answer'
  option: string | null
  choices: readonly string[]
  text: string | null
  note: string | null
  /** A file with the edited input: JSON, or the Markdown of a plan. */
  edit: string | null
}

type Option = ApprovalRecord['request']['options'][number]

type OptionOfMenu = Option & { menuLabel?: string }

/** The answer to send, and its name for the person. */
export interface ChosenAnswer extends Pick<ProposedDecision, 'option' | 'choices' | 'text' | 'editedInput'> {
  label: string
}

/**
 * @throws SignalboxError `E_INPUT`, `E_APPROVAL_OPTION` when the request does not offer such an
 * answer.
 */
export function answerFrom(record: ApprovalRecord, options: AnswerOptions, cwd: string): ChosenAnswer {
  const answer = chosen(record, options)
  if (record.kind === 'plan' && answer.option === 'reject' && !`${options.note ?? ''}${options.text ?? ''}`.trim())
    throw new SignalboxError('E_INPUT', 'denying a plan requests a new one: say what to change', {
      next: `signalbox deny ${record.id} --note "…"`,
    })
  return options.edit === null ? answer : { ...answer, editedInput: readEdit(record, resolve(cwd, options.edit)) }
}

function chosen(record: ApprovalRecord, { wants, option, choices, text }: AnswerOptions): ChosenAnswer {
  const { questions } = record.request
  const options = optionsWithMenuLabels(record)
  const withText = text === null ? {} : { text }
  const named = (key: string) => options.find(candidate => candidate.key === key)?.label ?? key
  if (choices.length > 0) {
    if (option !== null)
      throw new SignalboxError('E_INPUT', '--option and --choice exclude each other', { next: 'use one of them' })
    const picked = choices.map(choice => findOption(options, choice))
    const label = picked.map(choice => choice.label).join(' · ')
    const isOne = picked.length === 1 && questions.every(question => !question.multi)
    return isOne
      ? { option: picked[0]!.key, ...withText, label }
      : { choices: picked.map(choice => choice.key), ...withText, label }
  }
  if (option !== null) {
    // A gate is also answered by the keys of its options, several with commas between them.
    const read = wants === 'answer' && isGate(record) ? parseInterviewAnswer(questionOf(record), option) : null
    if (read && 'choices' in read) return { ...read, ...withText, label: read.choices.map(named).join(' · ') }
    if (read && 'option' in read) return { ...read, ...withText, label: named(read.option) }
    if (read && 'text' in read) return { ...read, label: 'your text' }
    const found = findOption(options, option)
    checkMeaning(record, wants, found)
    return { option: found.key, ...withText, label: found.label }
  }
  if (wants === 'answer') {
    if (text === null)
      throw new SignalboxError('E_INPUT', 'an answer needs an option, a choice or a text', {
        next: `the request offers: ${options.map(({ label }) => plainLabel(label)).join(' · ') || 'a text'}`,
      })
    return { text, label: 'your text' }
  }
  const found = plainOption(options, wants)
  return { option: found.key, ...withText, label: found.label }
}

/**
 * A request that a hook reported has labels of its own; its menu has others for the same options.
 */
function optionsWithMenuLabels({ request: { options }, screenOptions = [] }: ApprovalRecord): OptionOfMenu[] {
  return options.map(option => {
    const same = screenOptions.filter(({ meaning }) => meaning === option.meaning)
    const isClear = same.length === 1 && option.from === 'signalbox'
    return isClear ? { ...option, menuLabel: same[0]!.label } : option
  })
}

/** `deny` never allows, and `approve` never denies, whatever option is named. */
function checkMeaning({ id, request }: ApprovalRecord, wants: AnswerOptions['wants'], found: Option): void {
  const isDenial = isDenialMeaning(found.meaning)
  if (wants === 'answer' || isDenial === (wants === 'deny')) return
  const [command, does] = wants === 'deny' ? ['deny', 'does not deny'] : ['approve', 'denies']
  const fitting = request.options.filter(({ meaning }) => isDenialMeaning(meaning) === (wants === 'deny'))
  const offers = fitting.map(({ label }) => plainLabel(label)).join(' · ')
  throw new SignalboxError('E_APPROVAL_OPTION', `"${plainLabel(found.label)}" ${does}: ${command} cannot choose it`, {
    next: `${offers ? `${command} takes: ${offers}; ` : ''}signalbox answer ${id} takes every option`,
  })
}

/** A request of a run itself, which its ledger entry answers: nothing has to be delivered. */
export function isGate({ source }: ApprovalRecord): boolean {
  return source.channel === 'run'
}

function readEdit(record: ApprovalRecord, path: string): unknown {
  const isPlan = isGate(record) && record.kind === 'plan'
  if (isGate(record) && !isPlan)
    throw new SignalboxError('E_INPUT', 'of the gates of a run, only a plan can be edited', {
      next: 'leave out --edit',
    })
  try {
    const text = readFileSync(path, 'utf8')
    return isPlan ? { ...(record.request.input as object), plan_markdown: text } : (JSON.parse(text) as unknown)
  } catch (error) {
    const what = isPlan ? 'the Markdown of the plan' : 'JSON'
    throw new SignalboxError('E_INPUT', `--edit needs a file with ${what}: ${toSignalboxError(error).message}`, {
      place: { file: path },
    })
  }
}
