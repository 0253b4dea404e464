import { type Route, route } from '../route.js'
import { okAnswer } from '../schemas/common.js'

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
