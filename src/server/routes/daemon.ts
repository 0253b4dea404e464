import { z } from 'zod'
import { type Route, route } from '../route.js'
import { answer, moment, okAnswer, position } from '../schemas/common.js'

/** The daemon itself. */
export const daemonRoutes: readonly Route[] = [
  route({
    id: 'health.alive',
    method: 'GET',
    path: '//healthz',
    summary: 'Whether the server answers.',
    access: 'open',
    answers: { 200: okAnswer },
    handle: ({ json }) => json({ ok: true }),
  }),
  route({
    id: 'health.get',
    method: 'GET',
    path: '/health',
    summary: 'How the daemon is.',
    access: 'viewer',
    answers: {
      200: answer(
        'its parts',
        z.looseObject({ pid: z.int(), version: z.string(), startedAt: moment, store: z.string(), position }),
      ),
    },
    handle: async call => {
      const { parts, host } = call
      return call.json({
        pid: process.pid,
        version: parts.version,
        startedAt: parts.startedAt,
        store: host.store.id,
        position: await call.position(),
        address: parts.address(),
      })
    },
  }),
  route({
    id: 'health.shutdown',
    method: 'POST',
    path: '/shutdown',
    summary: 'Ends the daemon; sessions live on in the keeper.',
    access: 'owner',
    isSocketOnly: true,
    answers: { 200: okAnswer },
    handle: ({ parts, json }) => {
      parts.stop()
      return json({ ok: true })
    },
  }),
]
