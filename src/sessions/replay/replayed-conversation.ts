import type { Look, ScreenView } from '../../panes/index.js'
import { type Block, type Pack, renderMarkdown } from '../../screen/index.js'
import { Conversation, IdleOutput } from '../conversation/index.js'
import type { Moment } from './timeline.js'

export interface BlockLine {
  type: 'block'
  t: number
  id: string
  kind: string
  provisional: boolean
  markdown: string
}

export interface MessageLine {
  type: 'message'
  t: number
  turn: string
  message: string
  markdown: string
}

/**
 * The conversation of a replayed session: blocks as they appear and become final, messages as they
 * end. Looks and phases go through the same `Conversation` in the same order as in a live session,
 * so that a replay gives the same messages.
 */
export class ReplayedConversation {
  readonly #conversation: Conversation
  readonly #idleOutput: IdleOutput
  readonly #shown = new Map<string, { provisional: boolean; markdown: string }>()
  #phase: Moment['phase'] = 'dormant'
  #look: Look | null = null
  #isReady = false

  constructor(pack: Pack, screen: ScreenView) {
    this.#conversation = new Conversation('replay', pack, screen)
    this.#idleOutput = new IdleOutput(this.#conversation)
  }

  addMoment({ state, phase, actions }: Moment): (BlockLine | MessageLine)[] {
    const { look } = state
    if (!look) return []
    const due = look === this.#look ? [] : this.#dueBy(look.t)
    // Also a look that changes nothing: its rows may be gone at the next one.
    if (look !== this.#look) this.#conversation.observe(look)
    this.#look = look
    this.#updateReady(look)
    const lines: (BlockLine | MessageLine)[] = [...due]
    for (const action of actions) {
      if (action === 'begin-turn') this.#conversation.beginTurn(look)
      if (action === 'open-message') this.#conversation.openMessage()
      if (action === 'extract' || action === 'extract-turn') {
        this.#conversation.openMessage()
        lines.push(...this.#changed(this.#conversation.extract(look, { isOpen: true }), look.t, true))
      }
      if (action === 'finalize') lines.push(...this.#finalize(look, phase === 'tool-pending'))
      if (action === 'extract-idle-output') lines.push(...this.#writeIdleOutput(look))
      if (action === 'ask') lines.push(...this.#writeUnwritten(look, true))
    }
    if (phase === 'dormant' && this.#phase !== 'dormant') {
      if (this.#phase === 'tool-pending') lines.push(...this.#writeUnwritten(look, false))
      this.#conversation.closeTurn()
    }
    this.#phase = phase
    return lines
  }

  /** A greeting, and hints that come at any time, are older than the conversation. */
  #updateReady(look: Look): void {
    const { composer, awaiting, busy } = look.observation
    if (this.#isReady || (!composer && !awaiting)) return
    const isGreeting = composer !== null && awaiting === null && busy !== true && !this.#conversation.hasEcho
    if (isGreeting) this.#conversation.markOld(look)
    else this.#isReady = true
  }

  /** The recording ends here: closes the open message. */
  finish(): (BlockLine | MessageLine)[] {
    if (!this.#look) return []
    if (this.#phase === 'dormant') return this.#dueBy(Number.POSITIVE_INFINITY)
    return this.#finalize(this.#look, this.#phase === 'tool-pending')
  }

  /** Idle output that is due by then, although no frame came. */
  #dueBy(t: number): (BlockLine | MessageLine)[] {
    const due = this.#phase === 'dormant' ? this.#idleOutput.dueAt : null
    return due !== null && due <= t && this.#look ? this.#writeIdleOutput({ ...this.#look, t: due }) : []
  }

  #finalize(look: Look, isAsking: boolean): (BlockLine | MessageLine)[] {
    const { turn } = this.#conversation
    if (!turn) return []
    this.#conversation.openMessage()
    const blocks = this.#conversation.extract(look, { isOpen: false, isAsking })
    const lines: (BlockLine | MessageLine)[] = this.#changed(blocks, look.t, false)
    const closed = this.#conversation.closeMessage()
    // Blocks that render to nothing, such as a notice alone, are not a message.
    const markdown = closed ? renderMarkdown(closed.blocks) : ''
    if (closed && markdown.trim() !== '')
      lines.push({ type: 'message', t: look.t, turn, message: closed.message, markdown })
    return lines
  }

  /** Text after the answer to a request, at a look at which the agent is done or asks again. */
  #writeUnwritten(look: Look, isAsking: boolean): (BlockLine | MessageLine)[] {
    return this.#conversation.hasUnwritten(look, { isAsking }) ? this.#finalize(look, isAsking) : []
  }

  #writeIdleOutput(look: Look): (BlockLine | MessageLine)[] {
    if (this.#idleOutput.check(look, seen => this.#conversation.beginTurn(seen)) !== 'due') return []
    const closed = this.#conversation.closeIdleOutput(look)
    if (!closed) return []
    const { turn, message, blocks } = closed
    this.#conversation.closeTurn()
    return [
      ...this.#changed(blocks, look.t, false),
      { type: 'message', t: look.t, turn, message, markdown: renderMarkdown(blocks) },
    ]
  }

  /** Blocks that are new, final for the first time, or final with other text than before. */
  #changed(blocks: readonly Block[], t: number, isOpen: boolean): BlockLine[] {
    return blocks.flatMap(block => {
      const provisional = isOpen && block.provisional
      const before = this.#shown.get(block.id)
      if (before && isOpen && (before.provisional === provisional || !before.provisional)) return []
      const markdown = renderMarkdown([block])
      if (before && !before.provisional && before.markdown === markdown) return []
      this.#shown.set(block.id, { provisional, markdown })
      return [{ type: 'block', t, id: block.id, kind: block.kind, provisional, markdown }]
    })
  }
}
