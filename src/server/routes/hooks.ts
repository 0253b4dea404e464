import { z } from 'zod'
import { SignalboxError } from '../../errors/index.js'
import { depthOf } from '../body.js'
import { type Call, type Route, route } from '../route.js'
import { answer } from '../schemas/common.js'

const DEPTH_MAX = 64

const taken = z.object({
  ok: z.literal(true),
  pane: z.string().nullable(),
  answer: z.string().nullable().optional().describe('what the hook prints for the agent; null: no decision'),
})

/** Receives hook reports. Answers at once, except to held permission requests. */
export const hookRoutes: readonly Route[] = [
  route({
    id: 'hooks.report',
    method: 'POST',
    path: '/hooks/:source',
    summary: 'A report of an agent’s hook; a permission request may be held open.',
    access: 'hook',
    isWrite: false,
    textBody: '*',
    answers: { 200: answer('accepted, with the answer for the agent', taken), 202: answer('recorded', taken) },
    handle: async ({ host, params, request, bytes, closed, json }) => {
      const {
        status,
        pane,
        answer: held,
      } = await host.hooks.receive({
        source: params.source!,
        token: bearerOf(request),
        body: payloadOf(bytes),
        closed,
      })
      if (!held) return json({ ok: true, pane }, status)
      return json({ ok: true, pane, answer: await held }, status)
    },
  }),
]

/** Null without the header. A header of another scheme counts as a wrong token. */
export function bearerOf(request: Request): string | null {
  const header = request.headers.get('authorization')
  return header === null ? null : (/^Bearer (\S+)$/i.exec(header)?.[1] ?? '')
}

function payloadOf(bytes: Call['bytes']): unknown {
  const text = new TextDecoder().decode(bytes)
  if (depthOf(text) > DEPTH_MAX)
    throw new SignalboxError('E_INPUT', `the body is nested too deeply; the limit is ${DEPTH_MAX} levels`)
  try {
    return JSON.parse(text)
  } catch {
    // The inbox reports and counts input that is not JSON.
    return null
  }
}
