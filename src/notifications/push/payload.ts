import { type ApprovalRecord, contentText, denyingOption, requestContent, requestTitle } from '../../approvals/index.js'
import type { PaneNotification } from '../notification.js'
import type { PushPayload } from './push-service.js'

const BODY_MAX = 180

/**
 * What a browser shows of a notification. The message is encrypted for that browser, so it may say
 * what is asked. *Allow* is offered only where one press on a small card is enough: for a low risk.
 */
export function pushPayload(notice: PaneNotification, request: ApprovalRecord | null): PushPayload {
  const base = { tag: notice.approval ?? `${notice.kind} ${notice.pane}`, url: notice.url }
  if (!request || notice.approval === undefined) return { ...base, title: notice.title, body: notice.body }
  const text = contentText(requestContent(request)).replace(/\s+/g, ' ').trim()
  return {
    ...base,
    title: `${notice.project}: ${requestTitle(request)}`,
    body: text.length > BODY_MAX ? `${text.slice(0, BODY_MAX)}…` : text,
    approval: request.id,
    answers: answersOf(request),
  }
}

function answersOf({ kind, request, risk, terminalOnly, display }: ApprovalRecord): ('allow' | 'deny')[] {
  if (kind !== 'permission') return []
  const deny = denyingOption(request.options)
  const mayAllow = risk.level === 'low' && terminalOnly === undefined && !display.isCut
  const hasAllow = request.options.some(({ meaning }) => meaning === 'allow-once')
  return [
    ...(mayAllow && hasAllow ? (['allow'] as const) : []),
    ...(deny && deny.takes === undefined ? (['deny'] as const) : []),
  ]
}
