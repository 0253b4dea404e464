import type { Look } from '../../panes/index.js'
import { BLOCK_MARK, cutRow, type KeptRow, type Pack } from '../../screen/index.js'
import type { Color, Row } from '../../terminal/index.js'

/*
 * One frame as a window onto the conversation: which of its rows belong to the conversation, and
 * which of those are echoes of prompts.
 */

/**
 * A prompt as the agent shows it: the ids of its first and last row, and its text without blanks.
 */
export interface Echo {
  first: number
  last: number
  text: string
}

/** Where the pack says how a prompt looks, nothing else is one: an answer may quote a prompt. */
export function isEcho({ kind, spec }: Look['layout']['blocks'][number], pack: Pack): boolean {
  return kind === 'user' && (spec !== null || !pack.blocks.some(block => block.kind === 'user'))
}

export function echoOf(rows: readonly Row[], block: { first: number; last: number }): Echo {
  const [first, last] = echoRows(rows, block)
  return { first: rows[first]!.id, last: rows[last]!.id, text: echoText(rows.slice(first, last + 1)) }
}

/** The text of a prompt without blanks: a change of width breaks it elsewhere. */
export function echoText(rows: readonly { text: string }[]): string {
  return rows.map(row => row.text.replace(/[\s\u00a0]+/gu, '')).join('')
}

/**
 * False if the frame is scrolled back, covered by another page or half drawn: then its rows are not
 * where they belong. A whole frame of a program on the alternate screen has an input box or a menu.
 */
export function isTranscript({ observation, layout }: Look): boolean {
  if (observation.view === 'unknown' || isScrolled({ observation })) return false
  return layout.composer !== null || layout.menu !== null
}

export function isScrolled({ observation }: Pick<Look, 'observation'>): boolean {
  return observation.facets.some(facet => facet.name === 'scrolled')
}

/** Index of the first row of the live part: status row, menu, input box, footer. */
export function liveStart({ frame, layout }: Look): number {
  return layout.regions.get('status')?.first ?? layout.regions.get('live')?.first ?? frame.lines.length
}

/** The frame's rows of the conversation, without blank rows at the end. */
export function windowOf(look: Look, pack: Pack, echoBackground: Color): KeptRow[] {
  const { frame, layout } = look
  const echoes = layout.blocks.filter(block => isEcho(block, pack)).map(block => echoRows(frame.lines, block))
  const firstMark = layout.blocks.find(block => block.spec !== null)?.first ?? 0
  const rows: KeptRow[] = []
  for (let index = 0; index < liveStart(look); index++) {
    const role = layout.roles[index]
    if (role && role !== 'terminator') continue
    const row = cutBar(frame.lines[index]!, layout.rows[index]!.text, frame.cols)
    const isOpenEcho = index < firstMark && echoBackground !== null && backgroundOf(row) === echoBackground
    const isPrompt =
      row.text.trim() !== '' && (isOpenEcho || echoes.some(([first, last]) => index >= first && index <= last))
    rows.push(keptRow(row, isPrompt, frame.cols, pack))
  }
  const last = rows.findLastIndex(row => row.key !== '')
  return rows.slice(0, last + 1)
}

const lastKept = new WeakMap<Row, { kept: KeptRow; volatile: Pack['volatile'] }>()

/** A row that has not changed on screen is kept as the same object. */
function keptRow(row: Row, isEcho: boolean, cols: number, { volatile }: Pack): KeptRow {
  const last = lastKept.get(row)
  if (last && last.kept.isEcho === isEcho && last.kept.row.cols === cols && last.volatile === volatile) return last.kept
  const key = maskedText(row.text, volatile)
  const kept = { row: { ...(key === '' ? cutRow(row, 0) : row), cols }, key, isEcho }
  lastKept.set(row, { kept, volatile })
  return kept
}

/**
 * A prompt with a background ends where the background ends: pinned to the top of the screen, it is
 * right above other rows.
 */
function echoRows(
  lines: readonly Row[],
  { first, last }: { first: number; last: number },
): [first: number, last: number] {
  const background = backgroundOf(lines[first]!)
  let end = first
  while (background !== null && end < last && lines[end + 1]!.spans.some(span => span.bg === background)) end++
  return [first, background === null ? last : end]
}

/** The background that only prompts have; null if other text has the same one. */
export function echoBackground({ frame, layout }: Look, pack: Pack): Color {
  const [echoes, others] = [true, false].map(is => layout.blocks.filter(block => isEcho(block, pack) === is))
  const background = echoes![0] ? backgroundOf(frame.lines[echoes![0].first]!) : null
  return others!.some(block => backgroundOf(frame.lines[block.first]!) === background) ? null : background
}

function backgroundOf(row: Row): Color {
  return row.spans.find(span => span.text.trim() !== '')?.bg ?? null
}

/** Removes a scroll bar at the right edge: it is not text. */
function cutBar(row: Row, text: string, cols: number): Row {
  const isCut = row.text.trimEnd().replace(/[\ufe0e\ufe0f]/gu, '').length > text.trimEnd().length
  const isBlock = row.width >= cols - 2 && /(?:^|\s{2,})[█▄▀▐▕]\s*$/u.test(row.text)
  return isCut || isBlock ? cutRow(row, row.width - 1) : row
}

function maskedText(text: string, volatile: Pack['volatile']): string {
  for (const pattern of volatile) {
    const match = pattern.exec(text)
    if (match?.[1] !== undefined) return squeezed(text.replace(match[1], ' '))
  }
  return squeezed(text.replace(BLOCK_MARK, ''))
}

/** Agents draw the same row with different kinds of blanks. */
function squeezed(text: string): string {
  return text.replace(/[\s\u00a0]+/gu, ' ').trim()
}
