import { lineDiff, optionText, RISK_WORDS, visibleText, visibleValue } from '../../text/index.js'
import type { Cell } from '../cells.js'
import type { ApprovalInfo } from './approval-info.js'

/** A line of a request; `mark` begins the lines that it is broken into. */
export interface RequestLine {
  cells: Cell[]
  mark?: string
}

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

/** How agents name the two texts of an edit. */
const BEFORE = new Set(['old_string', 'oldstring', 'old_str', 'old_text', 'find', 'search', 'old'])
const AFTER = new Set(['new_string', 'newstring', 'new_str', 'new_text', 'replace', 'new'])
const PATCHES = new Set(['patch', 'diff'])
const IS_PATCH = /^(?:\*\*\* Begin Patch|diff --git |--- .*\n\+\+\+ )/

/**
 * What the agent asks for: an edit as a diff, everything else field by field. Nothing is left out.
 * Each line of the agent's text has a mark.
 */
export function contentLines({ display, request }: ApprovalInfo): RequestLine[] {
  const fields = fieldsOf(display.blocks as DisplayBlock[])
  const edits = severalEdits(request.input)
  const find = (names: ReadonlySet<string>) => fields.find(({ label }) => names.has(label.toLowerCase()))
  const [before, after] = [find(BEFORE), find(AFTER)]
  return fields.flatMap(field => {
    if (before && after && field === before) return diffLines(before.value, after.value)
    if (before && field === after) return []
    if (field.label === 'edits' && edits) return edits.flatMap(edit => diffLines(edit.before, edit.after))
    if (PATCHES.has(field.label) || IS_PATCH.test(field.value))
      return [{ cells: [{ text: `${field.label}:` }] }, ...patchLines(field.value)]
    if (field.label === 'content' && fields.some(({ label }) => /path/i.test(label)))
      return [{ cells: [{ text: 'content:' }] }, ...signed('+', field.value)]
    return [
      ...(field.label === '' ? [] : [{ cells: [{ text: `${field.label}:` }] }]),
      ...field.value.split('\n').map(text => ({ cells: [{ text: `│ ${text}` }], mark: '│ ' })),
    ]
  })
}

/** What a person must know besides the content: risk, options, and what limits the decision. */
export function factLines(approval: ApprovalInfo): RequestLine[] {
  const { risk, request, fingerprint } = approval
  const facts = [
    ...optionLines(request),
    ...(approval.behind ? [`blocked by ${approval.behind}: that menu must be answered first`] : []),
    ...(approval.follows ? [`supersedes ${approval.follows}, which changed before it was answered`] : []),
    ...(approval.changed
      ? [`changed since you last looked: ${approval.changed.map(path => visibleText(path)).join(', ')}`]
      : []),
    ...(approval.repeats
      ? [`asks in a loop: ${approval.repeats} times within 10 minutes (deny --interrupt stops it)`]
      : []),
    ...(approval.terminalOnly && !approval.source.can?.includes('hold')
      ? [`it can be allowed only in the terminal: ${approval.terminalOnly}`]
      : []),
    ...(approval.neverAuto ? [`only a person can decide this, one at a time: ${approval.neverAuto}`] : []),
    ...(approval.deadline ? [`until ${new Date(approval.deadline.at).toISOString()}`] : []),
    `fingerprint ${fingerprint.slice(0, 16)}`,
  ]
  const style = risk.level === 'high' ? 'red' : risk.level === 'elevated' ? 'yellow' : 'green'
  return [
    {
      cells: [
        { text: `${RISK_WORDS[risk.level]} risk`, style },
        { text: risk.reasons.length > 0 ? `: ${risk.reasons.join('; ')}` : '' },
      ],
    },
    ...facts.map(text => ({ cells: [{ text }] })),
  ]
}

function diffLines(before: string, after: string): RequestLine[] {
  const lines = (text: string) => (text === '' ? [] : text.split('\n'))
  return lineDiff(lines(before), lines(after)).map(({ kind, text }) => {
    if (kind === 'same') return { cells: [{ text: `  ${text}`, style: 'dim' }], mark: '  ' }
    const [sign, style] = kind === 'added' ? (['+', 'green'] as const) : (['-', 'red'] as const)
    return { cells: [{ text: `${sign} ${text}`, style }], mark: `${sign} ` }
  })
}

function signed(sign: '+' | '-', value: string): RequestLine[] {
  const style = sign === '+' ? 'green' : 'red'
  return value.split('\n').map(text => ({ cells: [{ text: `${sign} ${text}`, style }], mark: `${sign} ` }))
}

function patchLines(value: string): RequestLine[] {
  return value.split('\n').map(text => {
    const style = text.startsWith('+') ? 'green' : text.startsWith('-') ? 'red' : undefined
    return { cells: [{ text: `│ ${text}`, ...(style && { style }) }], mark: '│ ' }
  })
}

/** The edits of a tool that takes several at once; null if the input is anything else. */
function severalEdits(input: unknown): { before: string; after: string }[] | null {
  const { edits } = (typeof input === 'object' && input !== null ? input : {}) as { edits?: unknown }
  if (!Array.isArray(edits) || edits.length === 0) return null
  const found = edits.map(edit => {
    const entries = Object.entries((typeof edit === 'object' && edit !== null ? edit : {}) as Record<string, unknown>)
    const text = (names: ReadonlySet<string>) => entries.find(([name]) => names.has(name.toLowerCase()))?.[1]
    const [before, after] = [text(BEFORE), text(AFTER)]
    const isWhole = entries.every(
      ([name, value]) => BEFORE.has(name.toLowerCase()) || AFTER.has(name.toLowerCase()) || value === false,
    )
    if (typeof before !== 'string' || typeof after !== 'string' || !isWhole) return null
    return { before: shownText(before), after: shownText(after) }
  })
  return found.every(edit => edit !== null) ? (found as { before: string; after: string }[]) : null
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

function optionWords({ label, detail }: { label: string; detail?: string | undefined }): string {
  return detail === undefined ? optionText(label) : `${optionText(label)} (${optionText(detail)})`
}

/** The options; of a form by question, each with its unique key. */
function optionLines({ questions, options }: ApprovalInfo['request']): string[] {
  if (questions.length < 2) return [`options: ${options.map(optionWords).join(' · ') || '(a text)'}`]
  return questions.map(({ text, multi }, index) => {
    const own = options.filter(({ question }) => (question ?? 0) === index)
    return `${visibleText(text)}${multi ? ' (any of)' : ''} ${own.map(({ key }) => optionText(key)).join(' · ')}`
  })
}
