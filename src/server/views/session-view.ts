import type { Host } from '../../host/index.js'
import type { SessionPort, SessionRecord } from '../../sessions/index.js'
import type { Session } from '../api-types.js'
import type { Sendable } from '../wire/index.js'

/** A session's record, and its live state if it runs. */
export function sessionView(
  host: Host,
  { chosen: _, saved: __, spent: ___, ...stored }: SessionRecord,
): Sendable<Session> {
  const session = host.live(stored.id)
  const record = { ...stored, ...workerOf(host, stored) }
  if (!session) return { ...record, ...(host.isCatchingUp(record.id) && { catchingUp: true as const }) }
  const { observation } = session
  const stats = host.agentStats(record.id)
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
    ...(session.question !== null && { question: session.question }),
    ...(session.approval && { approval: session.approval.id }),
    offset: session.offset,
    ...modeOf(session),
    ...(session.compactCommand !== null && { compact: session.compactCommand }),
    ...(stats && { stats }),
  }
}

/** On which worker it is, and since when that is away. */
function workerOf(host: Host, record: SessionRecord): Pick<Sendable<Session>, 'on' | 'awaySince'> {
  const worker = host.remote.whereIs(record)
  if (!worker) return {}
  const isAway = worker.awaySince !== null && host.remote.has(record.id)
  return { on: worker.name, ...(isAway && { awaySince: worker.awaySince! }) }
}

/** The permission mode, where the agent's screen shows it. */
function modeOf({ observation }: Pick<SessionPort, 'observation'>): { mode?: string } {
  const shown = observation?.facets.find(({ name }) => name === 'mode')?.data.name
  return typeof shown === 'string' ? { mode: shown.replace(/ on$/, '') } : {}
}
