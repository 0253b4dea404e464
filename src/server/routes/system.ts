import { statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { agentNames } from '../../agents/index.js'
import { appliesAtOnce, editingOf, editSettings, needsNoStepUp, settingsVersion } from '../../config/index.js'
import { isEnded, listRuns } from '../../engine/index.js'
import type { WorkerView } from '../../workers/index.js'
import { clusterMetrics } from '../cluster-metrics.js'
import { type Call, type Route, route } from '../route.js'
import { answer, okAnswer } from '../schemas/common.js'
import { findings, health, lockdown, paired, pairing, settings, telegramBot } from '../schemas/system.js'

/** Settings, health checks, pairing, lockdown and metrics. */
export const systemRoutes: readonly Route[] = [
  route({
    id: 'settings.get',
    method: 'GET',
    path: '/settings',
    summary: 'All settings with the sources of their values.',
    access: 'viewer',
    answers: { 200: answer('the settings', settings) },
    handle: ({ parts, json }) => {
      const view = settingsOf(parts)
      return json(view, 200, { etag: `"${view.version}"` })
    },
  }),
  route({
    id: 'settings.change',
    method: 'PATCH',
    path: '/settings',
    summary: 'Changes settings that may be edited over the network; `If-Match` names the version that was read.',
    access: 'owner',
    needsStepUp: 'by-content',
    body: z.strictObject({
      changes: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())])),
    }),
    answers: { 200: answer('the settings as they are now', settings) },
    handle: async call => {
      const isLocal = !call.parts.settings.isPublic && !call.parts.settings.isBehindProxy
      const isHarmless = isLocal && call.who.kind === 'device' && Object.keys(call.body.changes).every(needsNoStepUp)
      if (!isHarmless) call.parts.auth.requireConfirmed(call.who, call.peer)
      const version = call.header('if-match')?.replaceAll('"', '') ?? null
      editSettings(settingsFile(call.parts), call.body.changes, { version })
      return call.json(settingsOf(call.parts))
    },
  }),
  route({
    id: 'doctor.get',
    method: 'GET',
    path: '/doctor',
    summary: 'Checks what Signalbox depends on.',
    access: 'viewer',
    answers: { 200: answer('the findings', findings) },
    handle: async call => call.json({ items: await call.parts.doctor.findings() }),
  }),
  route({
    id: 'doctor.fix',
    method: 'POST',
    path: '/doctor/fix/:check',
    summary: 'Repairs the findings of one check, as far as that loses no data.',
    access: 'owner',
    answers: { 200: answer('the findings after the repair', findings) },
    handle: async call => call.json({ items: await call.parts.doctor.fix(call.params.check!) }),
  }),
  route({
    id: 'presence.report',
    method: 'POST',
    path: '/presence',
    summary: 'Reports whether this page is visible, so that its person is not notified elsewhere.',
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
      if (isThere) host.notifications?.present('browser')
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
    answers: { 200: answer('the pairing, or the person that was paired', z.union([pairing, paired])) },
    handle: ({ parts, body, json }) => {
      const service = parts.bot.pairing()
      if (body.action === 'confirm') return json({ person: service.confirm(body.code) })
      return json(body.action === 'open' ? service.open() : service.close())
    },
  }),
  route({
    id: 'pairing.telegram-bot',
    method: 'POST',
    path: '/pairing/telegram/bot',
    summary: 'Checks and stores the token of your Telegram bot, and starts the bot.',
    access: 'owner',
    needsStepUp: true,
    body: z.strictObject({
      token: z.string().min(1).max(200),
      removesWebhook: z.boolean().default(false).describe('a bot with a webhook gets no messages here'),
    }),
    answers: { 200: answer('the bot; with a webhook that stays, nothing was changed', telegramBot) },
    handle: async ({ parts, body, json }) => json(await parts.bot.setUp(body)),
  }),
  route({
    id: 'lockdown.begin',
    method: 'POST',
    path: '/lockdown',
    summary:
      'Ends all standing approvals, logins, tokens and streams, and accepts only denials until a restart; sessions continue.',
    access: 'owner',
    answers: { 200: answer('since when, and how many grants ended', lockdown) },
    handle: async ({ parts, person, json }) => {
      return json(await parts.lockdown.begin({ id: person.id, name: person.name }))
    },
  }),
  route({
    id: 'health.get',
    method: 'GET',
    path: '/health',
    summary: 'The health of the daemon and its parts.',
    access: 'viewer',
    answers: { 200: answer('the daemon and its parts', health) },
    handle: async call => call.json(await healthOf(call)),
  }),
  ...['//metrics', '/metrics'].map(path =>
    route({
      id: path === '//metrics' ? 'metrics.root' : 'metrics.get',
      method: 'GET',
      path,
      summary: 'Metrics in the format of Prometheus.',
      access: 'viewer',
      answers: { 200: { description: 'text format 0.0.4', media: 'text/plain' } },
      handle: async call =>
        new Response(await metricsOf(call), {
          headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
        }),
    }),
  ),
]

