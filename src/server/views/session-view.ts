import type { Host } from '../../host/index.js'
import { liveMenu, type SessionRecord } from '../../sessions/index.js'

export type SessionView = Omit<SessionRecord, 'chosen'> & { [more: string]: unknown }

/** A session's record with what is known of it now. */
export function sessionView(host: Host, { chosen: _, ...record }: SessionRecord): SessionView {
  const session = host.live(record.id)
  if (!session) return { ...record }
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
