import { z } from 'zod'
import { SignalboxError } from '../../errors/index.js'
import { DEFAULT_POOL, showPin, type WorkerHub, type WorkerView } from '../../workers/index.js'
import type { Worker } from '../api-types.js'
import type { ServerParts } from '../parts.js'
import { type Route, route } from '../route.js'
import { answer, okAnswer } from '../schemas/common.js'
import { worker, workerComparisons, workerInvite, workerList } from '../schemas/workers.js'
import { pinOf } from '../tls-pin.js'
import type { Sendable } from '../wire/index.js'

const workerAnswer = answer('the worker', worker)
const NAME = /^[\w.-]{1,60}$/

/** Machines that perform runs for this server. */
export const workerRoutes: readonly Route[] = [
  route({
    id: 'workers.list',
    method: 'GET',
    path: '/workers',
    summary: 'Workers, by name, with their load and their runs.',
    access: 'viewer',
    answers: { 200: answer('the workers', workerList) },
    handle: async ({ parts, json }) => json({ items: (await hubOf(parts).list()).map(workerView) }),
  }),
  route({
    id: 'workers.compare',
    method: 'GET',
    path: '/workers/compare',
    summary: 'What each worker has and the log does not, and the reverse.',
    access: 'viewer',
    answers: { 200: answer('the workers that this server knows', workerComparisons) },
    handle: async ({ parts, json }) => json({ items: (await parts.workers?.compare()) ?? [] }),
  }),
  route({
    id: 'workers.invite',
    method: 'POST',
    path: '/workers/invite',
    summary: 'Makes a link with which one machine can join as a worker.',
    access: 'owner',
    isSocketOnly: true,
    body: z.strictObject({
      pool: z.string().regex(NAME).default(DEFAULT_POOL),
      labels: z.record(z.string().regex(NAME), z.string().max(200)).default({}),
      validMs: z
        .int()
        .min(1)
        .default(15 * 60_000),
    }),
    answers: { 201: answer('the link', workerInvite) },
    handle: async ({ parts, body, person, json }) => {
      const address = parts.settings.workerAddress ?? parts.address()
      if (address === null)
        throw new SignalboxError('E_STATE', 'the server has no address that a worker could reach', {
          next: 'choose a free port: signalbox serve --port 0',
        })
      const token = await hubOf(parts).registry.invite({ ...body, by: person.name })
      const pin = pinOf(parts.settings)
      const until = parts.clock.now() + body.validMs
      const link = `${address}/#${token}${pin === null ? '' : `.${pin}`}`
      return json({ link, until, fingerprint: pin && showPin(pin) }, 201)
    },
  }),
  route({
    id: 'workers.drain',
    method: 'POST',
    path: '/workers/:id/drain',
    summary: 'Gives a worker no further runs, or gives it runs again.',
    access: 'owner',
    body: z.strictObject({
      isDraining: z.boolean().default(true),
      isMoving: z.boolean().default(false).describe('its runs move to other workers now'),
    }),
    answers: { 200: workerAnswer },
    handle: async ({ parts, params, body, person, json }) => {
      const hub = hubOf(parts)
      const found = await hub.registry.find(params.id!)
      await hub.registry.drain(found, body.isDraining, person.name)
      const { runs } = await hub.view(found)
      if (body.isMoving) for (const run of runs) await hub.placer.move(run, { by: person.name })
      return json(workerView(await hub.view(await hub.registry.find(found.id))))
    },
  }),
  route({
    id: 'workers.lost',
    method: 'POST',
    path: '/workers/:id/lost',
    summary: 'Declares a worker lost: its runs move to other workers at once.',
    access: 'owner',
    answers: { 200: workerAnswer },
    handle: async ({ parts, params, person, json }) => {
      const hub = hubOf(parts)
      const found = await hub.registry.find(params.id!)
      await hub.declareLost(found, 'declared lost by a person', person.name)
      return json(workerView(await hub.view(await hub.registry.find(found.id))))
    },
  }),
  route({
    id: 'workers.remove',
    method: 'DELETE',
    path: '/workers/:id',
    summary: 'Removes a worker without open runs: its key is no longer valid.',
    access: 'owner',
    answers: { 200: okAnswer },
    handle: async ({ parts, params, person, json }) => {
      const hub = hubOf(parts)
      await hub.remove(await hub.registry.find(params.id!), person.name)
      return json({ ok: true })
    },
  }),
]

/** @throws SignalboxError `E_STATE` in a host that drives no runs. */
export function hubOf({ workers }: ServerParts): WorkerHub {
  if (workers) return workers
  throw new SignalboxError('E_STATE', 'this server has no workers', { next: 'signalbox serve' })
}

function workerView({ record, process: _, ...view }: WorkerView): Sendable<Worker> {
  const { key: __, boot: ___, joinedAt: ____, invited: _____, changedAt: since, ...rest } = record
  return { ...rest, since, ...view }
}
