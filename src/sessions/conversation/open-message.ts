import type { Block } from '../../screen/index.js'
import { isSameList } from './read-conversation.js'
import { type ReportedText, reconcileReported } from './reported-text.js'

/**
 * The blocks of the open message: as the screen shows them, and with the text that the agent itself
 * reported in their place.
 */
export class OpenMessage {
  /** The prompt of the open turn, if Signalbox sent it. */
  prompt: string | null = null
  #screenBlocks: readonly Block[] = []
  #blocks: readonly Block[] = []
  #found = new Set<string>()
  #isConfirmed = false
  /** Text that the agent reported in this turn and that no closed message has yet. */
  #reported: readonly ReportedText[] = []
  /** `#blocks` was made from the screen's blocks and from this. */
  #reconciled: { reported: readonly ReportedText[]; isEnd: boolean } | null = null

  get screenBlocks(): readonly Block[] {
    return this.#screenBlocks
  }

  /** The list is the same object until it changes. */
  get blocks(): readonly Block[] {
    return this.#blocks
  }

  /** The agent's own report confirms the text. */
  get isConfirmed(): boolean {
    return this.#isConfirmed
  }

  /** `isFirst`: it is the first message of its turn, so the prompt may be above it. */
  setBlocks(read: readonly Block[], { isEnd, isFirst }: { isEnd: boolean; isFirst: boolean }): void {
    const last = this.#reconciled
    const isSame = last?.reported === this.#reported && last.isEnd === isEnd && isSameList(this.#screenBlocks, read)
    if (isSame) return
    this.#screenBlocks = read
    this.#reconciled = { reported: this.#reported, isEnd }
    const { blocks, found, isConfirmed } = reconcileReported(read, this.#reported, {
      isFinal: isEnd,
      prompt: isFirst ? this.prompt : null,
    })
    this.#blocks = blocks
    this.#found = found
    this.#isConfirmed = isConfirmed
  }

  hasReport(id: string): boolean {
    return this.#reported.some(text => text.id === id)
  }

  addReport(text: ReportedText): void {
    this.#reported = [...this.#reported, text]
  }

  /** Removes the reported text that is in the blocks, and returns it. */
  removeUsedReports(): ReportedText[] {
    const used = this.#reported.filter(({ id }) => this.#found.has(id))
    this.#reported = this.#reported.filter(({ id }) => !this.#found.has(id))
    return used
  }

  removeReports(): void {
    this.#reported = []
  }
}
