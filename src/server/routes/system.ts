import { statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { agentNames } from '../../agents/index.js'
import { isEnded, listRuns } from '../../engine/index.js'
import { SignalboxError } from '../../errors/index.js'
import { type Call, type Route, route } from '../route.js'
import { answer, moment, okAnswer, position } from '../schemas/common.js'
import { absent } from './run-start.js'

const finding = z.looseObject({
  check: z.string(),
  level: z.enum(['ok', 'note', 'warning', 'error']),
  message: z.string(),
  next: z.string().optional(),
})

const settings = z.object({
  items: z.array(
    z.object({
      key: z.string(),
      about: z.string().describe('what it is for'),
      shown: z.string().describe('as a file would say it; a secret is "set" or "unset"'),
      origin: z.object({ source: z.string(), place: z.string().optional() }),
      isChangeable: z.boolean(),
    }),
  ),
  version: z.string(),
})

/** The machine, the settings, and what to do when something is wrong. */
export const systemRoutes: readonly Route[] = [
  route({
    id: 'settings.get',
    method: 'GET',
    path: '/settings',
    summary: 'Every setting, with where its value comes from.',
    access: 'viewer',
    answers: { 200: answer('the settings', settings) },
    handle: ({ parts, json }) => {
      if (!parts.extras.settings) throw absent('settings')
      const view = parts.extras.settings()
      return json(view, 200, { etag: `"${view.version}"` })
    },
  }),
  route({
    id: 'settings.change',
    method: 'PATCH',
    path: '/settings',
    summary: 'Changes settings of the safe subset; `If-Match` names the version that was looked at.',
    access: 'owner',
    needsStepUp: true,
    body: z.strictObject({
      changes: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())])),
    }),
    answers: { 200: answer('the settings as they are now', settings) },
    handle: async call => {
      const { changeSettings, settings: read } = call.parts.extras
      if (!changeSettings || !read) throw absent('settings')
      const version = call.header('if-match')?.replaceAll('"', '') ?? null
      await changeSettings(call.body.changes, version, call.person.name)
      return call.json(read())
    },
  }),
  route({
    id: 'doctor.get',
    method: 'GET',
    path: '/doctor',
    summary: 'What Signalbox stands on, checked.',
    access: 'viewer',
    answers: { 200: answer('the findings', z.object({ items: z.array(finding) })) },
    handle: async call => {
      if (!call.parts.extras.doctor) throw absent('doctor')
      return call.json({ items: await call.parts.extras.doctor() })
    },
  }),
  route({
    id: 'doctor.fix',
    method: 'POST',
    path: '/doctor/fix/:check',
    summary: 'Repairs what one check found, as far as that loses nothing.',
    access: 'owner',
    answers: { 200: answer('the findings after it', z.object({ items: z.array(finding) })) },
    handle: async call => {
      if (!call.parts.extras.doctorFix) throw absent('doctor')
      return call.json({ items: await call.parts.extras.doctorFix(call.params.check!) })
    },
  }),
  route({
    id: 'presence.tell',
    method: 'POST',
    path: '/presence',
    summary: 'Whether somebody looks at this page: then they are not called elsewhere.',
    access: 'viewer',
    isWrite: false,
    body: z.strictObject({
      subscription: z.string().max(64),
      visible: z.boolean(),
      focused: z.boolean(),
      inputAgoMs: z.number().min(0),
    }),
    answers: { 200: okAnswer },
    handle: ({ host, body, json }) => {
      const isThere = body.visible && body.focused && body.inputAgoMs < 60_000
      if (isThere) host.notices?.present('browser')
      return json({ ok: true })
    },
  }),
  route({
    id: 'pairing.telegram',
    method: 'POST',
    path: '/pairing/telegram',
    summary: 'Opens, confirms or closes the pairing of a Telegram chat.',
    access: 'owner',
    needsStepUp: true,
    body: z.union([
      z.strictObject({ action: z.enum(['open', 'close']) }),
      z.strictObject({ action: z.literal('confirm'), code: z.string().min(1).max(100) }),
    ]),
    answers: { 200: answer('how the pairing stands', z.looseObject({})) },
    handle: async call => {
      const { pairing } = call.parts.extras
      if (!pairing)
        throw new SignalboxError('E_STATE', 'no Telegram bot runs', { next: 'set telegram.token_file and start again' })
      const { body } = call
      if (body.action === 'confirm') return call.json(await pairing.confirm(body.code))
      return call.json(await (body.action === 'open' ? pairing.open() : pairing.close()))
    },
  }),
  route({
    id: 'lockdown.begin',
    method: 'POST',
    path: '/lockdown',
    summary: 'Ends grants, logins, tokens and streams; takes nothing but denials; leaves sessions alone.',
    access: 'owner',
    answers: { 200: answer('what was ended', z.object({ since: moment, grants: z.int() })) },
    handle: async ({ parts, person, json }) => {
      return json(await parts.lockdown.begin({ id: person.id, name: person.name }))
    },
  }),
  route({
    id: 'health.get',
    method: 'GET',
    path: '/health',
    summary: 'How the daemon and what it stands on are.',
    access: 'viewer',
    answers: {
      200: answer(
        'its parts',
        z.looseObject({
          pid: z.int(),
          version: z.string(),
          node: z.string(),
          startedAt: moment,
          now: moment,
          address: z.string().nullable(),
          store: z.string(),
          storeBytes: z.int(),
          position,
          sessions: z.int(),
          panes: z.int(),
          runs: z.object({ driven: z.int(), open: z.int() }),
          streams: z.object({ events: z.int(), terminals: z.int() }),
          agents: z.array(z.string()),
          telegram: z.looseObject({ state: z.string() }),
          disk: z.object({ freeMb: z.int(), leastMb: z.int() }),
          lockdownSince: moment.nullable(),
          isReadOnly: z.boolean(),
        }),
      ),
    },
    handle: async call => call.json(await healthOf(call)),
  }),
  ...['//metrics', '/metrics'].map(path =>
    route({
      id: path === '//metrics' ? 'metrics.root' : 'metrics.get',
      method: 'GET',
      path,
      summary: 'Figures for Prometheus.',
      access: 'viewer',
      answers: { 200: { description: 'text format 0.0.4', media: 'text/plain' } },
      handle: async call =>
        new Response(await metricsOf(call), {
          headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
        }),
    }),
  ),
]

