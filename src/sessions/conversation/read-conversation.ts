import { isEvent } from '../../events/index.js'
import type { Look } from '../../panes/index.js'
import {
  type Block,
  extractBlocks,
  extractPieces,
  type Pack,
  type TextRow,
  transcriptBlocks,
} from '../../screen/index.js'
import type { StoredEvent } from '../../store/index.js'
import { isCommand } from '../live/send-text.js'
import { ConversationRows, type Echo, echoOf, isEcho, type RowSource } from './conversation-rows.js'

/** A turn of a conversation that a terminal shows or keeps. */
export interface ReadTurn {
  echo: Echo
  /** The prompt as a person reads it. */
  prompt: string
  /** Its answer as far as the terminal shows it. */
  blocks: Block[]
}

interface ReadConversation {
  /** Oldest first. */
  turns: ReadTurn[]
  /** Id of the last row above the live part; -1 if there is none. */
  lastRow: number
}

/** Reads a conversation that was not followed from what the terminal shows and keeps. */
export function readConversation(pack: Pack, source: RowSource, look: Look, name: string): ReadConversation {
  const conversation = new ConversationRows(pack, source)
  conversation.observe(look)
  const rows = conversation.rowsFrom(0)
  const echoes = transcriptBlocks(rows, pack)
    .filter(block => isEcho(block, pack))
    .map(block => echoOf(rows, block))
  const reader = new BlockReader(pack)
  const { cols } = look.frame
  const turns = echoes.map((echo, index) => {
    const before = echoes[index + 1]?.first ?? Number.POSITIVE_INFINITY
    const answer = rows.filter(({ id }) => id > echo.last && id < before)
    const turn = `${name}.${index + 1}`
    const options = { cols, turn, isOpen: false, growingRows: 0, widths: [cols] }
    return { echo, prompt: promptOf(pack, rows, echo, cols), blocks: reader.read(answer, options).flat() }
  })
  return { turns, lastRow: rows.at(-1)?.id ?? -1 }
}

function promptOf(pack: Pack, rows: readonly TextRow[], { first, last }: Echo, cols: number): string {
  const own = rows.filter(({ id }) => id >= first && id <= last)
  const blocks = extractBlocks(own, { pack, cols, turn: '', isOpen: false, growingRows: 0 })
  return blocks
    .flatMap(block => (block.kind === 'user' ? [block.text] : []))
    .join('\n')
    .trim()
}

/**
 * How many of the turns that were just read are known from before. Row ids are new after a resync,
 * so turns are matched by their prompts: this finds the newest known prompt together with as many
 * of its predecessors as possible. Zero: none is known.
 */
export function knownTurns(known: readonly string[], read: readonly string[]): number {
  let best = { count: 0, length: 0 }
  for (let end = read.length; end > 0; end--) {
    let length = 0
    while (length < Math.min(end, known.length) && read[end - 1 - length] === known.at(-1 - length)) length++
    if (length > best.length) best = { count: end, length }
  }
  return best.count
}

export interface ReadOptions {
  cols: number
  /** The prefix of the block ids. */
  turn: string
  isOpen: boolean
  growingRows: number
  widths: readonly number[]
}

/** When a pack file is reloaded, these lists are other objects. */
type Grammar = Pick<Pack, 'blocks' | 'rules'>

/**
 * Reads the blocks of a conversation's rows. The open message is read at every look, and most looks
 * change nothing but a spinner: the same row objects give the same block objects.
 */
export class BlockReader {
  readonly #pack: Pack
  #last: { rows: readonly TextRow[]; options: ReadOptions; pack: Grammar; pieces: readonly Block[][] } | null = null

  constructor(pack: Pack) {
    this.#pack = pack
  }

  /** The blocks, grouped into what the agent marks as one text, one tool call or one result. */
  read(rows: readonly TextRow[], options: ReadOptions): readonly Block[][] {
    const last = this.#last
    const isSame =
      last !== null &&
      last.pack.blocks === this.#pack.blocks &&
      last.pack.rules === this.#pack.rules &&
      isSameList(last.rows, rows) &&
      last.options.cols === options.cols &&
      last.options.turn === options.turn &&
      last.options.isOpen === options.isOpen &&
      last.options.growingRows === options.growingRows &&
      isSameList(last.options.widths, options.widths)
    if (isSame) return last.pieces
    const pieces = extractPieces(rows, { pack: this.#pack, ...options })
      .map(piece => piece.filter(block => block.kind !== 'user'))
      .filter(piece => piece.length > 0)
    const { blocks: grammar, rules } = this.#pack
    this.#last = { rows: [...rows], options: { ...options }, pack: { blocks: grammar, rules }, pieces }
    return pieces
  }
}

/** Whether two lists hold the very same objects. */
export function isSameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((value, index) => value === b[index])
}

export interface IdleBlocks {
  blocks: Block[]
  /** The agent's own command whose output they are; null: they came by themselves. */
  command: string | null
}

/**
 * Blocks that appeared while the agent was idle. Below a command of the agent's own, a notice is
 * the command's output. */
export function readIdleBlocks(rows: readonly TextRow[], pack: Pack, options: ReadOptions): IdleBlocks {
  const all = extractPieces(rows, { pack, ...options }).flat()
  const at = all.findIndex(block => block.kind === 'user' && isOwnCommand(block.text, pack))
  const blocks = all.map((block, index) => (at >= 0 && index > at ? noticeAsProse(block) : block))
  const named = all[at]
  return {
    blocks: blocks.filter(({ kind }) => kind !== 'user'),
    command: named?.kind === 'user' ? named.text : null,
  }
}

function isOwnCommand(text: string, { commands }: Pack): boolean {
  return commands?.test(text) ?? isCommand(text)
}

function noticeAsProse(block: Block): Block {
  if (block.kind !== 'notice') return block
  const { kind: _kind, text, ...base } = block
  return { ...base, kind: 'prose', variant: 'paragraph', runs: [{ text }] }
}

interface TurnPrompt {
  turn: string
  at: number
  prompt: string
}

/**
 * The prompts of a session's turns, oldest first. A turn that an agent began by itself has none.
 */
export function turnPrompts(events: readonly StoredEvent[]): TurnPrompt[] {
  const prompts = new Map<string, TurnPrompt>()
  for (const event of events) {
    if (!isEvent(event, 'turn.opened') && !isEvent(event, 'turn.prompted')) continue
    const { turn, prompt } = event.data
    if (prompt !== undefined && !prompts.has(turn)) prompts.set(turn, { turn, at: event.at, prompt })
  }
  return [...prompts.values()]
}
