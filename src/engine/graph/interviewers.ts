import type { ApprovalRecord } from '../../approvals/index.js'
import { normaliseLabel } from '../../graph/index.js'

type QuestionType = 'YES_NO' | 'MULTIPLE_CHOICE' | 'FREEFORM' | 'CONFIRMATION' | 'MULTI_SELECT'

/** A gate as an interviewer sees it. */
export interface InterviewQuestion {
  id: string
  text: string
  type: QuestionType
  options: readonly { key: string; label: string }[]
  /** Typed text is an answer, too. */
  takesText: boolean
  /** The node that asks. */
  stage: string
  fingerprint: string
}

export type InterviewAnswer =
  | { option: string; text?: string; editedInput?: unknown }
  | { choices: string[] }
  | { text: string }
  /** Not answered: the gate fails, it is not approved. */
  | { skipped: true }

/** Answers gates. */
export interface Interviewer {
  ask(question: InterviewQuestion): Promise<InterviewAnswer>
}

export function questionOf(record: ApprovalRecord, type?: string): InterviewQuestion {
  const { request, source } = record
  const options = request.options.map(({ key, label }) => ({ key, label }))
  return {
    id: record.id,
    text: request.text ?? record.display.title,
    type: typeOf(type, options, request.questions[0]?.multi === true),
    options,
    takesText: request.freeText !== 'none',
    stage: request.tool ?? source.requestKey,
    fingerprint: record.fingerprint,
  }
}

function typeOf(given: string | undefined, options: InterviewQuestion['options'], isMulti: boolean): QuestionType {
  if (isMulti || given === 'multi') return 'MULTI_SELECT'
  if (given === 'yes_no') return 'YES_NO'
  if (given === 'confirm') return 'CONFIRMATION'
  if (given === 'freeform' || options.length === 0) return 'FREEFORM'
  return 'MULTIPLE_CHOICE'
}

/**
 * Parses what a person typed: an option by key, label or number, several separated by commas where
 * several may be chosen; else text. Null if it is none of these.
 */
export function parseInterviewAnswer(question: InterviewQuestion, typed: string): InterviewAnswer | null {
  const word = typed.trim()
  if (word === '') return null
  // Where keys are numbers, a number is a key and never a position.
  const hasNumbers = question.options.some(({ key }) => /^\d+$/.test(key))
  const find = (wanted: string) =>
    question.options.find(({ key }) => key.toLowerCase() === wanted.trim().toLowerCase()) ??
    question.options.find(({ label }) => normaliseLabel(label) === normaliseLabel(wanted)) ??
    (/^\d+$/.test(wanted.trim()) && !hasNumbers ? question.options[Number(wanted) - 1] : undefined)
  if (question.type === 'MULTI_SELECT') {
    const chosen = word.split(',').map(find)
    if (chosen.every(option => option !== undefined)) return { choices: chosen.map(option => option!.key) }
  }
  const option = find(word)
  if (option) return { option: option.key }
  return question.takesText ? { text: word } : null
}
