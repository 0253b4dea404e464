import type { Block, BlockContent } from './block.js'
import { blockWords } from './words.js'

/** The share of a screen block's words that a transcript block must contain to be the same. */
const SAME_SHARE = 0.9

/**
 * Corrects what the screen showed by the agent's own transcript. A transcript block replaces the
 * screen block with the same text; one that the screen never showed is inserted at its place; a
 * screen block without a counterpart stays. The order is kept: a match never precedes an earlier
 * one.
 */
export function reconcile(screen: readonly Block[], transcript: readonly Block[]): Block[] {
  const matches = matchInOrder(screen, transcript)
  const result: Block[] = []
  let next = 0
  for (const [index, block] of screen.entries()) {
    const match = matches.get(index)
    if (match === undefined) {
      result.push(block)
      continue
    }
    result.push(...transcript.slice(next, match).map(asTranscript))
    result.push({ ...asTranscript(transcript[match]!), id: block.id, rows: block.rows })
    next = match + 1
  }
  return [...result, ...transcript.slice(next).map(asTranscript)]
}

function asTranscript(block: Block): Block {
  return { ...block, source: 'transcript', provisional: false, missing: false }
}

/** Screen index → transcript index: the longest set of pairs in order (both lists are short). */
function matchInOrder(screen: readonly Block[], transcript: readonly Block[]): Map<number, number> {
  const best: number[][] = Array.from({ length: screen.length + 1 }, () =>
    new Array<number>(transcript.length + 1).fill(0),
  )
  for (let s = screen.length - 1; s >= 0; s--) {
    for (let t = transcript.length - 1; t >= 0; t--) {
      best[s]![t] = isSame(screen[s]!, transcript[t]!)
        ? best[s + 1]![t + 1]! + 1
        : Math.max(best[s + 1]![t]!, best[s]![t + 1]!)
    }
  }
  const matches = new Map<number, number>()
  for (let s = 0, t = 0; s < screen.length && t < transcript.length; ) {
    if (isSame(screen[s]!, transcript[t]!)) matches.set(s++, t++)
    else if (best[s + 1]![t]! >= best[s]![t + 1]!) s++
    else t++
  }
  return matches
}

function isSame(shown: Block, written: Block): boolean {
  if (shown.kind === 'tool_call' || written.kind === 'tool_call') return isSameCall(shown, written)
  if (groupOf(shown) !== groupOf(written)) return false
  const words = blockWords(shown)
  const others = blockWords(written)
  if (words.length === 0 || others.length === 0) return words.length === others.length
  // A block whose start scrolled away is the same if its visible part is.
  const whole = shown.missing || shown.provisional ? words.length : Math.max(words.length, others.length)
  return commonWords(words, others) >= whole * SAME_SHARE
}

function isSameCall(shown: BlockContent, written: BlockContent): boolean {
  if (shown.kind !== 'tool_call' || written.kind !== 'tool_call') return false
  const input = ({ tool }: typeof shown) => (tool.command ?? tool.path ?? tool.url ?? '').replace(/…$/u, '').trim()
  if (shown.tool.name.toLowerCase() !== written.tool.name.toLowerCase()) return false
  return input(written).startsWith(input(shown)) || input(shown).startsWith(input(written))
}

/** Kinds that may be another in the source; a tool's output is never an answer. */
function groupOf({ kind }: Block): string {
  return ['prose', 'code', 'list', 'table', 'diff'].includes(kind) ? 'text' : kind
}

function commonWords(a: readonly string[], b: readonly string[]): number {
  const counts = new Map<string, number>()
  for (const word of a) counts.set(word, (counts.get(word) ?? 0) + 1)
  let common = 0
  for (const word of b) {
    const left = counts.get(word) ?? 0
    if (left === 0) continue
    counts.set(word, left - 1)
    common++
  }
  return common
}
