import { z } from 'zod'
import { findRun, type RunHost } from '../../engine/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { ServerParts } from '../parts.js'
import { type Route, route } from '../route.js'
import { answer } from '../schemas/common.js'
import { engine, rebuilt } from '../schemas/engine.js'

/** The engine of runs, and the servers that run them. */
export const engineRoutes: readonly Route[] = [
  route({
    id: 'engine.status',
    method: 'GET',
    path: '/engine',
    summary: 'The engine of runs, as this server sees it, and all servers of the store.',
    access: 'viewer',
    answers: { 200: answer('the engine', engine) },
    handle: async ({ parts, json }) => {
      const servers = (parts.servers?.live ?? []).map(({ id, address, version, startedAt, isSelf }) => ({
        ...{ id, address, version, startedAt, isSelf },
      }))
      return json({ ...(await runsOf(parts).engine.status()), servers })
    },
  }),
  route({
    id: 'engine.rebuild',
    method: 'POST',
    path: '/engine/rebuild',
    summary: 'Has the engine check every open run, or one, in case it lost its state.',
    access: 'owner',
    body: z.strictObject({ run: z.string().optional() }),
    answers: { 200: answer('how many', rebuilt) },
    handle: async ({ parts, host, body, json }) => {
      const run = body.run === undefined ? undefined : (await findRun(host.store, body.run)).id
      return json({ runs: await runsOf(parts).engine.rebuild(run) })
    },
  }),
]

function runsOf({ runs }: ServerParts): RunHost {
  if (runs) return runs
  throw new SignalboxError('E_STATE', 'this server has no runs', { next: 'signalbox serve' })
}
