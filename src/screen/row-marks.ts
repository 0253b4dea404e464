import { memoizeByObject } from '../terminal/index.js'
import type { Terminator } from './observation.js'
import type { BlockSpec, Pack } from './pack/pack.js'
import type { ScreenRow } from './screen-row.js'
import { matchesRow } from './style-match.js'

/** What a pack says about a row from the row alone, independent of its position. */
export interface RowMarks {
  /** Blocks that may start with it, in the pack's order. */
  startsBlocks: readonly BlockSpec[]
  terminator: { outcome: Terminator['outcome']; match: RegExpExecArray } | null
  isQueued: boolean
  /** Its form is that of the row that shows work. */
  isWorking: boolean
  chrome: Pack['chrome'][number] | null
  panel: Pack['panels'][number] | null
}

export type MarkReader = (row: ScreenRow) => RowMarks

type Sources = Pick<Pack, 'blocks' | 'terminators' | 'queued' | 'rules' | 'chrome' | 'panels'>

const readers = new WeakMap<Pack, { sources: Sources; read: MarkReader }>()

/**
 * A pack has dozens of patterns and a screen dozens of rows, of which two or three change from
 * frame to frame: each row is matched once. A pack that was reloaded, or has lost a rule that was
 * too slow, has other lists, and its rows are matched again.
 */
export function markReader(pack: Pack): MarkReader {
  const known = readers.get(pack)
  if (known && isSame(known.sources, pack)) return known.read
  const { blocks, terminators, queued, rules, chrome, panels } = pack
  const sources = { blocks, terminators, queued, rules, chrome, panels }
  const read = readerOf(sources)
  readers.set(pack, { sources, read })
  return read
}

function isSame(a: Sources, b: Sources): boolean {
  return (
    a.rules === b.rules &&
    a.blocks === b.blocks &&
    a.terminators === b.terminators &&
    a.queued === b.queued &&
    a.chrome === b.chrome &&
    a.panels === b.panels
  )
}

function readerOf({ blocks, terminators, queued, rules, chrome, panels }: Sources): MarkReader {
  const working = rules.flatMap(rule =>
    rule.busy === true && rule.line !== null && rule.region === 'status'
      ? [{ line: rule.line, style: rule.style }]
      : [],
  )
  return memoizeByObject((row: ScreenRow): RowMarks => {
    const ended = terminators.find(({ pattern }) => matchesRow(row, pattern))
    return {
      startsBlocks: blocks.filter(spec => matchesRow(row, spec.first)),
      terminator: ended ? { outcome: ended.outcome, match: ended.pattern.line.exec(row.text)! } : null,
      isQueued: queued.some(pattern => matchesRow(row, pattern)),
      isWorking: working.some(pattern => matchesRow(row, pattern)),
      chrome: chrome.find(entry => matchesRow(row, entry.first)) ?? null,
      panel: panels.find(entry => matchesRow(row, entry.first)) ?? null,
    }
  })
}
