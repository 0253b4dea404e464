import { type ContentLine, requestContent } from '../../approvals/index.js'
import { optionText, plainLabel, riskWord, visibleText } from '../../text/index.js'
import type { Cell } from '../cells.js'
import type { Style } from '../context.js'
import type { ApprovalInfo } from './approval-info.js'

/** A line of a request; `mark` begins the lines that it is broken into. */
export interface RequestLine {
  cells: Cell[]
  mark?: string
}

const STYLES: Readonly<Partial<Record<ContentLine['kind'], Style>>> = {
  added: 'green',
  removed: 'red',
  same: 'dim',
  gap: 'dim',
}
const MARKS: Readonly<Record<ContentLine['kind'], string>> = {
  label: '',
  fact: '│ ',
  command: '│ ',
  text: '│ ',
  added: '+ ',
  removed: '- ',
  same: '  ',
  gap: '⋮ ',
}

/**
 * What the agent asks for. Each line of the agent's text has a mark, or the name of its field. The
 * lines of an edit have their numbers if the text of its file is given.
 */
export function contentLines(approval: ApprovalInfo, file: string | null = null): RequestLine[] {
  const lines = requestContent(approval, file)
  const digits = Math.max(0, ...lines.map(({ number }) => String(number ?? '').length))
  return lines.map(({ kind, text, label, number }) => {
    if (kind === 'label') return { cells: [{ text: `${text}:` }] }
    const style = STYLES[kind]
    const mark = MARKS[kind]
    const head = kind === 'fact' ? `${label}: ` : kind === 'command' ? '$ ' : mark
    const own = { text: `${head}${text}`, ...(style && { style }) }
    if (number === undefined) return { cells: [own], mark }
    return {
      cells: [{ text: `${String(number).padStart(digits)} `, style: 'dim' }, own],
      mark: ' '.repeat(digits + 1) + mark,
    }
  })
}

/** What a command needs besides: the options by name, and the fingerprint for scripts. */
export function commandLines({ request, fingerprint }: ApprovalInfo): RequestLine[] {
  return [...optionLines(request), `fingerprint ${fingerprint.slice(0, 16)}`].map(text => ({ cells: [{ text }] }))
}

/** What a person must know besides the content: the risk, and the limits of the decision. */
export function factLines(approval: ApprovalInfo): RequestLine[] {
  const { risk } = approval
  const facts = [
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
  ]
  const style = risk.level === 'high' ? 'red' : risk.level === 'elevated' ? 'yellow' : 'green'
  // A gate or a plan of a run does nothing by itself: only a risk says something.
  const isPlain =
    (approval.kind === 'gate' || approval.kind === 'plan') && risk.level === 'low' && risk.reasons.length === 0
  const rated: RequestLine = {
    cells: [
      { text: `${riskWord(risk.level)} risk`, style },
      { text: risk.reasons.length > 0 ? `: ${risk.reasons.join('; ')}` : '' },
    ],
  }
  return [...(isPlain ? [] : [rated]), ...facts.map(text => ({ cells: [{ text }] }))]
}

function optionWords({ label, detail }: { label: string; detail?: string | undefined }): string {
  return detail === undefined ? plainLabel(label) : `${plainLabel(label)} (${optionText(detail)})`
}

/** The options; of a form by question, each with its unique key. */
function optionLines({ questions, options }: ApprovalInfo['request']): string[] {
  if (questions.length < 2) return [`options: ${options.map(optionWords).join(' · ') || '(a text)'}`]
  return questions.map(({ text, multi }, index) => {
    const own = options.filter(({ question }) => (question ?? 0) === index)
    return `${visibleText(text)}${multi ? ' (any of)' : ''} ${own.map(({ key }) => optionText(key)).join(' · ')}`
  })
}
