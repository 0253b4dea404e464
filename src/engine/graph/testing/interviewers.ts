import type { Answer, Interviewer, Question } from '../interviewers.js'

/** Takes the first option, or answers yes. */
export class AutoApproveInterviewer implements Interviewer {
  async ask({ options, type }: Question): Promise<Answer> {
    const [first] = options
    if (!first) return { text: 'yes' }
    return type === 'MULTI_SELECT' ? { choices: [first.key] } : { option: first.key }
  }
}

/** Answers from a list, in order; skips when the list is empty. */
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

/** Records the questions and answers of another interviewer. */
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

/** Asks one question after the other if the interviewer has no `askMultiple`. */
export async function askAll(interviewer: Interviewer, questions: readonly Question[]): Promise<Answer[]> {
  if (interviewer.askMultiple) return interviewer.askMultiple(questions)
  const answers: Answer[] = []
  for (const question of questions) answers.push(await interviewer.ask(question))
  return answers
}
