import { type Block, blockWords, reconcile } from '../../screen/index.js'
import { comparableText } from '../compare-text.js'

/** A finished piece of the answer, as the agent reported it. `t`: session seconds. */
export interface ReportedText {
  id: string
  t: number
  blocks: readonly Block[]
}

interface Reconciled {
  blocks: Block[]
  /** Ids of the reported texts that the screen showed. */
  found: Set<string>
  /** Reported text confirms all text of the screen. */
  isConfirmed: boolean
}

/** Share of the words that two texts must have in common to count as the same text. */
const SAME_WORDS_SHARE = 0.6
/** Texts of fewer words must be equal. */
const SHORT_TEXT_WORDS = 4
const TEXT = new Set(['prose', 'code', 'list', 'table', 'diff'])

/**
 * Replaces the screen's blocks by the agent's own text where the two are the same.
 *
 * A reported text is compared with every run of neighbouring text blocks, not block with block: the
 * screen may have read two paragraphs as one, or a list as prose, and text that is not found again
 * would appear twice. The run with the most words in common is replaced; runs are searched only
 * behind the previous match. The last blocks drawn, and blocks that lost their beginning, may hold
 * only a part of the reported text.
 *
 * @param isFinal no more rows will come: reported texts without a run are inserted block by block,
 * and blocks that are only passages of a reported text give it their place: the screen skipped the
 * rest of it.
 * @param prompt of the turn that these blocks begin. Text above the first recorded one that the
 * prompt ends with is the rest of a prompt taller than the screen.
 */
export function reconcileReported(
  screenBlocks: readonly Block[],
  reported: readonly ReportedText[],
  { isFinal, prompt = null }: { isFinal: boolean; prompt?: string | null },
): Reconciled {
  const found = new Set<string>()
  const confirmed = new Set<number>()
  const result: Block[] = []
  let next = 0
  let waiting: ReportedText[] = []
  const isPart = isFinal ? partOf(reported) : () => false
  const copyTo = (end: number) => {
    const between = screenBlocks.slice(next, end).filter((block, index) => {
      if (!isPart(block)) return true
      confirmed.add(next + index)
      return false
    })
    result.push(
      ...(isFinal && waiting.length > 0
        ? reconcile(
            between,
            waiting.flatMap(text => [...text.blocks]),
          )
        : between),
    )
    if (isFinal) for (const { id } of waiting) found.add(id)
    waiting = []
    next = end
  }
  for (const text of reported) {
    const run = findRun(screenBlocks, next, text) ?? (isFinal ? findPart(screenBlocks, next, text) : null)
    if (!run) {
      waiting.push(text)
      continue
    }
    if (next === 0 && prompt !== null && isEndOf(prompt, screenBlocks.slice(0, run.first))) next = run.first
    else copyTo(run.first)
    result.push(...inPlaceOf(screenBlocks.slice(run.first, run.last + 1), text))
    for (let index = run.first; index <= run.last; index++) confirmed.add(index)
    found.add(text.id)
    next = run.last + 1
  }
  copyTo(screenBlocks.length)
  const isConfirmed = screenBlocks.every((block, index) => !TEXT.has(block.kind) || confirmed.has(index))
  return { blocks: result, found, isConfirmed }
}

function isEndOf(prompt: string, blocks: readonly Block[]): boolean {
  const text = lettersOf(blocks.flatMap(wordsOf).join(''))
  return blocks.every(({ kind }) => TEXT.has(kind)) && lettersOf(prompt).endsWith(text)
}

/** Rendering removes the marks of lists and emphasis. */
function lettersOf(text: string): string {
  return comparableText(text).replace(/[^\p{L}\p{N}]+/gu, '')
}

function findRun(blocks: readonly Block[], from: number, text: ReportedText): { first: number; last: number } | null {
  const wanted = text.blocks.flatMap(wordsOf)
  if (wanted.length === 0) return null
  const counts = countWords(wanted)
  let best: { first: number; last: number; score: number } | null = null
  for (let first = from; first < blocks.length; first++) {
    if (!TEXT.has(blocks[first]!.kind)) continue
    const left = new Map(counts)
    let common = 0
    let total = 0
    let isPart = false
    for (let last = first; last < blocks.length && TEXT.has(blocks[last]!.kind); last++) {
      const block = blocks[last]!
      isPart ||= block.missing || block.provisional
      for (const word of wordsOf(block)) {
        total++
        const count = left.get(word) ?? 0
        if (count === 0) continue
        left.set(word, count - 1)
        common++
      }
      const score = scoreOf(common, total, wanted.length, isPart)
      // Texts and blocks have the same order, so the first run that is equal is the right one.
      if (score === 1) return { first, last }
      if (score !== null && score > (best?.score ?? 0)) best = { first, last, score }
      if (total > wanted.length * 2 + SHORT_TEXT_WORDS) break
    }
  }
  return best
}

/** Whether a block consists of passages of one of these texts: the screen may skip some. */
function partOf(reported: readonly ReportedText[]): (block: Block) => boolean {
  const texts = reported.map(({ blocks }) => blocks.flatMap(wordsOf))
  return block => {
    const words = TEXT.has(block.kind) ? wordsOf(block) : []
    return texts.some(
      text => isBeginning(text, words) || (words.length >= SHORT_TEXT_WORDS && hasPassages(text, words)),
    )
  }
}

