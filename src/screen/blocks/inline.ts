import type { Span } from '../../terminal/index.js'
import { displayWidth } from '../../text/index.js'
import type { InlineRun } from './block.js'
import { type BodyStyle, CODE_CELLS } from './row-style.js'

interface StyledRun extends InlineRun {
  isUnderlined?: boolean
}

/** Styled text as runs. Neighbours of one style are joined, also across a single plain blank. */
export function inlineRuns(spans: readonly Span[], body: BodyStyle): InlineRun[] {
  const runs = spans
    .filter(span => span.text !== '')
    .map((span): StyledRun => ({ text: span.text, ...styleOf(span, body) }))
  return mergeRuns(trimRuns(foldLinks(mergeRuns(runs))))
}

function styleOf(span: Span, body: BodyStyle): Omit<StyledRun, 'text'> {
  const isCode =
    body.code !== null && span.fg === body.code && displayWidth(span.text) < CODE_CELLS && !span.link && !span.bold
  const isBlank = span.text.trim() === ''
  return {
    ...(isCode && !isBlank && { code: true }),
    ...(span.bold && !isCode && { bold: true }),
    ...(span.italic && { italic: true }),
    ...(span.strike && { strike: true }),
    ...(span.link && { link: span.link }),
    ...(span.underline && !isBlank && { isUnderlined: true }),
  }
}

/** `text (https://…)` is a link if the text is styled: the address is not repeated. */
function foldLinks(runs: readonly StyledRun[]): InlineRun[] {
  const folded: StyledRun[] = []
  for (let at = 0; at < runs.length; at++) {
    const run = runs[at]!
    // If links have the colour of code, words with an address in brackets after them are a link.
    const named = run.code ? /^(?<text>\S.*?) ?\((?<url>https?:[^\s()]+)\)$/su.exec(run.text)?.groups : undefined
    if (named) {
      const { code: _, ...rest } = run
      folded.push({ ...rest, text: named.text!, link: named.url! })
      continue
    }
    // The bracket may have the style of the words before it.
    const opened = /^(?<text>\S.*?) ?\($/su.exec(run.text)?.groups?.text
    const found =
      run.link || run.isUnderlined || opened !== undefined
        ? addressBehind(runs, at + 1, opened === undefined ? '' : '(')
        : null
    if (!found || /^https?:/u.test(run.text)) {
      folded.push({ ...run })
      continue
    }
    const { link: _, code, ...rest } = run
    folded.push({ ...rest, ...(code && opened === undefined && { code }), text: opened ?? run.text, link: found.url })
    if (found.rest !== '') folded.push({ text: found.rest })
    at = found.last
  }
  return folded.map(({ isUnderlined: _, ...run }) => run)
}

/** An address in brackets that starts with this run, whatever the styles of its parts. */
function addressBehind(
  runs: readonly StyledRun[],
  from: number,
  opened: string,
): { url: string; last: number; rest: string } | null {
  let text = opened
  for (let last = from; last < Math.min(runs.length, from + 4); last++) {
    text += runs[last]!.text
    const match = /^ ?\((?<url>[a-z][a-z+.-]*:[^\s()]+)\)(?<rest>.*)$/su.exec(text)
    if (match) return { url: match.groups!.url!, last, rest: match.groups!.rest! }
  }
  return null
}

function trimRuns(runs: readonly InlineRun[]): InlineRun[] {
  const kept = runs.map(run => ({ ...run }))
  while (kept.length > 0) {
    const last = kept.at(-1)!
    last.text = last.text.trimEnd()
    if (last.text !== '') break
    kept.pop()
  }
  while (kept.length > 0) {
    const first = kept[0]!
    first.text = first.text.trimStart()
    if (first.text !== '') break
    kept.shift()
  }
  return kept
}

export function mergeRuns<T extends InlineRun>(runs: readonly T[]): T[] {
  const merged: T[] = []
  for (const run of runs) {
    if (run.text === '') continue
    const last = merged.at(-1)
    if (last && sameMarks(last, run)) last.text += run.text
    else merged.push({ ...run })
  }
  return bridgeBlanks(merged)
}

/** `**two** **words**` is one phrase: some agents move the cursor over blanks. */
function bridgeBlanks<T extends InlineRun>(runs: T[]): T[] {
  const bridged: T[] = []
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

function isPlain(run: StyledRun): boolean {
  return !run.bold && !run.italic && !run.strike && !run.code && !run.link && !run.isUnderlined
}

function sameMarks(a: StyledRun, b: StyledRun): boolean {
  return (
    !a.bold === !b.bold &&
    !a.italic === !b.italic &&
    !a.strike === !b.strike &&
    !a.code === !b.code &&
    a.link === b.link &&
    !a.isUnderlined === !b.isUnderlined
  )
}
