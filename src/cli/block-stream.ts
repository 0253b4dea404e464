import { type Block, renderAnsi } from '../screen/index.js'
import type { CommandContext } from './context.js'

/**
 * Prints an answer while it grows. Finished blocks are printed once and stay; the block that still grows is drawn again in place on a
 * terminal, and held back on a pipe until it is finished. Nothing is ever printed twice.
 */
export class BlockStream {
  readonly #context: CommandContext
  readonly #isTty: boolean
  #message: string | null = null
  #printed = 0
  #tail: string[] = []
  #isFirst = true

  constructor(context: CommandContext) {
    this.#context = context
    this.#isTty = context.isOutputTty
  }

  update(message: string, blocks: readonly Block[]): void {
    if (message !== this.#message) this.#begin(message)
    const finished = blocks.filter(block => !block.provisional)
    this.#eraseTail()
    this.#print(finished.slice(this.#printed))
    this.#printed = Math.max(this.#printed, finished.length)
    const growing = blocks.filter(block => block.provisional)
    if (this.#isTty && growing.length > 0) this.#drawTail(this.#render(growing))
  }

  /** The message is complete: what was held back or drawn provisionally is printed for good. */
  finish(message: string, blocks: readonly Block[]): void {
    this.update(message, blocks.map(block => ({ ...block, provisional: false })))
    this.#message = null
  }

  /** Removes what is only provisional, so that something else can be printed below. */
  pause(): void {
    this.#eraseTail()
  }

  #begin(message: string): void {
    this.#eraseTail()
    this.#message = message
    this.#printed = 0
  }

  #print(blocks: readonly Block[]): void {
    for (const block of blocks) {
      const lines = this.#render([block])
      if (lines.length === 0) continue
      if (!this.#isFirst) this.#context.out('')
      this.#isFirst = false
      for (const line of lines) this.#context.out(line)
    }
  }

  #render(blocks: readonly Block[]): string[] {
    return renderAnsi(blocks, { isColour: this.#isTty && !this.#context.env.NO_COLOR, width: Math.min(100, this.#context.columns - 1) })
  }

  #drawTail(lines: string[]): void {
    const rows = Math.max(4, (process.stdout.rows ?? 24) - 4)
    this.#tail = (this.#isFirst ? lines : ['', ...lines]).slice(-rows)
    this.#context.write(`${this.#tail.join('\n')}\n`)
  }

  #eraseTail(): void {
    if (this.#tail.length > 0) this.#context.write(`\u001b[${this.#tail.length}A\u001b[0J`)
    this.#tail = []
  }
}
