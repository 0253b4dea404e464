import { lineDiff, plural, shortenDiff, visibleValue } from '../text/index.js'
import type { ApprovalRecord } from './record.js'
import { requestTitle } from './request-title.js'

/*
 * What a request asks for, line by line, for surfaces that show text: command line, cockpit,
 * Telegram, notifications. An edit is a diff and a command is shown after `$`; everything else is
 * shown field by field, in the order of the display. Leaves out text that the title already
 * contains: a path, and the question of a gate.
 */

/** `label` is Signalbox's or a field's name; everything else is text of the agent. */
export interface ContentLine {
  kind: 'label' | 'fact' | 'command' | 'text' | 'added' | 'removed' | 'same' | 'gap'
  text: string
  /** The name of the field, for a fact. */
  label?: string
  /**
   * The number of a diff's line, if it is known: after the change; for a removed line, before it.
   */
  number?: number
}

type Shown = Pick<ApprovalRecord, 'kind' | 'subject' | 'request' | 'display'>

interface Field {
  label: string
  value: string
}

/** A part of the display: a label of Signalbox, or a value as it really reads. */
interface DisplayBlock {
  kind?: string
  text?: string
  reading?: string
}

/** Unchanged lines of an edit that are shown around a change. */
const CONTEXT = 3

/** How agents name the two texts of an edit. */
const BEFORE = new Set(['old_string', 'oldstring', 'old_str', 'old_text', 'find', 'search', 'old'])
const AFTER = new Set(['new_string', 'newstring', 'new_str', 'new_text', 'replace', 'new'])
const COMMANDS = new Set(['command', 'cmd', 'script'])
const PATCHES = new Set(['patch', 'diff'])
const IS_PATCH = /^(?:\*\*\* Begin Patch|diff --git |--- .*\n\+\+\+ )/

/** `file` is the text of the file that an edit changes, if it is known: its lines get numbers. */
export function requestContent(record: Shown, file: string | null = null): ContentLine[] {
  const { display, request } = record
  const fields = fieldsOf(display.blocks as DisplayBlock[])
  const title = requestTitle(record)
  const edits = severalEdits(request.input)
  const find = (names: ReadonlySet<string>) => fields.find(({ label }) => names.has(label.toLowerCase()))
  const [before, after] = [find(BEFORE), find(AFTER)]
  const lines = fields.flatMap((field): ContentLine[] => {
    const { label, value } = field
    if (before && after && field === before)
      return diffLines(before.value, after.value, placeOf(file, textOf(request.input, BEFORE)))
    if (before && field === after) return []
    if (label === 'edits' && edits) return editLines(edits, file)
    if (PATCHES.has(label) || IS_PATCH.test(value)) return patchLines(value)
    if (label === 'content' && fields.some(other => /path/i.test(other.label))) return diffLines('', value, null)
    if (COMMANDS.has(label.toLowerCase())) return commandLines(value)
    if (label !== '' && value !== '' && !value.includes('\n')) return [{ kind: 'fact', label, text: value }]
    return [...(label === '' ? [] : [{ kind: 'label' as const, text: label }]), ...textLines(value)]
  })
  // A gate without a text of its own has only its question.
  if (record.kind === 'gate' && fields.every(({ label, value }) => label === '' && value.trim() === title)) return []
  const isSaid = ({ kind, label = '', text }: ContentLine) =>
    kind === 'fact' && /path/i.test(label) && title.endsWith(` ${text}`)
  return lines.every(isSaid) ? lines : lines.filter(line => !isSaid(line))
}

const SIGNS: Readonly<Record<ContentLine['kind'], string>> = {
  label: '',
  fact: '',
  command: '$ ',
  text: '',
  added: '+ ',
  removed: '- ',
  same: '  ',
  gap: '⋮ ',
}

/** The content as plain text; a diff has its signs. */
export function contentText(lines: readonly ContentLine[]): string {
  return lines
    .map(({ kind, text, label }) => (kind === 'label' ? `${text}:` : `${label ? `${label}: ` : SIGNS[kind]}${text}`))
    .join('\n')
}

function textLines(value: string): ContentLine[] {
  return value.split('\n').map(text => ({ kind: 'text', text }))
}

function commandLines(value: string): ContentLine[] {
  const [first = '', ...rest] = value.split('\n')
  return [{ kind: 'command', text: first }, ...rest.map(text => ({ kind: 'text' as const, text }))]
}

