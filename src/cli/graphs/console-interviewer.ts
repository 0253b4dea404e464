import { createInterface } from 'node:readline/promises'
import { type Answer, type Interviewer, type Question, readAnswer } from '../../engine/index.js'
import { visibleText } from '../../text/index.js'
import type { CommandContext } from '../context.js'

interface Terminal {
  input: NodeJS.ReadableStream
  output: NodeJS.WritableStream
}

const PROCESS: Terminal = { input: process.stdin, output: process.stdout }

/** Asks at the terminal of the command that drives the run. Whoever answers elsewhere is faster: then the question goes away. */
export class ConsoleInterviewer implements Interviewer {
  readonly #context: CommandContext
  readonly #signal: AbortSignal
  readonly #terminal: Terminal

  constructor(context: CommandContext, signal: AbortSignal, terminal: Terminal = PROCESS) {
    this.#context = context
    this.#signal = signal
    this.#terminal = terminal
  }

  async ask(question: Question): Promise<Answer> {
    const { out, style } = this.#context
    out('')
    for (const line of question.text.split('\n')) out(`  ${style('bold', visibleText(line))}`)
    for (const { key, label } of question.options) out(`    ${style('cyan', key)}  ${visibleText(withoutKey(label))}`)
    for (;;) {
      const typed = await this.#line(`  ${hintOf(question)} > `)
      if (typed === null) throw new GateGone()
      const answer = readAnswer(question, typed)
      if (answer) return answer
      out(style('yellow', `  that is none of the answers; ${hintOf(question)}`))
    }
  }

  async inform(message: string): Promise<void> {
    this.#context.out(this.#context.style('yellow', `  ${visibleText(message)}`))
  }

  /** Null when the question is no longer open, or nobody is there any more. */
  async #line(prompt: string): Promise<string | null> {
    const reader = createInterface({ ...this.#terminal })
    // Ctrl-C is for the run, not for the question.
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
export class GateGone extends Error {}

/** The key stands before it already: `[Y] Yes` → `Yes`. */
function withoutKey(label: string): string {
  return label.trim().replace(/^(?:\[[^\]]\]\s+|\S\)\s+|\S - )/, '')
}

function hintOf({ type, takesText, options }: Question): string {
  if (type === 'MULTI_SELECT') return 'keys, with commas between them'
  if (options.length === 0) return 'your answer'
  return takesText ? 'a key, or your own words' : 'a key or a label'
}
