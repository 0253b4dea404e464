// The server under load, in a separate process: 200 panes that change, 100 sessions that write, and
// events in the log. Its parent starts the load by a message and gets the CPU and memory use.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LivePacks } from '../src/agents/index.js'
import { reportedOf } from '../src/approvals/testing/fixtures.js'
import { systemClock } from '../src/clock/index.js'
import { serverSettings } from '../src/daemon/index.js'
import { newEvent } from '../src/events/index.js'
import { openHome } from '../src/host/home/index.js'
import { Host } from '../src/host/index.js'
import { Keeper } from '../src/keeper/index.js'
import { Pane } from '../src/panes/index.js'
import { OWNER } from '../src/server/caller.js'
import { ApiServer } from '../src/server/index.js'
import { silentContext } from '../test/support/silent-context.js'
import { LONG_S, MemoryWatch } from './server-memory.js'

const PANES = 200
const SESSIONS = 100

const directory = mkdtempSync(join(tmpdir(), 'signalbox-bench-'))
const ignore = () => undefined
const home = openHome(silentContext(directory))
const onError = (error: unknown) => console.error(error)
const host = await Host.open({
  settings: home.settings,
  clock: systemClock,
  keeper: new Keeper(systemClock),
  owner: 'daemon',
  version: '0',
  onError,
})
const settings = {
  ...serverSettings(home.loaded.config, home.directories),
  requestsPerS: 10_000,
  requestsBurst: 10_000,
}
const api = await ApiServer.open({
  host,
  runs: null,
  settings,
  env: silentContext(directory).env,
  clock: systemClock,
  version: '0',
  stop: ignore,
  log: ignore,
})
const address = await api.listenOnTcp()
const { readFileSync } = await import('node:fs')
process.send!({ type: 'ready', address, token: readFileSync(api.parts.auth.token.path, 'utf8').trim() })

const packs = new LivePacks({
  directories: { user: join(directory, 'packs') },
  clock: systemClock,
  onFailed: ignore,
  onReloaded: ignore,
})
const live = await packs.acquire('demo')
const began = systemClock.monotonic()
const now = () => (systemClock.monotonic() - began) / 1000
const panes = Array.from({ length: PANES }, (_, n) => {
  const pane = new Pane(live.pack, { cols: 100, rows: 30 })
  const supervisor = host.panes!.supervise(pane)
  const id = `ses_bench${String(n).padStart(11, '0')}`
  const about = () => ({
    place: String(n),
    name: `pane ${n}`,
    agent: 'demo',
    cwd: '/work',
    approval: null,
    pid: process.pid,
  })
  host.panes!.addSession({ id, supervisor, now, wall: t => Date.now() - (now() - t) * 1000, about })
  return { id, pane, supervisor }
})

/* A hundred of the panes are sessions in the log, which people can open. */
for (const [n, { id }] of panes.slice(0, SESSIONS).entries())
  await host.store.append(
    `session/${id}`,
    'any',
    [
      newEvent('session.started', {
        agent: 'demo',
        project: '/work',
        cwd: '/work',
        args: [],
        pid: process.pid,
        size: { cols: 100, rows: 30 },
        person: 'local',
        number: n + 1,
        recording: id,
        owner: 'daemon',
        label: `session ${n}`,
      }),
    ],
    { durability: 'normal' },
  )

/**
 * A screen keeps 2 000 rows. They are filled first, so that growth during a long run shows what has
 * no bound.
 */
function fillScrollback(): void {
  const rows = Buffer.from(Array.from({ length: 2_100 }, (_, n) => `row ${n} ${'word '.repeat(12)}\r\n`).join(''))
  for (const { pane } of panes) pane.feed(rows, now(), { live: false })
}

// The parent has ended.
process.on('disconnect', () => process.exit(1))

