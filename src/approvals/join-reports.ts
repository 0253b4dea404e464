import type { Menu } from '../screen/index.js'
import { canonicalJson } from '../text/index.js'
import { type ApprovalRecord, isOpen } from './record.js'
import { toolUseOnScreen } from './request-from-menu.js'
import { readToolUse, type ToolUse } from './risk/tool-input.js'

/** A request that a structured channel reports, as far as joining looks at it. */
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

/** A live menu, seen on the screen of a session. */
export interface MenuReport {
  channel: 'screen'
  requestKey: string
  session: string
  menu: Pick<Menu, 'kind' | 'body' | 'question' | 'title' | 'print' | 'tool'>
}

/**
 * What to do with a report. `known`: this very report came before. `join`: it is another report of that approval. `replace`: the screen was
 * first, and what it showed is now known in structure; the new request follows the old one. `new`: an approval of its own.
 */
export type Join =
  | { do: 'known'; id: string }
  | { do: 'join'; id: string; by: 'id' | 'input' | 'menu'; mismatch?: string }
  | { do: 'replace'; id: string }
  | { do: 'new' }

/**
 * One request may be told of several times: by two hooks, by the transcript, by the screen. Which reports are one is decided in this order:
 * the agent's own id; the same tool and the same input in the same session and turn; a live menu that shows the command or the path of the
 * one open structured request. Two requests of one channel with keys of their own are never one, however alike: agents ask in parallel.
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
 * A hook may be slower than the answer: its request was shown, decided and closed before it came. It is the report of a closed request that
 * this channel has not told of yet, by whatever that one was known. Should it be the next one's after all, its menu is still to come and
 * tells of it.
 */
function lateReportOf(all: readonly ApprovalRecord[], report: ReportedRequest): ApprovalRecord | undefined {
  const { toolUseId, turn, channel } = report
  const use = readToolUse(report.tool, report.input)
  return all.find(record => {
    if (isOpen(record) || hasMadeWay(record)) return false
    if (toolUseId !== undefined && keysOf(record).some(key => key.toolUseId === toolUseId)) return true
    const isSameTurn = turn === undefined || record.source.turn === undefined || record.source.turn === turn
    if (isToldBy(record, channel) || !isSameTurn || isOfOtherUse(record, toolUseId)) return false
    return isStructured(record) ? isSameUse(record, report) : isShownOf(record, use)
  })
}

/** What followed it stands in its place: reports of it are about that one. */
function hasMadeWay({ state, outcome }: ApprovalRecord): boolean {
  return state === 'stale' && outcome?.reason === 'changed'
}

/** This channel has told of it by a report of its own; that a tool was about to be used is none. */
function isToldBy(record: ApprovalRecord, channel: string): boolean {
  return keysOf(record).some(key => key.channel === channel && !key.requestKey.startsWith('tool:'))
}

/** Only its menu told of it, and that shows this very thing. */
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
      !isToldBy(record, channel) &&
      !isOfOtherUse(record, toolUseId),
  )
  if (alike) return { do: 'join', id: alike.id, by: 'input' }
  const use = readToolUse(report.tool, report.input)
  const onScreen = open.filter(record => isShownOf(record, use))
  const [first] = onScreen
  if (onScreen.length !== 1) return { do: 'new' }
  // What is decided stays as it was decided; the report is then further evidence for it.
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
  // What was decided was decided about what was shown then: a menu that says something else is another request.
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

/** Screen and structure speak of the same kind of thing, and name different ones. */
function contradiction(structured: ToolUse, onScreen: ToolUse | null): string | null {
  if (!onScreen) return null
  const wanted = nameOf(structured)
  const seen = nameOf(onScreen)
  if (wanted === null || seen === null) return null
  const isSameKind = structured.kind === onScreen.kind || (isFileUse(structured) && isFileUse(onScreen))
  return isSameKind && squeezed(wanted) !== squeezed(seen)
    ? `the agent asks for ${wanted}, the menu shows ${seen}`
    : null
}

/** A truncated row ends in an ellipsis; so many characters before it must agree. */
const SHORTEST_PIECE = 24

function shows(text: string, use: ToolUse): boolean {
  const name = nameOf(use)
  if (name === null || name === '') return false
  const screen = squeezed(text)
  const wanted = squeezed(name)
  if (screen.includes(wanted)) return true
  if (use.kind === 'read' || use.kind === 'write') return endsAlike(screen, wanted)
  const cutAt = screen.indexOf('…')
  if (cutAt < 0) return false
  const begin = wanted.slice(0, SHORTEST_PIECE)
  const start = begin.length < SHORTEST_PIECE ? -1 : screen.indexOf(begin)
  return start >= 0 && wanted.startsWith(screen.slice(start, cutAt > start ? cutAt : undefined))
}

/** Agents show paths relative to the project. Two segments must agree, or all that there are. */
function endsAlike(screen: string, path: string): boolean {
  const segments = path.split('/').filter(segment => segment !== '')
  return segments.length >= 2 && screen.includes(segments.slice(-2).join('/'))
}

function asks(record: ApprovalRecord, menu: MenuReport['menu']): boolean {
  return (
    record.kind === menu.kind &&
    record.request.questions.some(question => squeezed(question.text) === squeezed(menu.question))
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

/** Blanks and line ends are the screen's width, not the request's. */
function squeezed(text: string): string {
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

/** It has the id of a use of the tool, and another one. */
function isOfOtherUse(record: ApprovalRecord, toolUseId: string | undefined): boolean {
  return (
    toolUseId !== undefined && keysOf(record).some(key => key.toolUseId !== undefined && key.toolUseId !== toolUseId)
  )
}
