import type { Look, PaneScreen } from '../../panes/index.js'
import { type Block, type Pack, renderMarkdown } from '../../screen/index.js'
import { Conversation } from '../conversation.js'
import type { Moment } from './timeline.js'

export interface BlockLine {
  type: 'block'
  t: number
  id: string
  kind: string
  provisional: boolean
  markdown: string
}

/** A message that has ended. */
export interface MessageLine {
  type: 'message'
  t: number
  turn: string
  message: string
  markdown: string
}

/** What the agent says in a replayed session: blocks as they appear and become final, messages as they end. */
export class Said {
  readonly #conversation: Conversation
  readonly #shown = new Map<string, boolean>()

  constructor(pack: Pack, screen: PaneScreen) {
    this.#conversation = new Conversation('replay', pack, screen)
  }

  take({ state, phase, actions }: Moment): (BlockLine | MessageLine)[] {
    const { look } = state
    if (!look) return []
    const lines: (BlockLine | MessageLine)[] = []
    for (const action of actions) {
      if (action === 'mark-turn') this.#conversation.markTurn(look)
      if (action === 'open-message') this.#conversation.openMessage()
      if (action === 'extract' || action === 'extract-turn') {
        this.#conversation.openMessage()
        lines.push(...this.#changed(this.#conversation.extract(look, { isOpen: true }), look.t, true))
      }
      if (action === 'finalize') lines.push(...this.#finalize(look, phase === 'tool-pending', phase === 'dormant'))
    }
    return lines
  }

  #finalize(look: Look, isAsking: boolean, isEnd: boolean): (BlockLine | MessageLine)[] {
    const { turn } = this.#conversation
    if (!turn) return []
    this.#conversation.openMessage()
    const blocks = this.#conversation.extract(look, { isOpen: false, isAsking })
    const lines: (BlockLine | MessageLine)[] = this.#changed(blocks, look.t, false)
    const closed = this.#conversation.closeMessage()
    if (closed)
      lines.push({ type: 'message', t: look.t, turn, message: closed.message, markdown: renderMarkdown(closed.blocks) })
    if (isEnd) this.#conversation.closeTurn()
    return lines
  }

  /** Blocks that are new, or final for the first time. */
  #changed(blocks: readonly Block[], t: number, isOpen: boolean): BlockLine[] {
    return blocks.flatMap(block => {
      const provisional = isOpen && block.provisional
      const before = this.#shown.get(block.id)
      if (before === provisional || before === false) return []
      this.#shown.set(block.id, provisional)
      return [{ type: 'block', t, id: block.id, kind: block.kind, provisional, markdown: renderMarkdown([block]) }]
    })
  }
}
