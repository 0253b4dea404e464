import type { Row, Span } from '../../terminal/index.js'
import type { Pack } from '../pack/pack.js'
import { colourText } from '../style-match.js'
import type { InlineRun } from './block.js'

/** The styled text of a row from a column on, as runs. Neighbours of one style are joined, also across a single plain blank. */
export function inlineRuns(row: Row, fromColumn: number, pack: Pack): InlineRun[] {
  const runs: InlineRun[] = []
  for (const span of row.spans) {
    if (span.x + span.width <= fromColumn) continue
    const text = span.x >= fromColumn ? span.text : sliceColumns(span, fromColumn - span.x)
    if (text !== '') runs.push({ text, ...styleOf(span, pack) })
  }
  return mergeRuns(trimEnd(runs))
}

function sliceColumns(span: Span, columns: number): string {
  // Marks are single-width, so cells and characters agree in the part that is cut away.
  return span.text.slice(columns)
}

function styleOf(span: Span, pack: Pack): Omit<InlineRun, 'text'> {
  const isCode = pack.text.inlineCodeFg.includes(colourText(span.fg))
  return {
    ...(isCode && { code: true }),
    ...(span.bold && !isCode && { bold: true }),
    ...(span.italic && { italic: true }),
    ...(span.strike && { strike: true }),
    ...(span.link && { link: span.link }),
  }
}

function trimEnd(runs: InlineRun[]): InlineRun[] {
  const kept = [...runs]
  while (kept.length > 0) {
    const last = kept.at(-1)!
    const text = last.text.replace(/[\s\u00a0]+$/u, '')
    kept.pop()
    if (text !== '') {
      kept.push({ ...last, text })
      break
    }
  }
  return kept
}

export function mergeRuns(runs: readonly InlineRun[]): InlineRun[] {
  const merged: InlineRun[] = []
  for (const run of runs) {
    const last = merged.at(-1)
    if (last && sameMarks(last, run)) last.text += run.text
    else merged.push({ ...run })
  }
  return bridgeBlanks(merged)
}

/** `**two** **words**` is one bold phrase: some agents move the cursor over blanks instead of writing them. */
function bridgeBlanks(runs: InlineRun[]): InlineRun[] {
  const bridged: InlineRun[] = []
  for (const run of runs) {
    const blank = bridged.at(-1)
    const before = bridged.at(-2)
    if (blank?.text === ' ' && before && isPlain(blank) && !isPlain(run) && sameMarks(before, run)) {
      bridged.pop()
      before.text += ` ${run.text}`
    } else bridged.push(run)
  }
  return bridged
}

function isPlain(run: InlineRun): boolean {
  return !run.bold && !run.italic && !run.strike && !run.code && !run.link
}

export function sameMarks(a: InlineRun, b: InlineRun): boolean {
  return a.bold === b.bold && a.italic === b.italic && a.strike === b.strike && a.code === b.code && a.link === b.link
}
