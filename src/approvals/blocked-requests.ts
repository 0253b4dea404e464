import { type ApprovalRecord, isOpen } from './record.js'

/**
 * Several requests may be open in a session, and only the one whose menu is on screen can be
 * answered by keys. Gives, for each other one without a channel of its own for the answer, the
 * request that blocks it.
 */
export function blockersOf(records: readonly ApprovalRecord[]): Map<string, string> {
  const blockers = new Map<string, string>()
  const open = records.filter(isOpen)
  for (const [session, group] of groupBySession(open)) {
    if (session === undefined) continue
    const front = group.findLast(record => record.menuHash !== undefined)
    if (!front) continue
    for (const record of group) {
      const canHold = record.source.can?.includes('hold') ?? false
      if (record.id !== front.id && !canHold) blockers.set(record.id, front.id)
    }
  }
  return blockers
}

function groupBySession(records: readonly ApprovalRecord[]): Map<string | undefined, ApprovalRecord[]> {
  const groups = new Map<string | undefined, ApprovalRecord[]>()
  for (const record of records) {
    const { session } = record.subject
    groups.set(session, [...(groups.get(session) ?? []), record])
  }
  return groups
}
