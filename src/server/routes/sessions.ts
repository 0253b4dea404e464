import { z } from 'zod'
import { createDemoDirectory, createSampleProject } from '../../agents/index.js'
import { delay, newId } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { Host, StartRequest } from '../../host/index.js'
import type { Holder, SessionRecord } from '../../sessions/index.js'
import { hasWords } from '../../text/index.js'
import { createWorkspace, discardWorkspace } from '../../worktrees/index.js'
import { personName } from '../caller.js'
import { type Call, type Route, route } from '../route.js'
import { answer, listAnswer, listQuery, okAnswer } from '../schemas/common.js'
import { interrupted, screen, session, sessionBudget, stopped, waited } from '../schemas/sessions.js'
import { pageOf } from '../views/page.js'
import { sessionView } from '../views/session-view.js'
import { activeOf, liveOf, sessionOf } from './active-session.js'
import { placement, placementOf, sandbox } from './run-start.js'

const size = z.strictObject({ cols: z.int(), rows: z.int() }).nullable().default(null)
const env = z.record(z.string(), z.string()).nullable().default(null).describe('only on the owner’s socket')
const startBody = z.strictObject({
  agent: z.string().nullable().describe('its name; null for any program, only on the owner’s socket'),
  args: z.array(z.string()).max(200).default([]),
  cwd: z.string().optional().describe('only the demo agent may omit it: it then works in a scratch project'),
  prompt: z.string().min(1).optional(),
  worktree: z.boolean().default(false).describe('start in a new git worktree, on its own branch'),
  env,
  size,
  label: z.string().max(200).nullable().default(null),
  resume: z.string().nullable().default(null),
  sandbox,
  channel: z
    .enum(['acp'])
    .optional()
    .describe('over the Agent Client Protocol, without a terminal, for agents that speak it'),
  placement,
  budget: sessionBudget.optional().describe('what it may use before it is paused; default: as the settings say'),
})
const resumeBody = z.strictObject({ env, size })

/** The environment of the new session comes only from the owner's socket. */
function continuation({
  body,
  who,
  person,
}: Pick<Call<unknown, z.infer<typeof resumeBody>>, 'body' | 'who' | 'person'>) {
  return { terminal: who.kind === 'socket' ? body.env : null, size: body.size, person: personName(person.id) }
}

const stopBody = z.strictObject({ graceMs: z.int().min(0).max(60_000).optional() })
const keysBody = z.union([
  z.strictObject({ keys: z.array(z.string().max(40)).min(1).max(100) }),
  z.strictObject({ text: z.string().max(65_536) }),
])

const WAIT_MAX_MS = 300_000

const sessionAnswer = answer('the session', session)

