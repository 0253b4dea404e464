import type { Host } from '../../host/index.js'
import { liveMenu, type SessionRecord } from '../../sessions/index.js'
import type { Session } from '../api-types.js'
import type { Sendable } from '../wire/index.js'

/** A session's record, and its live state if it runs. */
export function sessionView(host: Host, { chosen: _, ...record }: SessionRecord): Sendable<Session> {
  const session = host.live(record.id)
  if (!session) return { ...record, ...(host.isCatchingUp(record.id) && { catchingUp: true as const }) }
  const { observation } = session
  const crew = host.agentStats(record.id)
  const menu = liveMenu(observation ?? null)
  return {
    ...record,
    phase: session.phase,
    view: observation?.view ?? 'unknown',
    busy: observation?.busy ?? null,
    awaiting: observation?.awaiting ?? null,
    rule: observation?.rule ?? 'none',
    idle: session.isIdle,
    holder: session.holder,
    held: session.heldPrompts.length,
    ...(menu && { question: menu.question }),
    ...(session.approval && { approval: session.approval.id }),
    offset: session.offset,
    ...(session.compactCommand !== null && { compact: session.compactCommand }),
    ...(crew && { crew }),
  }
}
