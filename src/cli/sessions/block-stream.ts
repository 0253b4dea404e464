import { type Block, renderAnsi } from '../../screen/index.js'
import { displayWidth, stripAnsi } from '../../text/index.js'
import type { CommandContext } from '../context.js'

/**
 * Prints an answer. On a terminal it is printed while it grows: finished blocks once, the growing
 * part redrawn in place. The block before the growing one is not finished either: half a row of
 * code reads as prose until its colours arrive, and then joins the code above it. If a printed
 * block changes anyway, the final answer prints it again instead of leaving it wrong.
 *
 * A pipe gets every message once, when it is final: the agent's own record may correct what its
 * screen showed, and what a program has read cannot be withdrawn.
 */
export class BlockStream {
  readonly #context: CommandContext
  readonly #isTty: boolean
  #message: string | null = null
  #printed: string[] = []
  #tailRows = 0
  #isFirst = true
  /** On a pipe: the finished blocks of the open message. */
  #withheld: readonly Block[] = []
  /** Completely printed messages; late or repeated updates are ignored. */
  readonly #finished = new Set<string>()

  constructor(context: CommandContext) {
    this.#context = context
    this.#isTty = context.isOutputTty
  }

  update(message: string, blocks: readonly Block[]): void {
    if (this.#finished.has(message)) return
    if (message !== this.#message) this.#startMessage(message)
    const growing = blocks.findIndex(block => block.provisional)
    const finished = growing < 0 ? blocks.length : Math.max(0, growing - 1)
    if (!this.#isTty) {
      this.#withheld = blocks.slice(0, finished)
      return
    }
    this.#eraseTail()
    this.#print(blocks.slice(this.#printed.length, finished))
    const rest = blocks.slice(this.#printed.length)
    if (rest.length > 0) this.#drawTail(this.#render(rest))
  }

  /** The message is complete: prints the rest. */
  finish(message: string, blocks: readonly Block[]): void {
    if (this.#finished.has(message)) return
    if (message !== this.#message) this.#startMessage(message)
    this.#eraseTail()
    this.#print(blocks.slice(this.#countPrinted(blocks)))
    this.#finished.add(message)
    this.#message = null
    this.#withheld = []
  }

  /** Nothing more is awaited: what is finished of a message that is still open is printed. */
  end(): void {
    this.#eraseTail()
    this.#print(this.#withheld)
    this.#withheld = []
  }

  /** How many final blocks are printed, by words: transcripts split them differently. */
  #countPrinted(blocks: readonly Block[]): number {
    const printed = this.#printed.flatMap(wordsOf)
    let at = 0
    for (const [index, block] of blocks.entries()) {
      if (at >= printed.length) return index
      const words = wordsOf(this.#render([block]).join('\n'))
      if (words.some((word, offset) => printed[at + offset] !== word)) return index
      at += words.length
    }
    return blocks.length
  }

  /** Erases the growing part, so that something else can be printed. */
  pause(): void {
    this.#eraseTail()
  }

  #startMessage(message: string): void {
    this.#eraseTail()
    this.#message = message
    this.#printed = []
    this.#withheld = []
  }

  #print(blocks: readonly Block[]): void {
    for (const block of blocks) {
      const lines = this.#render([block])
      this.#printed.push(lines.join('\n'))
      if (lines.length === 0) continue
      if (!this.#isFirst) this.#context.out('')
      this.#isFirst = false
      for (const line of lines) this.#context.out(line)
    }
  }

  #render(blocks: readonly Block[]): string[] {
    return renderAnsi(blocks, {
      isColour: this.#isTty && !this.#context.env.NO_COLOR,
      width: Math.min(100, this.#context.columns - 1),
    })
  }

  #drawTail(lines: string[]): void {
    const room = Math.max(4, (process.stdout.rows ?? 24) - 4)
    const tail = this.#isFirst ? lines : ['', ...lines]
    let first = tail.length
    // Only what fits on the screen can be erased; a wide line takes several rows.
    while (first > 0 && this.#tailRows + this.#rowsOf(tail[first - 1]!) <= room)
      this.#tailRows += this.#rowsOf(tail[--first]!)
    this.#context.write(
      tail
        .slice(first)
        .map(line => `${line}\n`)
        .join(''),
    )
  }

  #rowsOf(line: string): number {
    return Math.max(1, Math.ceil(displayWidth(stripAnsi(line)) / this.#context.columns))
  }

  #eraseTail(): void {
    if (this.#tailRows > 0) this.#context.write(`\u001b[${this.#tailRows}A\u001b[0J`)
    this.#tailRows = 0
  }
}

function wordsOf(text: string): string[] {
  return stripAnsi(text).match(/[\p{L}\p{N}]+/gu) ?? []
}
