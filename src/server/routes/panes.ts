import { z } from 'zod'
import { SignalboxError } from '../../errors/index.js'
import type { Host } from '../../host/index.js'
import { PANE_ACTIONS, type PaneAction, type PaneExplanation } from '../../supervision/index.js'
import { type Call, type Route, route } from '../route.js'
import { answer, okAnswer } from '../schemas/common.js'
import { explanation } from '../schemas/explain.js'
import { packProblems, pane, paneList, paneStats, paneSwitches, tmuxJoined } from '../schemas/panes.js'
import { sessionOf } from './active-session.js'

const tmuxBody = z.strictObject({
  directories: z.array(z.string().startsWith('/')).max(20).default([]),
  sockets: z.array(z.string().startsWith('/')).max(100).default([]),
})
const actBody = z.strictObject({ action: z.enum(PANE_ACTIONS) })
const switchBody = z.strictObject({ switch: z.string(), isOn: z.boolean() })
const switchesAnswer = answer('every switch', paneSwitches)

const paneAnswer = answer('the pane', pane)

export const paneRoutes: readonly Route[] = [
  route({
    id: 'panes.list',
    method: 'GET',
    path: '/panes',
    summary: 'All supervised panes: sessions and tmux panes.',
    access: 'viewer',
    query: z.strictObject({ status: z.array(z.string()).default([]), source: z.array(z.string()).default([]) }),
    answers: { 200: answer('all panes', paneList) },
    handle: async call => {
      const { status, source } = call.query
      panesOf(call.host)
      const items = call.parts.panes
        .list()
        .filter(
          found =>
            (status.length === 0 || status.includes(found.status)) &&
            (source.length === 0 || source.includes(found.source)),
        )
      return call.json({ items, next: null, position: await call.position() })
    },
  }),
  route({
    id: 'panes.stats',
    method: 'GET',
    path: '/panes/stats',
    summary: 'Statistics of the supervision.',
    access: 'viewer',
    answers: { 200: answer('counts by status, and counters', paneStats) },
    handle: ({ host, json }) => json(panesOf(host).stats()),
  }),
  route({
    id: 'panes.join-tmux',
    method: 'POST',
    path: '/panes/sources/tmux',
    summary: 'Connects to tmux servers.',
    access: 'owner',
    isSocketOnly: true,
    body: tmuxBody,
    answers: { 200: answer('whether tmux is installed', tmuxJoined) },
    handle: async ({ host, body, json }) => json({ joined: await panesOf(host).joinTmux(body) }),
  }),
  route({
    id: 'panes.presence',
    method: 'POST',
    path: '/panes/presence',
    summary: 'Reports that a person pressed keys in a terminal.',
    access: 'owner',
    isSocketOnly: true,
    body: z.strictObject({ surface: z.enum(['watch']) }),
    answers: { 200: okAnswer },
    handle: ({ host, json }) => {
      host.notifications?.present('terminal')
      return json({ ok: true })
    },
  }),
  route({
    id: 'panes.switches',
    method: 'GET',
    path: '/panes/switches',
    summary: 'What is switched off for one pane or for all.',
    access: 'viewer',
    answers: { 200: switchesAnswer },
    handle: ({ host, json }) => json({ items: host.switches.list() }),
  }),
  route({
    id: 'panes.set-switch',
    method: 'POST',
    path: '/panes/switches',
    summary: 'Switches a source of evidence or notifications on or off for all panes.',
    access: 'owner',
    body: switchBody,
    answers: { 200: switchesAnswer },
    handle: ({ host, body, json }) => {
      host.switches.set(body.switch, body.isOn)
      return json({ items: host.switches.list() })
    },
  }),
  route({
    id: 'panes.get',
    method: 'GET',
    path: '/panes/:id',
    summary: 'One pane.',
    access: 'viewer',
    answers: { 200: paneAnswer },
    handle: ({ host, parts, params, json }) => json(parts.panes.versioned(panesOf(host).find(params.id!))),
  }),
  route({
    id: 'panes.act',
    method: 'POST',
    path: '/panes/:id/act',
    summary: 'Marks a pane as seen, clears it, or switches its heuristics.',
    access: 'approver',
    body: actBody,
    answers: { 200: paneAnswer },
    handle: call => act(call, call.body.action),
  }),
  route({
    id: 'panes.acknowledge',
    method: 'POST',
    path: '/panes/:id/acknowledge',
    summary: 'Marks the result of a pane as seen.',
    access: 'approver',
    answers: { 200: paneAnswer },
    handle: call => act(call, 'seen'),
  }),
  route({
    id: 'panes.clear',
    method: 'POST',
    path: '/panes/:id/clear',
    summary: 'Resets the state of a pane, so that it is read again.',
    access: 'approver',
    answers: { 200: paneAnswer },
    handle: call => act(call, 'clear'),
  }),
  route({
    id: 'panes.explain',
    method: 'GET',
    path: '/panes/:id/explain',
    summary: 'Why a pane has its status: now, or at a time of its recording.',
    access: 'viewer',
    query: z.strictObject({
      at: z.coerce.number().min(0).optional().describe('seconds since the start of the session'),
    }),
    answers: { 200: answer('the reading, with its evidence', explanation) },
    handle: async ({ host, person, params, query, json }) => {
      const word = params.id!
      const at = query.at ?? null
      const supervised = explainPane(host, word)
      if (supervised && supervised.pane.source !== 'session') return json({ supervision: supervised })
      const record = await sessionOf({ host, person }, word)
      const explanation = await host.explain(record, at)
      return json(supervised && at === null ? { ...explanation, supervision: supervised } : explanation)
    },
  }),
  route({
    id: 'packs.problems',
    method: 'GET',
    path: '/packs/problems',
    summary: 'Pack files that are not used, and why.',
    access: 'viewer',
    answers: { 200: answer('the problems', packProblems) },
    handle: ({ host, json }) => json({ items: host.packs.problems() }),
  }),
]

function act({ host, parts, params, json }: Call, action: PaneAction) {
  const panes = panesOf(host)
  return json(parts.panes.versioned(panes.performAction(panes.find(params.id!).id, action)))
}

export function panesOf(host: Host): NonNullable<Host['panes']> {
  if (!host.panes) throw new SignalboxError('E_UNKNOWN', 'this host does not supervise panes')
  return host.panes
}

/**
 * Null if no pane with this name is supervised; a session that has ended still has its recording.
 */
function explainPane(host: Host, word: string): PaneExplanation | null {
  if (!host.panes) return null
  try {
    return host.panes.explain(host.panes.find(word).id)
  } catch (error) {
    if (error instanceof SignalboxError && error.code === 'E_UNKNOWN') return null
    throw error
  }
}
