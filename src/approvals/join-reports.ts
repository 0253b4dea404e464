import type { Menu } from '../screen/index.js'
import { canonicalJson } from '../text/index.js'
import { type ApprovalRecord, isOpen } from './record.js'
import { toolUseOnScreen } from './request-from-menu.js'
import { readToolUse, type ToolUse } from './risk/tool-input.js'

/** A request from a structured channel, as far as it matters for joining. */
export interface ReportedRequest {
  channel: string
  requestKey: string
  session: string
  tool: string
  input: unknown
  turn?: string
  toolUseId?: string
  subAgent?: string
}

/** A live menu on the screen of a session. */
export interface MenuReport {
  channel: 'screen'
  requestKey: string
  session: string
  menu: Pick<Menu, 'kind' | 'body' | 'question' | 'title' | 'print' | 'tool'>
}

/**
 * What to do with a report. `known`: the same report came before. `join`: it is another report of
 * that approval. `replace`: the screen was first, and the structured request supersedes what it
 * showed. `new`: it is a new approval.
 */
export type Join =
  | { do: 'known'; id: string }
  | { do: 'join'; id: string; by: 'id' | 'input' | 'menu'; mismatch?: string }
  | { do: 'replace'; id: string }
  | { do: 'new' }

/**
 * One request may be reported several times: by two hooks, by the transcript, by the screen.
 * Reports belong to one request by, in this order: the agent's own id; the same tool and input in
 * the same session and turn; a live menu that shows the command or path of the only open structured
 * request. Two requests of one channel with different keys are never joined, even when they are
 * equal: agents ask in parallel.
 */
export function joinReports(open: readonly ApprovalRecord[], report: ReportedRequest | MenuReport): Join {
  const all = open.filter(record => record.subject.session === report.session)
  const mine = all.filter(isOpen)
  const known = all.find(record =>
    keysOf(record).some(key => key.channel === report.channel && key.requestKey === report.requestKey),
  )
  if (known) return { do: 'known', id: known.id }
  if ('menu' in report) return joinMenu(mine, report)
  const late = lateReportOf(all, report)
  return late ? { do: 'known', id: late.id } : joinStructured(mine, report)
}

/**
 * A hook may be slower than the answer: its request was shown, decided and closed before the hook
 * reports it. It then belongs to a closed request that this channel has not reported yet. Should it
 * belong to the next request after all, that one is still reported by its menu.
 */
function lateReportOf(all: readonly ApprovalRecord[], report: ReportedRequest): ApprovalRecord | undefined {
  const { toolUseId, turn, channel } = report
  const use = readToolUse(report.tool, report.input)
  return all.find(record => {
    if (isOpen(record) || isSuperseded(record)) return false
    if (toolUseId !== undefined && keysOf(record).some(key => key.toolUseId === toolUseId)) return true
    const isSameTurn = turn === undefined || record.source.turn === undefined || record.source.turn === turn
    if (isReportedBy(record, channel) || !isSameTurn || isOtherUse(record, toolUseId)) return false
    return isStructured(record) ? isSameUse(record, report) : isShownOf(record, use)
  })
}

/** Reports of a replaced request are about its successor. */
function isSuperseded({ state, outcome }: ApprovalRecord): boolean {
  return state === 'stale' && outcome?.reason === 'changed'
}

/** Whether this channel reported the request; the announcement of a tool use does not count. */
function isReportedBy(record: ApprovalRecord, channel: string): boolean {
  return keysOf(record).some(key => key.channel === channel && !key.requestKey.startsWith('tool:'))
}

/** Whether only a menu reported it, and the menu shows this tool use. */
function isShownOf(record: ApprovalRecord, use: ToolUse): boolean {
  return !isStructured(record) && record.kind === 'permission' && shows(record.request.text ?? '', use)
}

function isSameUse(record: ApprovalRecord, { tool, input, subAgent }: ReportedRequest): boolean {
  return (
    isStructured(record) &&
    record.request.tool === tool &&
    record.subject.subAgent === subAgent &&
    canonicalJson(record.request.input) === canonicalJson(input ?? null)
  )
}

function joinStructured(open: readonly ApprovalRecord[], report: ReportedRequest): Join {
  const { toolUseId, channel } = report
  if (toolUseId !== undefined) {
    const same = open.find(record => keysOf(record).some(key => key.toolUseId === toolUseId))
    if (same) return { do: 'join', id: same.id, by: 'id' }
  }
  const alike = open.find(
    record =>
      isSameUse(record, report) &&
      (record.source.turn === undefined || report.turn === undefined || record.source.turn === report.turn) &&
      !isReportedBy(record, channel) &&
      !isOtherUse(record, toolUseId),
  )
  if (alike) return { do: 'join', id: alike.id, by: 'input' }
  const use = readToolUse(report.tool, report.input)
  const onScreen = open.filter(record => isShownOf(record, use))
  const [first] = onScreen
  if (onScreen.length !== 1) return { do: 'new' }
  // A decided request is not replaced; the report is then further evidence.
  return first!.state === 'pending' ? { do: 'replace', id: first!.id } : { do: 'join', id: first!.id, by: 'menu' }
}