process.on('message', async (message: { type: string; seconds: number; events: number }) => {
  if (message.type === 'replay') {
    for (let n = 0; n < message.events; n += 100)
      await host.store.append(
        'run/run_replay',
        'any',
        Array.from({ length: 100 }, (_, k) => newEvent('run.notice', { level: 'info', text: `${n + k}` })),
        { durability: 'normal' },
      )
    process.send!({ type: 'replayed', position: `${host.store.id}:${await host.store.head()}` })
    return
  }
  if (message.type === 'links') {
    const codes = await Promise.all(Array.from({ length: message.events }, () => api.parts.auth.codes.make(OWNER)))
    const links = codes.map(code => `${address}/login#${code}`)
    process.send!({ type: 'links', links, sessions: panes.slice(0, SESSIONS).map(({ id }) => id) })
    return
  }
  if (message.type === 'echo') {
    // A real terminal whose program echoes every key.
    const { id } = await host.startSession({
      agent: null,
      args: ['/bin/cat'],
      cwd: directory,
      terminal: null,
      size: { cols: 80, rows: 24 },
      person: 'local',
      label: 'echo',
      resume: null,
    })
    process.send!({ type: 'echo', id })
    return
  }
  if (message.type === 'stop') {
    await api.close()
    await host.close()
    rmSync(directory, { recursive: true, force: true })
    process.exit(0)
  }
  if (message.seconds >= LONG_S) fillScrollback()
  const cpu = process.cpuUsage()
  const from = systemClock.monotonic()
  let tick = 0
  let written = 0
  const memory = new MemoryWatch(message.seconds)
  const asked: Awaited<ReturnType<typeof host.ledger.request>>[] = []
  const beat = async (): Promise<void> => {
    if (systemClock.monotonic() - from > message.seconds * 1000) {
      const { user, system } = process.cpuUsage(cpu)
      for (const left of asked) await host.ledger.cancelled(left, 'the load is over')
      process.send!({
        type: 'done',
        cpu: (user + system) / 1000 / (systemClock.monotonic() - from),
        memory: memory.held(),
        written,
        // If the machine is too busy to write the whole load, the measured times are too good.
        share: tick / (message.seconds * 100),
        streams: api.parts.streams.count('events'),
      })
      return
    }
    // Every session writes ten times a second, every pane changes once a second, and twenty events
    // a second are logged.
    for (let n = tick % 10; n < SESSIONS; n += 10)
      host.bus.emit({
        type: 'message.update',
        session: panes[n]!.id,
        turn: 't',
        message: 'm',
        blocks: [
          {
            id: 'b1',
            version: tick,
            kind: 'prose',
            variant: 'paragraph',
            at: Date.now(),
            runs: [{ text: `written @${Date.now()}@ ${'word '.repeat(40)}` }],
          },
        ] as never,
      })
    for (let n = tick % 100; n < PANES; n += 100) {
      const { pane, supervisor, id } = panes[n]!
      supervisor.applySteps(pane.feed(Buffer.from(`\r\nworking on ${tick}`), now(), { live: true }), now())
      host.panes!.changed(id)
    }
    if (tick % 5 === 0) {
      written++
      await host.store.append(
        'run/run_bench',
        'any',
        [newEvent('run.notice', { level: 'info', text: String(Date.now()) })],
        { durability: 'normal' },
      )
    }
    // Every second there is a new request, and the one of three seconds ago is decided elsewhere.
    if (tick % 100 === 50) {
      const report = { requestKey: `bench${from}-${tick}`, input: { command: `echo asked @${Date.now()}@` } }
      asked.push(await host.ledger.request(reportedOf(report, { session: panes[0]!.id })))
      if (asked.length > 3) await host.ledger.cancelled(asked.shift()!, 'answered elsewhere')
    }
    tick++
    memory.look()
    const wait = Math.max(0, tick * 10 - (systemClock.monotonic() - from))
    systemClock.setTimer(wait, () => void beat())
  }
  await beat()
})