function settingsFile({ home }: Call['parts']): string {
  return join(home().directories.config, 'config.toml')
}

function settingsOf(parts: Call['parts']): z.output<typeof settings> {
  const items = parts
    .home()
    .loaded.entries()
    .map(({ key, about, shown, accepts, origin: { source, place } }) => ({
      key,
      about,
      shown,
      origin: { source, ...(place !== undefined && { place }) },
      accepts,
      editing: editingOf(key),
      isPending: !appliesAtOnce(key) && parts.startedWith.get(key) !== shown,
    }))
  return { items, version: settingsVersion(settingsFile(parts)), canRestart: parts.restart !== null }
}

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
    catchingUp: host.catchingUp,
    readers: host.readers,
    panes: host.panes?.list().length ?? 0,
    runs: { driven: open.filter(({ labels }) => labels.host === 'daemon').length, open: open.length },
    streams: { events: parts.streams.count('events'), terminals: parts.streams.count('terminal') },
    agents: agentNames(),
    telegram: parts.bot.health(),
    loop: host.loop.view,
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
  const { longest, recent } = host.loop.view
  const workers = (await parts.workers?.list()) ?? []
  const ofWorkers = (value: (worker: WorkerView) => number) =>
    workers.map(worker => ({ labels: { worker: worker.record.name }, value: value(worker) }))
  const ofConnected = (value: (process: NonNullable<WorkerView['process']>) => number) =>
    workers.flatMap(({ record, process: at }) => (at ? [{ labels: { worker: record.name }, value: value(at) }] : []))
  return parts.metrics.text([
    ...(await clusterMetrics(parts)),
    {
      name: 'signalbox_workers',
      help: 'Workers by state; away: known, and not connected to this server.',
      values: byStatus(
        workers.map(({ record, isConnected }) => (record.state === 'ready' && !isConnected ? 'away' : record.state)),
      ),
    },
    { name: 'signalbox_worker_steps', help: 'Steps in progress.', values: ofWorkers(({ steps }) => steps) },
    { name: 'signalbox_worker_runs', help: 'Open runs.', values: ofWorkers(({ runs }) => runs.length) },
    { name: 'signalbox_worker_sessions', help: 'Sessions.', values: ofWorkers(({ sessions }) => sessions.length) },
    {
      name: 'signalbox_worker_memory_bytes',
      help: 'Resident memory of the program of a worker.',
      values: ofConnected(({ memory }) => memory),
    },
    {
      name: 'signalbox_worker_cpu_seconds',
      help: 'Processor time of the program of a worker since its start.',
      values: ofConnected(({ cpuS }) => cpuS),
    },
    {
      name: 'signalbox_worker_refused_calls',
      help: 'Calls and reports of workers that they had no right to, since the start of the server.',
      values: [{ value: parts.workers?.refusedCalls ?? 0 }],
    },
    { name: 'signalbox_sessions', help: 'Live sessions.', values: [{ value: host.liveSessions().length }] },
    {
      name: 'signalbox_sessions_catching_up',
      help: 'Sessions that the daemon has not read up to the present yet.',
      values: [{ value: host.catchingUp }],
    },
    {
      name: 'signalbox_reader_threads',
      help: 'Threads that read terminals.',
      values: [{ value: host.readers.threads }],
    },
    {
      name: 'signalbox_reader_failures',
      help: 'Readers of terminals that crashed or hung since the start.',
      values: [{ value: host.readers.failures }],
    },
    {
      name: 'signalbox_panes',
      help: 'Supervised panes by status.',
      values: byStatus((host.panes?.list() ?? []).map(({ status }) => status)),
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
      name: 'signalbox_loop_block_seconds',
      help: 'The longest time in which the daemon did nothing else, since its start and in the last five minutes.',
      values: [
        { labels: { window: 'start' }, value: (longest?.ms ?? 0) / 1000 },
        { labels: { window: '5m' }, value: (recent?.ms ?? 0) / 1000 },
      ],
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
