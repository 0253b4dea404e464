import type { Menu } from '../screen/index.js'
import { canonicalJson } from '../text/index.js'
import { matchMenu, mismatchOf, type ShownMenu, specificity, withoutBlanks } from './match-menu.js'
import { type ApprovalRecord, isOpen } from './record.js'

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
  /** The request that only the menu on screen brought; not one that asks a question of its own. */
  onScreen?: { id: string; menu: ShownMenu }
}

/** A live menu on the screen of a session. */
export interface MenuReport {
  channel: 'screen'
  requestKey: string
  session: string
  menu: ShownMenu & Pick<Menu, 'options'>
  /** The request whose menu was on screen until this one took its place. */
  shownBefore?: string
  /** A tool that the agent has started asks this very question. */
  isOwnQuestion?: boolean
}

/**
 * What to do with a report. `known`: the same report came before. `join`: it is another report of
 * that approval; as a guess, if nothing on the screen proves it. `replace`: the screen was first,
 * and the structured request supersedes what it showed. `wait`: it may be the dialog of an open
 * request, and raises nothing. `new`: it is a new approval.
 */
export type Join =
  | { do: 'known'; id: string }
  | { do: 'join'; id: string; by: 'id' | 'input' | 'menu'; mismatch?: string; isGuess?: true }
  | { do: 'replace'; id: string; isGuess?: true }
  | { do: 'wait' }
  | { do: 'new' }

/**
 * One request may be reported several times: by two hooks, by the transcript, by the screen.
 * Reports belong to one request by, in this order: the agent's own id; the same tool and input in
 * the same session and turn; a live menu that shows the command or path of the request; a live menu
 * that shows nothing else, if there is only one such request. Two requests of one channel with
 * different keys are never joined, even when they are equal: agents ask in parallel.
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
  return all.find(record => {
    if (isOpen(record) || isReplaced(record)) return false
    if (toolUseId !== undefined && keysOf(record).some(key => key.toolUseId === toolUseId)) return true
    const isSameTurn = turn === undefined || record.source.turn === undefined || record.source.turn === turn
    if (isReportedBy(record, channel) || !isSameTurn || isOtherUse(record, toolUseId)) return false
    return isStructured(record) ? isSameUse(record, report) : isShownOf(record, report)
  })
}

/** Reports of a replaced request are about its successor. */
function isReplaced({ state, outcome }: ApprovalRecord): boolean {
  return state === 'stale' && outcome?.reason === 'changed'
}

/** Whether this channel reported the request; the announcement of a tool use does not count. */
function isReportedBy(record: ApprovalRecord, channel: string): boolean {
  return keysOf(record).some(key => key.channel === channel && !key.requestKey.startsWith('tool:'))
}

/** Whether only a menu reported it, and the menu shows this tool use. */
function isShownOf(record: ApprovalRecord, { tool, input }: ReportedRequest): boolean {
  if (isStructured(record) || record.kind !== 'permission') return false
  const lines = (record.request.text ?? '').split('\n')
  const menu = { kind: record.kind, title: record.request.tool, body: lines, question: '' }
  return matchMenu(menu, tool, input) === 'whole'
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
  const shown = open.filter(record => isShownOf(record, report))
  const [first] = shown
  // A decided request is not replaced; the report is then further evidence.
  if (shown.length === 1)
    return first!.state === 'pending' ? { do: 'replace', id: first!.id } : { do: 'join', id: first!.id, by: 'menu' }
  return joinShown(open, report)
}

/**
 * The dialog on the screen came before the report, and does not show all of the request. It is the
 * dialog of this request, unless it clearly shows another one. A decision about what was shown is
 * not a decision about the report: then the dialog decides, and the report is released.
 */
function joinShown(open: readonly ApprovalRecord[], { onScreen, tool, input }: ReportedRequest): Join {
  const record = open.find(({ id }) => id === onScreen?.id)
  if (!record || !onScreen || isStructured(record) || matchMenu(onScreen.menu, tool, input) === 'other')
    return { do: 'new' }
  return record.state === 'pending' ? { do: 'replace', id: record.id, isGuess: true } : { do: 'known', id: record.id }
}

/**
 * While a structured request may have its dialog on the screen, a menu is either that dialog or
 * waits: it never becomes a second request. A menu that shows the request joins it. One that shows
 * only a part of it, or nothing that identifies it, joins the only request that it can belong to,
 * as a guess. Otherwise it waits for a further report, or for the end of the open request.
 */
function joinMenu(open: readonly ApprovalRecord[], { menu, shownBefore, isOwnQuestion }: MenuReport): Join {
  const asked = open.filter(record => isStructured(record) && asks(record, menu))
  if (asked.length === 1 && asked[0]!.menuHash === undefined) return { do: 'join', id: asked[0]!.id, by: 'menu' }
  // The menu of this request has left the screen, so no menu will follow.
  const waiting = open.filter(
    record => isStructured(record) && (record.menuHash === undefined || record.id === shownBefore),
  )
  if (waiting.length === 0 || isOwnQuestion) return { do: 'new' }
  const matches = waiting.map(record => ({
    record,
    match: matchMenu(menu, record.request.tool, record.request.input),
  }))
  const whole = mostSpecific(matches.filter(({ match }) => match === 'whole').map(({ record }) => record))
  if (whole && menu.kind === 'permission') return { do: 'join', id: whole.id, by: 'menu' }
  const parts = matches.filter(({ match }) => match === 'part' || match === 'whole')
  const possible = parts.length > 0 ? parts : matches.filter(({ match }) => match === 'unclear')
  const [only] = possible
  // A decision is bound to what was shown: without any sign of it, the menu is not the decided one.
  const isLikely = only?.match !== 'unclear' || (only.record.state === 'pending' && !OTHER_DIALOGS.has(menu.kind))
  if (only && possible.length === 1 && isLikely && only.record.kind === 'permission' && mayAllow(menu))
    return { do: 'join', id: only.record.id, by: 'menu', isGuess: true }
  const [{ record }] = matches as [(typeof matches)[number]]
  const mismatch = mismatchOf(menu, record.request.tool, record.request.input)
  const isContrary = matches.length === 1 && record.state === 'pending' && record.kind === 'permission'
  if (mismatch !== null && isContrary && menu.kind === 'permission')
    return { do: 'join', id: record.id, by: 'menu', mismatch }
  return { do: 'wait' }
}

/** Dialogs that the pack knows, and that are not about a tool. */
const OTHER_DIALOGS: ReadonlySet<Menu['kind']> = new Set(['trust', 'auth', 'api_key', 'update', 'limit', 'resume'])

/** Of requests that the menu shows the one with the longest target; of equal ones the oldest. */
function mostSpecific(records: readonly ApprovalRecord[]): ApprovalRecord | null {
  const length = ({ request }: ApprovalRecord) => specificity(request.tool, request.input)
  const longest = Math.max(0, ...records.map(length))
  const best = records.filter(record => length(record) === longest)
  const isEqual = new Set(best.map(({ request }) => canonicalJson(request.input))).size <= 1
  return isEqual ? (best[0] ?? null) : null
}

/** Whether one of its options may let a tool run. */
function mayAllow({ kind, options }: MenuReport['menu']): boolean {
  return kind === 'permission' || options.some(({ meaning }) => meaning.startsWith('allow'))
}

function asks(record: ApprovalRecord, menu: MenuReport['menu']): boolean {
  return (
    record.kind === menu.kind &&
    record.request.questions.some(question => withoutBlanks(question.text) === withoutBlanks(menu.question))
  )
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
