import { type ApprovalRecord, requestTitle } from '../../approvals/index.js'
import { closedReason, plural } from '../../text/index.js'
import { paintLine, wrapLine } from '../cells.js'
import type { CommandContext } from '../context.js'
import { commandLines, contentLines, factLines, type RequestLine } from './request-lines.js'

/** An approval as the daemon describes it, with the request to be answered first. */
export type ApprovalInfo = ApprovalRecord & { behind?: string }

/**
 * The request as a person must see it, `indent` columns from the left. With `limit`, a list shows
 * only that many lines of what the agent asks for, and says how many it leaves out.
 */
export function approvalLines(
  approval: ApprovalInfo,
  context: Pick<CommandContext, 'style' | 'isOutputTty' | 'columns'>,
  { limit = Number.POSITIVE_INFINITY, indent = 0 }: { limit?: number; indent?: number } = {},
): string[] {
  const { subject } = approval
  const content = contentLines(approval)
  // A few lines more are better than a remark about them.
  const isCut = content.length > limit + 3
  const shown = isCut ? content.slice(0, limit) : content
  // Only a terminal has an edge; a pipe gets whole lines.
  const width = context.isOutputTty ? Math.max(20, context.columns - indent) : Number.POSITIVE_INFINITY
  const paint = ({ cells, mark }: RequestLine) =>
    wrapLine(cells, width, mark).map(line => ' '.repeat(indent) + paintLine(line, context))
  const more = `… ${plural(content.length - limit, 'more line')}: signalbox approvals ${approval.id}`
  return [
    { cells: [{ text: `${requestTitle(approval)} · ${subject.project}`, style: 'bold' as const }] },
    ...shown,
    ...(isCut ? [{ cells: [{ text: more, style: 'dim' as const }] }] : []),
    ...factLines(approval),
    ...commandLines(approval),
  ].flatMap(paint)
}

function observedEnd(
  kind: ApprovalRecord['kind'],
  { actor, result }: NonNullable<NonNullable<ApprovalRecord['outcome']>['observed']>,
): string {
  const word = kind === 'question' && result === 'denied' ? 'declined' : (result ?? 'answered')
  return `${word} in the agent’s own dialog by ${actor.name}`
}

/** The outcome of a decision in a line: `applied`, `not applied: the agent changed its…`. */
export function endOf({ kind, state, outcome }: ApprovalRecord): string {
  const evidence = (outcome?.evidence ?? []) as { kind: string; way?: string }[]
  const way = evidence.find(({ kind }) => kind === 'note')?.way
  const delivered = way === 'undelivered' ? 'could not be delivered' : `was delivered (${way})`
  const note = way === undefined ? '' : `; the reason ${delivered}`
  if (outcome?.observed) return observedEnd(kind, outcome.observed)
  if (state === 'stale') return `not applied: ${closedReason(outcome?.reason)}${note}`
  return `${state}${outcome?.reason ? ` (${closedReason(outcome.reason)})` : ''}${note}`
}
