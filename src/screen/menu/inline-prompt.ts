import type { Frame } from '../../terminal/index.js'
import { isFaint } from '../style-match.js'
import { confirmsOrLeaves, fragments } from './menu-head.js'
import { type MenuRow, spanFrom } from './menu-rows.js'
import type { OptionGroup } from './option-group.js'
import { type OptionRow, readOptionRow } from './option-row.js'

/*
 * Questions without a menu: the last row asks, and the cursor waits at its end. `[y/N]`,
 * `(yes/no)`, `(Y)es/(N)o/(D)on't ask again [Yes]:`, `Press any key`, `password:`, a number after a
 * list. The cursor is the proof: with the same words in running text it is elsewhere.
 */
export interface InlinePrompt {
  group: OptionGroup
  question: string
  isSecret: boolean
  hasText: boolean
  /** Only words suggest it: it counts after it has been stable for a while. */
  isTentative: boolean
  fallback: string | null
}

const CHOICES = /[[(](?<list>[A-Za-z]{1,8}(?:\s*[/|]\s*[A-Za-z]{1,12})+)[\])]\s*(?:[?:]\s*)?\w{0,5}$/u
/** `[y,n,q,a,d,e,?]?`: single keys with a question mark after them. */
const KEYS = /\[(?<list>[A-Za-z](?:,[A-Za-z?!/]){1,20})\]\s*\?\s*$/u
const LETTERED = /(?:\((?<letter>[A-Za-z])\)[\w' ]+[/]?)+/u
const SECRET = /\b(?:password|passphrase|passcode|pin|token|api key|secret)\b[^:\n]{0,60}:\s*$/iu
const ANY_KEY = /\b(?:press|hit) (?:any key|enter|return|\[?enter\]?|space)\b.{0,60}$/iu
const NUMBER =
  /(?:^#\?|\b(?:number|choice|selection|option|select|choose|enter)\b[^:?\n]{0,100}[:?]|\[\d+-\d+\].{0,60}:)\s*$/iu

export function findInline(frame: Frame, rows: readonly MenuRow[]): InlinePrompt | null {
  return atCursor(frame, rows, (row, before) => yesNo(row, before) ?? secret(row, before) ?? typed(rows, row, before))
}

const QUESTION = /^\p{L}.{2,120}\?$/u
const DEFAULTED = /^(?!In \[\d|Out\[)\p{L}.{0,80}?:?\s*(?:\([^()]*\)|\[[^\][]*\]):?\s*$/u
const REQUEST =
  /^(?:[?›❯]\s+)?(?:please )?(?:enter|type|input|choose|select|provide|specify)\b.{0,100}[:>]\s*$|^(?:user ?name|login|e-?mail|name|host(?:name)?|port|path|url|version|description)\b[^:]{0,30}:\s*$/iu

/** Questions start at the left. */
const MARGIN = 8

/**
 * A row that asks in words, cursor after it. Text that is still being printed looks the same for a
 * short time.
 */
export function findWordedQuestion(frame: Frame, rows: readonly MenuRow[]): InlinePrompt | null {
  return atCursor(frame, rows, (row, before) => {
    const text = before.trim()
    const isAsking = QUESTION.test(text) || DEFAULTED.test(text) || REQUEST.test(text)
    // A figure at the right edge of a status row is not a question.
    return isAsking && before.length > text.length && row.indent <= MARGIN
      ? { ...inline(row, text, [], null), hasText: true, isTentative: true }
      : null
  })
}

/** `Press any key`, if nothing else on the screen is a menu. */
export function findAnyKey(frame: Frame, rows: readonly MenuRow[]): InlinePrompt | null {
  return atCursor(frame, rows, anyKey)
}

function atCursor(
  frame: Frame,
  rows: readonly MenuRow[],
  read: (row: MenuRow, before: string) => InlinePrompt | null,
): InlinePrompt | null {
  const row = rows[frame.cursor.y]
  if (!row || row.isBlank || row.isRule) return null
  if (rows.slice(row.index + 1).some(other => !other.isBlank && fragments(other).length === 0)) return null
  const before = textBefore(row, frame.cursor.x)
  if (before.length < 2) return null
  return read(row, before)
}

/** The text left of the cursor if nothing is right of it; typed text is the answer. */
function textBefore(row: MenuRow, column: number): string {
  const text = row.text
  return text.length <= column ? text.padEnd(column) : ''
}

function yesNo(row: MenuRow, text: string): InlinePrompt | null {
  const choices = CHOICES.exec(text)
  if (choices) {
    const words = choices.groups!.list!.split(/\s*[/|]\s*/u)
    const isAnswer = words.every(word =>
      /^(?:y|yes|n|no|a|all|q|quit|e|d|s|r|o|v|always|never|skip|edit|abort|c|i)$/iu.test(word),
    )
    if (!isAnswer || words.length > 8) return null
    const capital = words.filter(word => /^[A-Z]/u.test(word))
    return inline(row, text.slice(0, choices.index).trim(), words, capital.length === 1 ? capital[0]! : null)
  }
  const keys = KEYS.exec(text)
  if (keys) return inline(row, text.slice(0, keys.index).trim(), keys.groups!.list!.split(','), null)
  const lettered = LETTERED.exec(text)
  if (!lettered || !/[:?\]]\s*$/u.test(text)) return null
  const words = [...text.matchAll(/\(([A-Za-z])\)([\w' ]*)/gu)].map(match => `${match[1]}${match[2]}`.trim())
  if (words.length < 2) return null
  const fallback = /\[(\w+)\]:?\s*$/u.exec(text)?.[1] ?? null
  return inline(
    row,
    text
      .slice(0, lettered.index)
      .replace(/[[(]\s*$/u, '')
      .trim(),
    words,
    fallback,
  )
}

function secret(row: MenuRow, text: string): InlinePrompt | null {
  if (!SECRET.test(text)) return null
  return { ...inline(row, text.trim(), [], null), isSecret: true, hasText: true }
}

function anyKey(row: MenuRow, text: string): InlinePrompt | null {
  return ANY_KEY.test(text.trim()) ? inline(row, text.trim(), [], null) : null
}

/** Numbered rows without a selection above a row that asks for a number. */
function typed(rows: readonly MenuRow[], row: MenuRow, text: string): InlinePrompt | null {
  const asked = text.trim().replace(/\s\d{1,2}$/u, '')
  if (!NUMBER.test(asked)) return null
  const options: OptionRow[] = []
  for (let index = row.index - 1; index >= 0; index--) {
    const option = readOptionRow(rows[index]!)
    if (option?.number != null && (options.length === 0 || option.number === options[0]!.number! - 1))
      options.unshift(option)
    else if (options.length > 0 && !rows[index]!.isBlank) break
    else if (options.length === 0 && row.index - index > 3) break
    if (options[0]?.number === 1) break
  }
  if (options.length < 2) return null
  const group: OptionGroup = {
    layout: 'typed',
    options,
    selected: null,
    shownBy: 'cursor',
    first: options[0]!.row,
    last: row.index,
  }
  return { group, question: asked, isSecret: false, hasText: true, isTentative: false, fallback: null }
}

function inline(row: MenuRow, question: string, words: readonly string[], fallback: string | null): InlinePrompt {
  const options = words.map(
    (label): OptionRow => ({
      row: row.index,
      glyphColumn: null,
      number: null,
      numberColumn: 0,
      checked: null,
      labelColumn: 0,
      label,
      detail: '',
    }),
  )
  const group: OptionGroup = {
    layout: 'inline',
    options,
    selected: null,
    shownBy: 'cursor',
    first: row.index,
    last: row.index,
  }
  return {
    group,
    question: question === '' ? row.text.trim() : question,
    isSecret: false,
    hasText: false,
    isTentative: false,
    fallback,
  }
}

/*
 * A dialog that is answered with text: a question above, one field, and below it the keys that
 * submit or cancel. The field starts with a prompt glyph, or has its own frame. An input box
 * differs only in its footer: it names other things, or keys that do not cancel.
 */
export interface TextField {
  row: number
  /** The first row of the field: its upper edge, if the question is above that. */
  first: number
  value: string
  placeholder: string
  /** The cursor is in the field: the hardware cursor, or a cell that is drawn inverse. */
  holdsCursor: boolean
}

const SIGN = /^\s*[›>❯▸»]\s+(?=\S|$)/u
const PLACEHOLDER =
  /^(?:type\b|enter (?:your|a|an) |paste (?:your|the|a) |write (?:your|a) |add (?:notes|your)|tell \S+ |your answer|e\.g\.)/iu
/** Blank rows that a field of several lines may leave below. */
const BLANK_ROWS_BELOW = 10

export function findTextField(frame: Frame, rows: readonly MenuRow[]): TextField | null {
  const footer = rows.findLastIndex(row => !row.isBlank && !row.isRule)
  const hints = rows.slice(Math.max(0, footer - 1), footer + 1)
  // Wrapped hints are read as one row, too.
  const asOne = { text: hints.map(row => row.text.trim()).join(' ') }
  if (footer < 2 || ![...hints, asOne].some(row => confirmsOrLeaves(row))) return null
  const field = rows
    .slice(0, footer)
    .findLast(row => !row.isBlank && !row.isFrame && !row.isRule && fragments(row).length === 0)
  if (!field || footer - field.index > BLANK_ROWS_BELOW) return null
  const isEdge = (row: MenuRow | undefined, isAsked: boolean) =>
    row?.isFrame === true || (isAsked && row?.isRule === true)
  const asks = asksForText(rows, field.index - 1)
  const isFramed = isEdge(rows[field.index - 1], asks) && isEdge(rows[field.index + 1], asks)
  const sign = SIGN.exec(field.text)?.[0]
  if (sign === undefined && !isFramed) return null
  if (!rows.slice(0, field.index).some(row => !row.isBlank && !row.isFrame && !row.isRule)) return null
  const column = sign?.length ?? field.indent
  const text = field.text.slice(column).trim()
  // Two columns: an entry of a list.
  if (/\S\s{2,}\S/u.test(text)) return null
  const isPlaceholder = PLACEHOLDER.test(text) || isFaintAt(field, column)
  return {
    row: field.index,
    first: rows[field.index - 1]!.isRule ? field.index - 1 : field.index,
    value: isPlaceholder ? '' : text,
    placeholder: isPlaceholder ? text : '',
    holdsCursor: frame.cursor.y === field.index || field.spans.some(span => span.inverse && span.width === 1),
  }
}

/** Right above the box: `Enter your API key`. An input box for prompts follows what was said. */
function asksForText(rows: readonly MenuRow[], edge: number): boolean {
  const above = rows.slice(0, Math.max(0, edge)).findLast(row => !row.isBlank && !row.isRule)
  return above !== undefined && ASKS.test(above.text)
}

const ASKS = /^\W*(?:please )?(?:enter|paste|type|provide) (?:your|the|an?) .{2,60}$/iu

/**
 * `◆  Enter your API key` above `│  …` with the cursor and the lower end of the gutter: a field of
 * a set-up.
 */
export function findGutterField(frame: Frame, rows: readonly MenuRow[]): TextField | null {
  const row = rows[frame.cursor.y]
  const head = rows[frame.cursor.y - 1]
  const isField = row?.isBoxed === true && row.edge === null && head !== undefined && !head.isBoxed
  if (!isField || !/^\s*[◆◇?]\s+\S/u.test(head.text) || !/^\s*[└╰]/u.test(rows[row.index + 1]?.text ?? '')) return null
  if (frame.cursor.x <= row.left + 1 || rows.slice(row.index + 2).some(other => !other.isBlank)) return null
  const text = row.text.trim().replace(/[_█]$/u, '')
  const isPlaceholder = isFaintAt(row, row.indent - 1) || PLACEHOLDER.test(text)
  return {
    row: row.index,
    first: row.index,
    value: isPlaceholder ? '' : text,
    placeholder: isPlaceholder ? text : '',
    holdsCursor: true,
  }
}

function isFaintAt(row: MenuRow, column: number): boolean {
  const span = spanFrom(row, column + 1)
  return span !== undefined && isFaint(span, row)
}
