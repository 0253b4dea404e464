import { resumableLost } from '../../host/index.js'
import { type SessionRecord, sessionsProjection } from '../../sessions/index.js'
import type { CommandContext } from '../context.js'
import { withStore } from '../runs/with-store.js'

/** Sessions that ran when the machine stopped and can be resumed. Needs no daemon. */
export function lostSessions(context: CommandContext): Promise<SessionRecord[]> {
  return withStore(context, async store => {
    const documents = await store.documents<SessionRecord>(sessionsProjection.name)
    return resumableLost(documents.map(({ state }) => state).sort((a, b) => a.startedAt - b.startedAt))
  })
}

/** Sessions without a recorded end: while no daemon runs, their agents continue in the keeper. */
export function runningSessions(context: CommandContext): Promise<SessionRecord[]> {
  return withStore(context, async store => {
    const documents = await store.documents<SessionRecord>(sessionsProjection.name)
    return documents.map(({ state }) => state).filter(({ state }) => state === 'live' || state === 'starting')
  })
}