export const sessionRoutes: readonly Route[] = [
  route({
    id: 'sessions.list',
    method: 'GET',
    path: '/sessions',
    summary: 'Sessions, newest first.',
    access: 'viewer',
    query: z.strictObject({
      ...listQuery,
      state: z.array(z.enum(['starting', 'live', 'ended', 'lost'])).default([]),
      agent: z.array(z.string()).default([]),
      project: z.array(z.string()).default([]),
      q: z.string().max(200).optional(),
    }),
    answers: { 200: listAnswer(session) },
    handle: async call => {
      const { host, query } = call
      const records = (await host.records())
        .reverse()
        .filter(
          record =>
            (query.state.length === 0 || query.state.includes(record.state)) &&
            (query.agent.length === 0 || query.agent.includes(record.agent)) &&
            (query.project.length === 0 || query.project.includes(record.project)) &&
            hasWords(query.q, [record.label, record.agent, record.cwd, record.id]),
        )
      const page = await pageOf(call, records, query)
      return call.json({ ...page, items: page.items.map(record => sessionView(host, record)) })
    },
  }),
  route({
    id: 'sessions.start',
    method: 'POST',
    path: '/sessions',
    summary: 'Starts an agent in a new terminal.',
    access: 'approver',
    rate: 'session',
    body: startBody,
    answers: { 201: sessionAnswer },
    handle: async ({ host, body, who, person, json }) => {
      const { prompt, worktree, placement, budget, ...start } = body
      if (who.kind !== 'socket' && (start.env !== null || start.agent === null))
        throw new SignalboxError(
          'E_INPUT',
          'over the network only named agents can be started, in the daemon’s environment',
          {
            next: 'name an agent and omit env',
          },
        )
      if (start.resume !== null) await refuseRunning(host, start.resume)
      const cwd = start.cwd ?? (await scratchProject(placement ? null : start.agent))
      const request = { ...start, cwd, terminal: start.env, person: personName(person.id) }
      const record = placement
        ? await host.remote.start(request, placementOf(placement))
        : await (worktree ? startInWorktree(host, request) : host.startSession(request))
      if (budget) await host.budgets.set(record.id, budget, request.person)
      if (prompt !== undefined) await (await host.whenLive(record.id))?.send(prompt, { whenBusy: 'hold' })
      return json(sessionView(host, budget ? await host.record(record.id) : record), 201)
    },
  }),
  route({
    id: 'sessions.budget',
    method: 'POST',
    path: '/sessions/:id/budget',
    summary: 'Sets what a session may use; a paused one continues if that is enough.',
    access: 'approver',
    body: sessionBudget,
    answers: { 200: sessionAnswer },
    handle: async ({ host, params, body, person, json }) => {
      const record = await sessionOf({ host, person }, params.id!)
      await host.budgets.set(record.id, body, personName(person.id))
      return json(sessionView(host, await host.record(record.id)))
    },
  }),
  route({
    id: 'sessions.get',
    method: 'GET',
    path: '/sessions/:id',
    summary: 'One session.',
    access: 'viewer',
    answers: { 200: sessionAnswer },
    handle: async ({ host, person, params, json }) =>
      json(sessionView(host, await sessionOf({ host, person }, params.id!))),
  }),
  route({
    id: 'sessions.keys',
    method: 'POST',
    path: '/sessions/:id/keys',
    summary: 'Presses named keys.',
    access: 'approver',
    body: keysBody,
    answers: { 200: okAnswer },
    handle: async ({ host, person, params, body, json }) => {
      const live = await liveOf({ host, person }, params.id!)
      const bytes = 'keys' in body ? keyBytes(body.keys, live.isApplicationCursor) : encode(body.text)
      if (!(await live.type(bytes))) throw keyboardTaken(live.holder)
      return json({ ok: true })
    },
  }),
  route({
    id: 'sessions.stop',
    method: 'POST',
    path: '/sessions/:id/stop',
    summary: 'Ends the session’s program.',
    access: 'approver',
    body: stopBody,
    answers: { 200: answer('the session, and the new active one', stopped) },
    handle: async call => {
      const { host, params, body, json } = call
      const record = await sessionOf(call, params.id!)
      const before = await activeOf(call)
      const live = await host.whenLive(record.id)
      if (live && !live.exit) await live.stop('stopped', body.graceMs)
      const ended = sessionView(host, await host.record(record.id))
      if (before?.id !== record.id) return json(ended)
      const after = await activeOf(call)
      return json({ ...ended, nowActive: after && sessionView(host, after) })
    },
  }),
  route({
    id: 'sessions.interrupt',
    method: 'POST',
    path: '/sessions/:id/interrupt',
    summary: 'Interrupts the agent; the session continues.',
    access: 'approver',
    answers: { 200: answer('the result', interrupted) },
    handle: async ({ host, person, params, json }) => {
      const live = await liveOf({ host, person }, params.id!)
      const result = await live.interrupt()
      await live.effectsDone()
      return json({ session: live.id, ...result })
    },
  }),
  route({
    id: 'sessions.resume',
    method: 'POST',
    path: '/sessions/:id/resume',
    summary: 'Continues the conversation of an ended session in a new one.',
    access: 'approver',
    rate: 'session',
    body: resumeBody,
    answers: { 201: sessionAnswer },
    handle: async ({ host, params, body, who, person, json }) => {
      const record = await sessionOf({ host, person }, params.id!)
      const resumed = await host.resumeSession(record, continuation({ body, who, person }))
      return json(sessionView(host, resumed), 201)
    },
  }),
  route({
    id: 'sessions.fork',
    method: 'POST',
    path: '/sessions/:id/fork',
    summary: 'Starts a new session with everything that the conversation of this one has.',
    access: 'approver',
    rate: 'session',
    body: resumeBody,
    answers: { 201: sessionAnswer },
    handle: async ({ host, params, body, who, person, json }) => {
      const record = await sessionOf({ host, person }, params.id!)
      const forked = await host.forkSession(record, continuation({ body, who, person }))
      return json(sessionView(host, forked), 201)
    },
  }),
  route({
    id: 'sessions.wait',
    method: 'GET',
    path: '/sessions/:id/wait',
    summary: 'Waits until the session is idle, asks, or ends.',
    access: 'viewer',
    query: z.strictObject({
      for: z.enum(['idle', 'approval', 'done']).default('idle'),
      timeoutMs: z.coerce.number().int().min(0).default(WAIT_MAX_MS),
    }),
    answers: { 200: answer('the condition that was met', waited) },
    handle: async call => {
      const { host, params, query } = call
      const record = await sessionOf(call, params.id!)
      const reached = await waitFor(call, record, query.for, Math.min(query.timeoutMs, WAIT_MAX_MS))
      return call.json({ reached, session: sessionView(host, await host.record(record.id)) })
    },
  }),
  route({
    id: 'sessions.screen',
    method: 'GET',
    path: '/sessions/:id/screen',
    summary: 'The session’s screen as text.',
    access: 'viewer',
    answers: { 200: answer('the screen', screen) },
    handle: async ({ host, person, params, json }) => {
      const live = await liveOf({ host, person }, params.id!)
      const frame = await live.currentFrame()
      return json({
        cols: frame?.cols ?? 0,
        rows: frame?.rows ?? 0,
        lines: frame?.lines.map(row => row.text) ?? [],
        cursor: frame?.cursor ?? null,
      })
    },
  }),
]

