import { z } from 'zod'
import { SignalboxError } from '../../errors/index.js'
import { type Route, route } from '../route.js'
import { answer, okAnswer } from '../schemas/common.js'
import { daemon } from '../schemas/system.js'

/** Operations of the daemon itself. */
export const daemonRoutes: readonly Route[] = [
  route({
    id: 'health.alive',
    method: 'GET',
    path: '//healthz',
    summary: 'Whether the server is running.',
    access: 'open',
    answers: { 200: okAnswer },
    handle: ({ json }) => json({ ok: true }),
  }),
  route({
    id: 'health.daemon',
    method: 'GET',
    path: '/daemon',
    summary: 'The build of the daemon, so that a newer one can replace it.',
    access: 'owner',
    isSocketOnly: true,
    answers: { 200: answer('the daemon', daemon) },
    handle: async ({ host, parts: { version, build }, json }) =>
      json({
        pid: process.pid,
        version,
        build: build.time,
        isDetached: build.isDetached,
        isLocked: (await host.ledger.lockdown.since()) !== null,
        catchingUp: host.catchingUp,
      }),
  }),
  route({
    id: 'health.shutdown',
    method: 'POST',
    path: '/shutdown',
    summary: 'Stops the daemon; sessions continue in the keeper.',
    access: 'owner',
    isSocketOnly: true,
    body: z.object({ pid: z.int().optional().describe('Only if the daemon is this process.') }),
    answers: { 200: okAnswer },
    handle: ({ parts, body, json }) => {
      if (body.pid === undefined || body.pid === process.pid) parts.stop()
      return json({ ok: true })
    },
  }),
  route({
    id: 'health.restart',
    method: 'POST',
    path: '/restart',
    summary: 'Replaces the daemon by a new one, which applies changed settings; sessions continue in the keeper.',
    access: 'owner',
    answers: { 202: okAnswer },
    handle: async ({ host, parts, json }) => {
      if ((await host.ledger.lockdown.since()) !== null)
        throw new SignalboxError('E_STATE', 'Signalbox is locked down', { next: 'unlock it in a terminal' })
      if (!parts.restart)
        throw new SignalboxError('E_STATE', 'a person or a service started this server with its own options', {
          next: 'stop it there and start it again',
        })
      parts.restart()
      return json({ ok: true }, 202)
    },
  }),
]
