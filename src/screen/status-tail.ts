import type { RowBlock } from './grammar.js'
import type { ScreenRow } from './screen-row.js'

/*
 * The last row above the input box, when no rule matches it: agents put one row there that starts
 * with a symbol and says what is happening or how it ended. An ellipsis means that work continues,
 * and so does an incomplete count (`attempt 2/10`) next to a duration, or a duration with a key
 * next to it in brackets. A duration alone says how long it took. Rows attached below it belong to
 * it.
 */
const SYMBOL = '^\\s{0,3}[^\\p{L}\\p{N}\\s"\'`([{]{1,8}\\s*'
const DURATION = '(?:\\d+[hm] ?){0,2}\\d+(?:\\.\\d+)?s\\b'
const TIMED = new RegExp(
  `${SYMBOL}\\p{L}.{0,80}?\\(${DURATION}|^\\s{0,3}\\p{Lu}[^()]{0,80} \\(${DURATION} [•·∙|,] [^()]{3,40}\\)?$`,
  'u',
)
/** A key next to the time: a tool call never has one. */
const HINTED = new RegExp(`\\(${DURATION} [•·∙|,] [^()]{3,60}\\)?$`, 'u')
const ELLIPSIS = new RegExp(`${SYMBOL}\\p{L}[^.…]{0,80}(?:…|\\.\\.\\.)`, 'u')
const COUNTED = new RegExp(`${SYMBOL}[\\p{L}\\p{N}](?=.*\\b${DURATION}).*\\b(?<done>\\d{1,2})/(?<of>\\d{1,2})\\b`, 'u')
const ENDED = new RegExp(`^\\s{0,5}[^\\p{L}\\p{N}\\s"'\`([{]\\s+\\p{L}[^…]{0,100}?\\b${DURATION}[^…]{0,40}$`, 'u')

export interface StatusTail {
  is: 'working' | 'end'
  row: number
  /** The blocks above it. */
  above: RowBlock[]
}

export function statusTail(rows: readonly ScreenRow[], blocks: readonly RowBlock[]): StatusTail | null {
  const at = blocks.findLastIndex(block => !(block.kind === 'tool_result' && block.spec === null))
  const block = blocks[at]
  if (!block || block.spec !== null || block.first !== block.last) return null
  const { text } = rows[block.first]!
  const tail = (is: StatusTail['is']): StatusTail => ({ is, row: block.first, above: blocks.slice(0, at) })
  const isLast = at === blocks.length - 1
  if (TIMED.test(text) && (isLast || block.kind === 'prose' || HINTED.test(text))) return tail('working')
  if (!isLast || block.kind !== 'prose') return null
  const count = COUNTED.exec(text)?.groups
  if (ELLIPSIS.test(text) || (count && Number(count.done) < Number(count.of))) return tail('working')
  return blocks.length > 1 && ENDED.test(text) ? tail('end') : null
}
