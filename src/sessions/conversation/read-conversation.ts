import type { Look } from '../../panes/index.js'
import { type Block, extractBlocks, type Pack, type TextRow, transcriptBlocks } from '../../screen/index.js'
import { BlockReader } from './block-reader.js'
import { ConversationRows, type RowSource } from './conversation-rows.js'
import { type Echo, echoOf, isEcho } from './conversation-window.js'

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

/**
 * Reads a conversation that Signalbox did not follow from what a terminal shows and keeps: every
 * prompt, and its answer.
 */
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
    const options = { cols, turn, isOpen: false, holdRows: 0, widths: [cols] }
    return { echo, prompt: promptOf(pack, rows, echo, cols), blocks: reader.read(answer, options).flat() }
  })
  return { turns, lastRow: rows.at(-1)?.id ?? -1 }
}

function promptOf(pack: Pack, rows: readonly TextRow[], { first, last }: Echo, cols: number): string {
  const own = rows.filter(({ id }) => id >= first && id <= last)
  const blocks = extractBlocks(own, { pack, cols, turn: '', isOpen: false, holdRows: 0 })
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
