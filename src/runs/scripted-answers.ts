import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { type InterviewAnswer, type InterviewQuestion, parseInterviewAnswer, questionOf } from '../engine/index.js'
import { SignalboxError } from '../errors/index.js'
import type { RunListener } from './drive-run.js'
import type { Answerer } from './run-gates.js'

/** A word as a person would type it, or the parts of an answer. */
const given = z.union([
  z.string().min(1),
  z.strictObject({ option: z.string(), text: z.string().optional() }),
  z.strictObject({ choices: z.array(z.string()) }),
  z.strictObject({ text: z.string() }),
])
type Given = z.infer<typeof given>

/** Answers in the order of the questions, or by node: one for every visit, or a list. */
const answers = z.union([z.array(given), z.record(z.string(), z.union([given, z.array(given)]))])

/** An interviewer as a module exports it: its answer may be a word. */
export interface WordInterviewer {
  ask(question: InterviewQuestion): Promise<InterviewAnswer | string> | InterviewAnswer | string
}

/**
 * An interviewer that takes its answers from a JSON file, as `signalbox export` writes them. When
 * it has none for a question, it leaves the question to people.
 * @throws SignalboxError `E_INPUT`
 */
export function answersFromFile(file: string): WordInterviewer {
  const left = parseAnswers(file)
  return {
    ask({ stage }) {
      const queue = Array.isArray(left) ? left : left[stage]
      const next = Array.isArray(queue) ? queue.shift() : queue
      if (next === undefined) throw new NoAnswerError(`${file} has no answer for the gate "${stage}"`)
      return next as Given as InterviewAnswer | string
    },
  }
}

function parseAnswers(file: string): z.infer<typeof answers> {
  try {
    return answers.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    const why = error instanceof z.ZodError ? 'it is neither a list of answers nor answers by node' : String(error)
    throw new SignalboxError('E_INPUT', `cannot read the answers in ${file}: ${why}`, {
      next: 'write ["yes", "no"] or {"approve": "yes"}',
    })
  }
}

/** The interviewer leaves the gate to people. */
class NoAnswerError extends Error {}

/**
 * Lets an interviewer that is not a person at the terminal answer the gates of a run. A gate that
 * it does not answer, or answers with something that is not an option, stays open.
 */
export function answererOf(
  interviewer: WordInterviewer,
  who: Answerer,
  note: (text: string) => void,
): NonNullable<RunListener['answerGate']> {
  return async (gates, approval) => {
    const record = await gates.get(approval)
    if (record?.state !== 'pending') return undefined
    const question = questionOf(record)
    try {
      const given = await interviewer.ask(question)
      const answer = typeof given === 'string' ? parseInterviewAnswer(question, given) : given
      if (answer === null) {
        const known = question.options.map(({ label }) => label).join(', ')
        throw new NoAnswerError(`"${String(given)}" is not an answer of the gate "${question.stage}" (${known})`)
      }
      await gates.answer(record, answer, who)
      return undefined
    } catch (error) {
      if (error instanceof SignalboxError && error.code === 'E_APPROVAL_DECIDED') return undefined
      note(`${(error as Error).message}; the gate stays open`)
      return 'gone'
    }
  }
}