/** `first` is the number of the line where the old text begins; null if it is unknown. */
function diffLines(before: string, after: string, first: number | null): ContentLine[] {
  const lines = (text: string) => (text === '' ? [] : text.split('\n'))
  return shortenDiff(lineDiff(lines(before), lines(after)), CONTEXT).map((line): ContentLine => {
    if (line.kind === 'gap') return { kind: 'gap', text: plural(line.count, 'unchanged line') }
    const { kind, text, number } = line
    return { kind, text, ...(first !== null && { number: first + number - 1 }) }
  })
}

/** Where the only occurrence of a text begins. */
function placeOf(file: string | null, text: string | null): number | null {
  const at = file === null || text === null || text === '' ? -1 : file.indexOf(text)
  return at < 0 || file!.indexOf(text!, at + 1) >= 0 ? null : file!.slice(0, at).split('\n').length
}

/** Each edit changes what the one before it has left. */
function editLines(edits: readonly SeveralEdit[], file: string | null): ContentLine[] {
  let text = file
  return edits.flatMap(({ before, after, input }) => {
    const first = placeOf(text, input.before)
    text = first === null ? null : text!.replace(input.before, () => input.after)
    return diffLines(before, after, first)
  })
}

const PATCH_KINDS: Readonly<Record<string, ContentLine['kind']>> = { '+': 'added', '-': 'removed', ' ': 'same' }

/**
 * A patch in the agent's own format; the lines of its files have signs already. A unified diff
 * says where its hunks begin.
 */
function patchLines(value: string): ContentLine[] {
  let next: { before: number; after: number } | null = null
  return value.split('\n').map((text): ContentLine => {
    const kind = /^(?:\+\+\+|---) /.test(text) ? undefined : PATCH_KINDS[text[0] ?? '']
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(text)
    if (kind === undefined) {
      next = hunk ? { before: Number(hunk[1]), after: Number(hunk[2]) } : null
      return { kind: 'text', text }
    }
    const number = kind === 'removed' ? next?.before : next?.after
    if (next && kind !== 'added') next.before++
    if (next && kind !== 'removed') next.after++
    return { kind, text: text.slice(1), ...(number !== undefined && { number }) }
  })
}

/** As they are shown, and as the agent sent them. */
interface SeveralEdit {
  before: string
  after: string
  input: { before: string; after: string }
}

/** The edits of a tool that takes several at once; null if the input is anything else. */
function severalEdits(input: unknown): SeveralEdit[] | null {
  const { edits } = (typeof input === 'object' && input !== null ? input : {}) as { edits?: unknown }
  if (!Array.isArray(edits) || edits.length === 0) return null
  const found = edits.map(edit => {
    const entries = Object.entries((typeof edit === 'object' && edit !== null ? edit : {}) as Record<string, unknown>)
    const [before, after] = [textOf(edit, BEFORE), textOf(edit, AFTER)]
    const isWhole = entries.every(
      ([name, value]) => BEFORE.has(name.toLowerCase()) || AFTER.has(name.toLowerCase()) || value === false,
    )
    if (before === null || after === null || !isWhole) return null
    return { before: shownText(before), after: shownText(after), input: { before, after } }
  })
  return found.every(edit => edit !== null) ? found : null
}

function textOf(input: unknown, names: ReadonlySet<string>): string | null {
  const entries = Object.entries((typeof input === 'object' && input !== null ? input : {}) as Record<string, unknown>)
  const value = entries.find(([name]) => names.has(name.toLowerCase()))?.[1]
  return typeof value === 'string' ? value : null
}

function shownText(value: string): string {
  return joined(visibleValue(value).pieces as DisplayBlock[])
}

function joined(pieces: readonly DisplayBlock[]): string {
  return pieces.map(({ text = '', reading }) => (reading === undefined ? text : `${text}⟦reads ${reading}⟧`)).join('')
}

function fieldsOf(blocks: readonly DisplayBlock[]): Field[] {
  const fields: { label: string; pieces: DisplayBlock[] }[] = []
  for (const block of blocks) {
    if (block.kind === 'label') fields.push({ label: block.text ?? '', pieces: [] })
    else {
      if (fields.length === 0) fields.push({ label: '', pieces: [] })
      fields.at(-1)!.pieces.push(block)
    }
  }
  return fields.map(({ label, pieces }) => ({ label, value: joined(pieces) }))
}