/** A project for the demo agent, which edits files. @throws SignalboxError `E_INPUT` */
async function scratchProject(agent: string | null): Promise<string> {
  if (agent !== 'demo')
    throw new SignalboxError('E_INPUT', 'a session needs a directory', { next: 'name the directory of a project' })
  return createSampleProject(createDemoDirectory(), 'shop')
}

/**
 * Leaves no worktree behind if the agent cannot be started.
 * @throws SignalboxError `E_INPUT` outside a repository.
 */
async function startInWorktree(host: Host, request: StartRequest): Promise<SessionRecord> {
  const { cwd } = request
  const worktree = { required: { next: 'omit worktree' } }
  const workspace = await createWorkspace(host.settings.dataDirectory, { cwd, id: newId('run'), worktree })
  try {
    return await host.startSession({ ...request, cwd: workspace.path })
  } catch (error) {
    await discardWorkspace(cwd, workspace)
    throw error
  }
}

/** Two programs that write one conversation would damage it. */
async function refuseRunning(host: Host, conversation: string): Promise<void> {
  const running = (await host.records()).find(
    ({ id, agentSessionId }) => agentSessionId === conversation && host.isRunning(id),
  )
  if (!running) return
  throw new SignalboxError('E_STATE', `this conversation is running as session ${running.number}`, {
    next: `signalbox attach ${running.number}`,
  })
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function keyboardTaken(holder: Holder): SignalboxError {
  const who = holder.kind === 'person' ? holder.name : 'Signalbox (typing a decision)'
  return new SignalboxError('E_BUSY', `${who} is typing in this session`, { next: 'try again later' })
}

async function waitFor(
  { host, closed }: Pick<Call, 'host' | 'closed'>,
  record: SessionRecord,
  what: 'idle' | 'approval' | 'done',
  timeoutMs: number,
): Promise<z.output<typeof waited>['reached']> {
  const deadline = host.clock.monotonic() + timeoutMs
  for (;;) {
    const left = deadline - host.clock.monotonic()
    const pauseMs = Math.min(left, 1000)
    if (host.isOpening(record.id)) {
      if (left <= 0 || closed.aborted) return 'timeout'
      await Promise.race([host.whenLive(record.id), delay(host.clock, pauseMs)])
      continue
    }
    const live = host.live(record.id)
    if (!live || live.exit) return 'done'
    if (what === 'idle' && live.isIdle) return 'idle'
    if (live.approval?.state === 'pending' && what !== 'done') return 'approval'
    if (left <= 0 || closed.aborted) return 'timeout'
    await live.changed(pauseMs)
    await delay(host.clock, 0)
  }
}

/** Named keys as terminals send them; arrows, Home and End depend on the mode. */
const FIXED: Readonly<Record<string, string>> = {
  enter: '\r',
  tab: '\t',
  'shift-tab': '\u001b[Z',
  escape: '\u001b',
  space: ' ',
  backspace: '\u007f',
  delete: '\u001b[3~',
  insert: '\u001b[2~',
  'page-up': '\u001b[5~',
  'page-down': '\u001b[6~',
}
const CURSOR: Readonly<Record<string, string>> = { up: 'A', down: 'B', right: 'C', left: 'D', home: 'H', end: 'F' }

/** @throws SignalboxError `E_INPUT` for an unknown key. */
function keyBytes(names: readonly string[], isApplicationCursor: boolean): Uint8Array {
  return new TextEncoder().encode(names.map(name => keyText(name.toLowerCase(), isApplicationCursor)).join(''))
}

function keyText(name: string, isApplicationCursor: boolean): string {
  if (Object.hasOwn(FIXED, name)) return FIXED[name]!
  if (Object.hasOwn(CURSOR, name)) return `\u001b${isApplicationCursor ? 'O' : '['}${CURSOR[name]}`
  const control = /^ctrl-([a-z])$/.exec(name)
  if (control) return String.fromCharCode(control[1]!.charCodeAt(0) - 96)
  if (/^[\x21-\x7e]$/.test(name)) return name
  throw new SignalboxError('E_INPUT', `unknown key "${name}"`, {
    next: `use one of: ${[...Object.keys(FIXED), ...Object.keys(CURSOR)].join(', ')}, ctrl-a … ctrl-z, or a single character`,
  })
}