function joinMenu(open: readonly ApprovalRecord[], { menu }: MenuReport): Join {
  if (menu.kind !== 'permission' && menu.kind !== 'question' && menu.kind !== 'plan') return { do: 'new' }
  const waiting = open.filter(record => isStructured(record) && record.menuPrint === undefined)
  const text = [...menu.body, menu.question].join('\n')
  const shown = waiting.filter(
    record => shows(text, readToolUse(record.request.tool, record.request.input)) || asks(record, menu),
  )
  if (shown.length === 1) return { do: 'join', id: shown[0]!.id, by: 'menu' }
  // A decision is bound to what was shown: a menu with another content is another request.
  const undecided = waiting.filter(record => record.state === 'pending')
  const [only] = undecided
  if (waiting.length !== 1 || undecided.length !== 1 || menu.kind !== 'permission' || only!.kind !== 'permission')
    return { do: 'new' }
  const mismatch = contradiction(
    readToolUse(only!.request.tool, only!.request.input),
    toolUseOnScreen({ ...menu, body: [...menu.body] } as Menu),
  )
  return mismatch === null ? { do: 'new' } : { do: 'join', id: only!.id, by: 'menu', mismatch }
}

/**
 * How a report and the screen contradict each other: the same kind of tool use, with different
 * targets.
 */
function contradiction(structured: ToolUse, onScreen: ToolUse | null): string | null {
  if (!onScreen) return null
  const wanted = nameOf(structured)
  const seen = nameOf(onScreen)
  if (wanted === null || seen === null) return null
  const isSameKind = structured.kind === onScreen.kind || (isFileUse(structured) && isFileUse(onScreen))
  return isSameKind && withoutBlanks(wanted) !== withoutBlanks(seen)
    ? `the agent asks for ${wanted}, the menu shows ${seen}`
    : null
}

/** A truncated row ends in an ellipsis; this many characters before it must be equal. */
const MIN_MATCH = 24

function shows(text: string, use: ToolUse): boolean {
  const name = nameOf(use)
  if (name === null || name === '') return false
  const screen = withoutBlanks(text)
  const wanted = withoutBlanks(name)
  if (screen.includes(wanted)) return true
  if (use.kind === 'read' || use.kind === 'write') return endsAlike(screen, wanted)
  const cutAt = screen.indexOf('…')
  if (cutAt < 0) return false
  const begin = wanted.slice(0, MIN_MATCH)
  const start = begin.length < MIN_MATCH ? -1 : screen.indexOf(begin)
  return start >= 0 && wanted.startsWith(screen.slice(start, cutAt > start ? cutAt : undefined))
}

/** Agents show paths relative to the project: the last two segments must be equal. */
function endsAlike(screen: string, path: string): boolean {
  const segments = path.split('/').filter(segment => segment !== '')
  return segments.length >= 2 && screen.includes(segments.slice(-2).join('/'))
}

function asks(record: ApprovalRecord, menu: MenuReport['menu']): boolean {
  return (
    record.kind === menu.kind &&
    record.request.questions.some(question => withoutBlanks(question.text) === withoutBlanks(menu.question))
  )
}

function nameOf(use: ToolUse): string | null {
  if (use.kind === 'command') {
    if (typeof use.command === 'string') return use.command
    const isShell = use.command.length === 3 && /^-l?c$/.test(use.command[1]!)
    return isShell ? use.command[2]! : use.command.join(' ')
  }
  if (use.kind === 'read' || use.kind === 'write') return use.paths[0] ?? null
  return use.kind === 'fetch' ? (use.urls[0] ?? null) : null
}

function isFileUse(use: ToolUse): boolean {
  return use.kind === 'read' || use.kind === 'write'
}

/** Blanks and line ends depend on the width of the screen, not on the request. */
function withoutBlanks(text: string): string {
  return text.replace(/\s+/gu, '')
}

function isStructured(record: ApprovalRecord): boolean {
  return record.source.channel !== 'screen'
}

function keysOf({
  source,
  joined,
}: ApprovalRecord): { channel: string; requestKey: string; toolUseId?: string | undefined }[] {
  return [source, ...(joined ?? [])]
}

/** Whether the record belongs to another use of the tool. */
function isOtherUse(record: ApprovalRecord, toolUseId: string | undefined): boolean {
  return (
    toolUseId !== undefined && keysOf(record).some(key => key.toolUseId !== undefined && key.toolUseId !== toolUseId)
  )
}