/** The screen may have been read while the agent wrote the text, in the middle of a word. */
function isBeginning(text: readonly string[], words: readonly string[]): boolean {
  return words.length > 0 && text.join(' ').startsWith(words.join(' '))
}

function hasPassages(text: readonly string[], words: readonly string[]): boolean {
  const isAt = (at: number, from: number, count: number) => {
    for (let word = 0; word < count; word++) if (text[at + word] !== words[from + word]) return false
    return true
  }
  let at = 0
  for (let from = 0; from < words.length; ) {
    const least = Math.min(SHORT_TEXT_WORDS, words.length - from)
    while (at < text.length && !isAt(at, from, least)) at++
    if (at >= text.length) return false
    while (from < words.length && text[at] === words[from]) {
      at++
      from++
    }
  }
  return true
}

/** The first block that is a passage of the text, with its neighbours that are. */
function findPart(blocks: readonly Block[], from: number, text: ReportedText): { first: number; last: number } | null {
  const isPart = partOf([text])
  const first = blocks.findIndex((block, index) => index >= from && isPart(block))
  if (first < 0) return null
  let last = first
  while (blocks[last + 1] && isPart(blocks[last + 1]!)) last++
  return { first, last }
}

function scoreOf(common: number, shown: number, wanted: number, isPart: boolean): number | null {
  if (shown === 0) return null
  const whole = isPart ? Math.min(shown, wanted) : Math.max(shown, wanted)
  const isSame = whole < SHORT_TEXT_WORDS ? common === whole : common >= whole * SAME_WORDS_SHARE
  // If two parts fit, the longer one wins.
  return isSame ? common / Math.max(shown, wanted) : null
}

/** Block ids stay the same, so that a surface replaces the block that it shows. */
function inPlaceOf(run: readonly Block[], text: ReportedText): Block[] {
  const rows: [number, number] = [run[0]!.rows[0], run.at(-1)!.rows[1]]
  return text.blocks.map((block, index) => ({
    ...block,
    id: run[index]?.id ?? `${run[0]!.id}+${index}`,
    rows: run[index]?.rows ?? rows,
  }))
}

const knownWords = new WeakMap<Block, string[]>()

/** The words of a block; blocks do not change. */
function wordsOf(block: Block): string[] {
  const known = knownWords.get(block)
  if (known) return known
  const words = blockWords(block)
  knownWords.set(block, words)
  return words
}

function countWords(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

/** A message that has ended, with what is needed to correct it while it is recent. */
export interface ClosedMessage {
  turn: string
  message: string
  /** Its blocks as the screen showed them. */
  screenBlocks: readonly Block[]
  /** The agent's own text for it, as far as it was reported. */
  reported: readonly ReportedText[]
  blocks: readonly Block[]
  /** The next message continues this one. */
  continues: boolean
  /** The prompt of its turn, if it is the turn's first message. */
  prompt: string | null
  /** The agent's own command that printed it. */
  command?: string
  /** The agent's own record confirms all of its text. */
  isConfirmed: boolean
  /** When its turn was opened and when it was closed, in seconds since the session's start. */
  openedT: number
  closedT: number
}

/** How long after its end the agent's own record may correct a message, in seconds. */
const CORRECTION_MAX_S = 60
const CLOSED_MESSAGES_KEPT = 20

/** The messages that ended last: transcripts may be written after that. */
export class ClosedMessages {
  #messages: ClosedMessage[] = []

  add(message: ClosedMessage): ClosedMessage {
    this.#messages = [...this.#messages.slice(-CLOSED_MESSAGES_KEPT), message]
    return message
  }

  has(text: ReportedText): boolean {
    return this.#messages.some(message => message.reported.some(({ id }) => id === text.id))
  }

  /** The message that already shows this text, corrected by it; null if no message shows it. */
  correct(text: ReportedText, t: number): ClosedMessage | null {
    for (const message of this.#recent(text, t)) {
      const reported = [...message.reported, text].sort((a, b) => a.t - b.t)
      const { blocks, found, isConfirmed } = reconcileReported(message.screenBlocks, reported, {
        isFinal: false,
        prompt: message.prompt,
      })
      if (!found.has(text.id)) continue
      // Text that was added at the end of the turn although no screen showed it must not get lost.
      const isWhole = message.reported.every(({ id }) => found.has(id))
      const whole = isWhole
        ? { blocks, isConfirmed }
        : reconcileReported(message.screenBlocks, reported, { isFinal: true, prompt: message.prompt })
      return Object.assign(message, { reported, blocks: whole.blocks, isConfirmed: whole.isConfirmed })
    }
    return null
  }

  /** Adds text that no screen showed to the end of the last message. */
  append(text: ReportedText, t: number): ClosedMessage | null {
    const message = this.#recent(text, t).at(-1)
    if (!message) return null
    const reported = [...message.reported, text]
    const { blocks, isConfirmed } = reconcileReported(message.screenBlocks, reported, {
      isFinal: true,
      prompt: message.prompt,
    })
    return Object.assign(message, { reported, blocks, isConfirmed })
  }

  #recent(text: ReportedText, t: number): ClosedMessage[] {
    return this.#messages.filter(({ openedT, closedT }) => t - closedT <= CORRECTION_MAX_S && text.t >= openedT - 1)
  }
}