async function healthOf(call: Call) {
  const { parts, host } = call
  const { dataDirectory, minFreeMb } = host.settings
  const { bavail, bsize } = statfsSync(dataDirectory)
  const open = (await listRuns(host.store)).filter(({ status }) => !isEnded(status))
  return {
    pid: process.pid,
    version: parts.version,
    node: process.version,
    startedAt: parts.startedAt,
    now: host.clock.now(),
    address: parts.address(),
    store: host.store.id,
    storeBytes: statSync(join(dataDirectory, 'signalbox.db'), { throwIfNoEntry: false })?.size ?? 0,
    position: await call.position(),
    sessions: host.liveSessions().length,
    panes: host.board?.list().length ?? 0,
    runs: { driven: open.filter(({ labels }) => labels.host === 'daemon').length, open: open.length },
    streams: { events: parts.streams.count('events'), terminals: parts.streams.count('terminal') },
    agents: agentNames(),
    telegram: parts.extras.telegram?.() ?? { state: 'off' },
    disk: { freeMb: Math.floor((bavail * bsize) / 1_048_576), leastMb: minFreeMb },
    lockdownSince: await host.ledger.lockdown.since(),
    isReadOnly: parts.settings.isReadOnly,
  }
}

async function metricsOf({ parts, host }: Call): Promise<string> {
  const byStatus = (statuses: readonly string[]) => {
    const counts = new Map<string, number>()
    for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1)
    return [...counts].map(([status, value]) => ({ labels: { status }, value }))
  }
  const pending = (await host.ledger.list({ isOpenOnly: true })).filter(({ state }) => state === 'pending')
  const { rss, heapUsed } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  return parts.metrics.text([
    { name: 'signalbox_sessions', help: 'Live sessions.', values: [{ value: host.liveSessions().length }] },
    {
      name: 'signalbox_panes',
      help: 'Supervised panes by status.',
      values: byStatus((host.board?.list() ?? []).map(({ status }) => status)),
    },
    {
      name: 'signalbox_runs',
      help: 'Runs by status.',
      values: byStatus((await listRuns(host.store)).map(({ status }) => status)),
    },
    {
      name: 'signalbox_approvals_pending',
      help: 'Requests that wait for a person.',
      values: [{ value: pending.length }],
    },
    { name: 'signalbox_log_position', help: 'Events in the log.', values: [{ value: parts.events.position }] },
    {
      name: 'signalbox_streams',
      help: 'Open streams of browsers and scripts.',
      values: (['events', 'terminal'] as const).map(kind => ({ labels: { kind }, value: parts.streams.count(kind) })),
    },
    {
      name: 'signalbox_process_cpu_seconds',
      help: 'Processor time of the daemon.',
      values: [{ value: (user + system) / 1e6 }],
    },
    {
      name: 'signalbox_process_memory_bytes',
      help: 'Memory of the daemon.',
      values: [
        { labels: { kind: 'resident' }, value: rss },
        { labels: { kind: 'heap' }, value: heapUsed },
      ],
    },
  ])
}
