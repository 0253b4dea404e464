import { z } from 'zod'
import { type Route, route } from '../route.js'
import { okAnswer } from '../schemas/common.js'

const daemon = z.object({
  pid: z.int(),
  version: z.string(),
  build: z.number(),
  isDetached: z.boolean(),
  isLocked: z.boolean(),
})

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
    id: 'health.daemon',
    method: 'GET',
    path: '/daemon',
    summary: 'Which program runs as the daemon: a newer one may take its place.',
    access: 'owner',
    isSocketOnly: true,
    answers: { 200: { description: 'The daemon.', schema: daemon } },
    handle: async ({ host, parts: { version, build }, json }) =>
      json({
        pid: process.pid,
        version,
        build: build.time,
        isDetached: build.isDetached,
        isLocked: (await host.ledger.lockdown.since()) !== null,
      }),
  }),
  route({
    id: 'health.shutdown',
    method: 'POST',
    path: '/shutdown',
    summary: 'Ends the daemon; sessions live on in the keeper.',
    access: 'owner',
    isSocketOnly: true,
    body: z.object({ pid: z.int().optional().describe('Only if the daemon is this process.') }),
    answers: { 200: okAnswer },
    handle: ({ parts, body, json }) => {
      if (body.pid === undefined || body.pid === process.pid) parts.stop()
      return json({ ok: true })
    },
  }),
]
