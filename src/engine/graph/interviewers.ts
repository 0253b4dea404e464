import type { ApprovalRecord } from '../../approvals/index.js'
import { normaliseLabel } from '../../graph/index.js'

export type QuestionType = 'YES_NO' | 'MULTIPLE_CHOICE' | 'FREEFORM' | 'CONFIRMATION' | 'MULTI_SELECT'

/** A gate as an interviewer sees it. */
export interface Question {
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

export type Answer =
  | { option: string; text?: string; editedInput?: unknown }
  | { choices: string[] }
  | { text: string }
  /** Nobody answers: the gate fails, it is not approved. */
  | { skipped: true }

/** Somebody, or something, that answers gates. */
export interface Interviewer {
  ask(question: Question): Promise<Answer>
  askMultiple?(questions: readonly Question[]): Promise<Answer[]>
  inform?(message: string, stage: string): Promise<void>
}

export function questionOf(record: ApprovalRecord, type?: string): Question {
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

function typeOf(given: string | undefined, options: Question['options'], isMulti: boolean): QuestionType {
  if (isMulti || given === 'multi') return 'MULTI_SELECT'
  if (given === 'yes_no') return 'YES_NO'
  if (given === 'confirm') return 'CONFIRMATION'
  if (given === 'freeform' || options.length === 0) return 'FREEFORM'
  return 'MULTIPLE_CHOICE'
}

/** What a person wrote, as an answer: an option by key, label or number, several with commas where several may be chosen; else text. Null: none of these. */
export function readAnswer(question: Question, typed: string): Answer | null {
  const word = typed.trim()
  if (word === '') return null
  const find = (wanted: string) =>
    question.options.find(({ key }) => key.toLowerCase() === wanted.trim().toLowerCase()) ??
    question.options.find(({ label }) => normaliseLabel(label) === normaliseLabel(wanted)) ??
    (/^\d+$/.test(wanted.trim()) ? question.options[Number(wanted) - 1] : undefined)
  if (question.type === 'MULTI_SELECT') {
    const chosen = word.split(',').map(find)
    if (chosen.every(option => option !== undefined)) return { choices: chosen.map(option => option!.key) }
  }
  const option = find(word)
  if (option) return { option: option.key }
  return question.takesText ? { text: word } : null
}

/** Approves by itself: the first option, or yes. Only where somebody said so, and on record as such. */
export class AutoApproveInterviewer implements Interviewer {
  async ask({ options, type }: Question): Promise<Answer> {
    const [first] = options
    if (!first) return { text: 'yes' }
    return type === 'MULTI_SELECT' ? { choices: [first.key] } : { option: first.key }
  }
}

/** Answers from a list, in order; when it is used up, nobody answers. */
export class QueueInterviewer implements Interviewer {
  readonly #answers: Answer[]

  constructor(answers: readonly Answer[]) {
    this.#answers = [...answers]
  }

  async ask(): Promise<Answer> {
    return this.#answers.shift() ?? { skipped: true }
  }
}

export class CallbackInterviewer implements Interviewer {
  readonly #answer: (question: Question) => Answer | Promise<Answer>

  constructor(answer: (question: Question) => Answer | Promise<Answer>) {
    this.#answer = answer
  }

  async ask(question: Question): Promise<Answer> {
    return this.#answer(question)
  }
}

/** Keeps what another one was asked and said. */
export class RecordingInterviewer implements Interviewer {
  readonly recorded: { question: Question; answer: Answer }[] = []
  readonly #inner: Interviewer

  constructor(inner: Interviewer) {
    this.#inner = inner
  }

  async ask(question: Question): Promise<Answer> {
    const answer = await this.#inner.ask(question)
    this.recorded.push({ question, answer })
    return answer
  }

  async inform(message: string, stage: string): Promise<void> {
    await this.#inner.inform?.(message, stage)
  }
}

/** One after the other, for interviewers that have no way of their own to ask several things. */
export async function askAll(interviewer: Interviewer, questions: readonly Question[]): Promise<Answer[]> {
  if (interviewer.askMultiple) return interviewer.askMultiple(questions)
  const answers: Answer[] = []
  for (const question of questions) answers.push(await interviewer.ask(question))
  return answers
}
