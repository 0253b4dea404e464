import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import type { ApprovalRecord } from '../../approvals/index.js'
import {
  type InterviewAnswer,
  type Interviewer,
  type InterviewQuestion,
  parseInterviewAnswer,
  questionOf,
} from '../../engine/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { RunGates, RunListener } from '../../runs/index.js'
import { plainLabel, visibleText } from '../../text/index.js'
import { proofNote, requireDecider } from '../approvals/decider-proof.js'
import { localPerson } from '../approvals/local-person.js'
import type { CommandContext } from '../context.js'

interface Terminal {
  input: NodeJS.ReadableStream
  output: NodeJS.WritableStream
}

const PROCESS: Terminal = { input: process.stdin, output: process.stdout }

/** Answers the gates of a run at this terminal; a plan can be edited in the person's editor. */
export function gateAnswerer(context: CommandContext): NonNullable<RunListener['answerGate']> {
  let isAnnounced = false
  return async (gates, approval, signal) => {
    const interviewer = new ConsoleInterviewer(context, signal)
    try {
      const proof = isAnnounced ? null : await requireDecider(context)
      if (proof) await interviewer.inform(proofNote(proof))
      isAnnounced = true
    } catch (error) {
      if (!(error instanceof SignalboxError)) throw error
      // It is not asked here: the command returns, and the gate stays for another surface.
      const { message, next } = error
      await interviewer.inform(next === undefined ? message : `${message}; ${next}`)
      return 'gone'
    }
    try {
      let isAnswered = false
      while (!isAnswered) isAnswered = await answerOnce(gates, approval, interviewer)
    } catch (error) {
      if (!(error instanceof GateClosed)) throw error
      // Answered elsewhere, or the end of the input: then the command returns, and the gate stays.
      return signal.aborted ? undefined : 'gone'
    }
    return undefined
  }
}

/** Returns true if the gate is answered, here or elsewhere, and false if it must ask again. */
async function answerOnce(gates: RunGates, approval: string, interviewer: ConsoleInterviewer): Promise<boolean> {
  const record = await gates.get(approval)
  if (record?.state !== 'pending') return true
  const answer = await complete(interviewer, record, await interviewer.ask(questionOf(record)))
  if (answer === null) return false
  try {
    await gates.answer(record, answer, localPerson())
    return true
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error
    if (error.code === 'E_APPROVAL_DECIDED') return true
    if (error.code !== 'E_APPROVAL_OPTION') throw error
    await interviewer.inform(error.message)
    return false
  }
}

/** Asks for the feedback or edited text that an answer needs; null: ask again. */
async function complete(
  interviewer: ConsoleInterviewer,
  record: ApprovalRecord,
  answer: InterviewAnswer,
): Promise<InterviewAnswer | null> {
  const input = record.request.input as { plan_markdown?: string } | null
  if (!('option' in answer) || record.kind !== 'plan' || input?.plan_markdown === undefined) return answer
  if (answer.option === 'reject') {
    const feedback = await interviewer.ask({
      ...questionOf(record),
      text: 'What should be different?',
      options: [],
      type: 'FREEFORM',
      takesText: true,
    })
    return 'text' in feedback ? { option: 'reject', text: feedback.text! } : null
  }
  if (answer.option !== 'edit' && answer.option !== 'replace') return answer
  const edited = edit(input.plan_markdown)
  if (edited === null) {
    await interviewer.inform('nothing was changed')
    return null
  }
  return answer.option === 'edit'
    ? { option: 'approve', editedInput: { ...input, plan_markdown: edited } }
    : { option: 'replace', text: edited }
}

function edit(text: string): string | null {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-plan-'))
  const file = join(directory, 'plan.md')
  try {
    writeFileSync(file, text)
    const [program = 'vi', ...args] = (process.env.VISUAL || process.env.EDITOR || 'vi').split(' ')
    spawnSync(program, [...args, file], { stdio: 'inherit' })
    const after = readFileSync(file, 'utf8')
    return after === text || after.trim() === '' ? null : after
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Asks at the terminal that drives the run; an answer from elsewhere closes it. */
export class ConsoleInterviewer implements Interviewer {
  readonly #context: CommandContext
  readonly #signal: AbortSignal
  readonly #terminal: Terminal

  constructor(context: CommandContext, signal: AbortSignal, terminal: Terminal = PROCESS) {
    this.#context = context
    this.#signal = signal
    this.#terminal = terminal
  }

  async ask(question: InterviewQuestion): Promise<InterviewAnswer> {
    const { out, style } = this.#context
    out('')
    for (const line of question.text.split('\n')) out(`  ${style('bold', visibleText(line))}`)
    for (const { key, label } of question.options) out(`    ${style('cyan', key)}  ${plainLabel(label)}`)
    for (;;) {
      const typed = await this.#line(`  ${hintOf(question)} > `)
      if (typed === null) throw new GateClosed()
      const answer = parseInterviewAnswer(question, typed)
      if (answer) return answer
      out(style('yellow', `  that is not one of the answers; enter ${hintOf(question)}`))
    }
  }

  async inform(message: string): Promise<void> {
    this.#context.out(this.#context.style('yellow', `  ${visibleText(message)}`))
  }

  /** Null if the question was closed, or the terminal is gone. */
  async #line(prompt: string): Promise<string | null> {
    const reader = createInterface({ ...this.#terminal })
    // Ctrl-C interrupts the run, not the question.
    reader.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
    const leave = () => this.#context.out('')
    this.#signal.addEventListener('abort', leave, { once: true })
    const closed = new Promise<null>(resolve => reader.once('close', () => resolve(null)))
    try {
      return await Promise.race([reader.question(prompt, { signal: this.#signal }), closed])
    } catch {
      return null
    } finally {
      this.#signal.removeEventListener('abort', leave)
      reader.close()
    }
  }
}

/** The gate was answered elsewhere, or the terminal is gone: nothing is decided here. */
export class GateClosed extends Error {}

function hintOf({ type, takesText, options }: InterviewQuestion): string {
  if (type === 'MULTI_SELECT') return 'keys, separated by commas'
  if (options.length === 0) return 'your answer'
  return takesText ? 'a key, or your own words' : 'a key or a label'
}
