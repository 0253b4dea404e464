// `npm run bench:looks`: the CPU time to read one frame of a streaming session, without terminals,
// sockets and waiting: sessions of a recorded agent on a simulated clock, with their store,
// monitors and registry of panes, wired exactly as in the daemon. Prints, asserts nothing.
// BENCH_SESSIONS (20), BENCH_ROUNDS (6 times through the recording of 6 s) and BENCH_CAST (a file)
// change it. BENCH_THREADS=1 reads the terminals in threads, as the daemon does, and prints what is
// left on its own thread; that needs a build.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LivePacks } from '../src/agents/index.js'
import { approvalsProjection, Ledger } from '../src/approvals/index.js'
import { SimulatedClock, systemClock } from '../src/clock/index.js'
import { loadConfig } from '../src/config/index.js'
import { newEvent, validateEvent } from '../src/events/index.js'
import type { KeeperPort } from '../src/keeper/index.js'
import { type ReaderFactory, ReaderThreads } from '../src/panes/reader/index.js'
import { PACKAGE_ROOT } from '../src/process/index.js'
import {
  LiveSession,
  SessionJournal,
  type SessionRecord,
  sessionStream,
  sessionsProjection,
} from '../src/sessions/index.js'
import { openStore } from '../src/store/index.js'
import { DriftFiles } from '../src/supervision/drift/index.js'
import { PaneRegistry, SessionMonitor, sessionPane } from '../src/supervision/index.js'
import { createRedactor } from '../src/text/index.js'

const SESSIONS = Number(process.env.BENCH_SESSIONS ?? 20)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 6)
const cast = process.env.BENCH_CAST ?? join(PACKAGE_ROOT, 'packs', 'codex', 'fixtures', 'hello.80x24.cast')
const agent = cast.split('/').at(-3)!
const [header, ...events] = readFileSync(cast, 'utf8')
  .split('\n')
  .filter(Boolean)
  .map(line => JSON.parse(line))
const size = { cols: header.width ?? header.term?.cols, rows: header.height ?? header.term?.rows }
const output = (events as [number, string, string][]).filter(([, code]) => code === 'o')
/** Pauses as in bench/sessions.mjs; each round starts with an empty screen. */
const pieces = [
  ...output.map(([t, , data], index) => ({
    pauseMs: Math.min(300, (t - (output[index - 1]?.[0] ?? t)) * 1000),
    bytes: Buffer.from(data),
  })),
  { pauseMs: 0, bytes: Buffer.from('\u001b[2J\u001b[H') },
]

const directory = mkdtempSync(join(tmpdir(), 'signalbox-looks-'))
const clock = new SimulatedClock(1_000_000)
const store = await openStore({
  path: join(directory, 'store.db'),
  clock,
  projections: [sessionsProjection, approvalsProjection] as never,
  validate: validateEvent,
})
const onError = (error: unknown) => console.error(error)
const { config } = loadConfig({ environment: {}, userFile: '/nonexistent/config.toml' })
const packs = new LivePacks({
  directories: { user: null, shipped: join(PACKAGE_ROOT, 'packs') },
  clock,
  onFailed: onError,
  onReloaded: () => undefined,
})
const redactor = createRedactor()
const panes = new PaneRegistry({
  clock,
  settings: config,
  packs,
  redactor,
  env: {},
  onSwitch: () => undefined,
  onError,
})
const drift = new DriftFiles(directory)
const threads =
  process.env.BENCH_THREADS === undefined
    ? null
    : new ReaderThreads({ clock: systemClock, max: Number(process.env.BENCH_THREADS) })
let looks = 0
/** Output that was sent to threads and is not read yet, and the callers that wait for it. */
const unread = new Set<object>()
let wake: () => void = () => undefined

class Stream {
  #offset = 0
  #next = 0
  readonly #session: LiveSession

  constructor(session: LiveSession, afterMs: number) {
    this.#session = session
    clock.setTimer(afterMs, () => this.#play())
  }

  #play(): void {
    const { bytes } = pieces[this.#next]!
    this.#session.output(bytes, clock.monotonic() / 1000, this.#offset)
    this.#offset += bytes.length
    this.#next = (this.#next + 1) % pieces.length
    clock.setTimer(pieces[this.#next]!.pauseMs, () => this.#play())
  }
}

for (let index = 0; index < SESSIONS; index++) new Stream(await openSession(index), index * 97)
const roundMs = pieces.reduce((sum, { pauseMs }) => sum + pauseMs, 0)
await pass(2 * roundMs)
looks = 0
const before = process.cpuUsage()
const ownBefore = ownMicroseconds()
const from = clock.now()
const position = await store.head()
await pass(ROUNDS * roundMs)
const { user, system } = process.cpuUsage(before)
const seconds = ((clock.now() - from) / 1000) * SESSIONS
const written = (await store.head()) - position
console.log(
  `${SESSIONS} sessions of ${agent}: ${looks} looks, ${(looks / seconds).toFixed(1)} a second and session; ` +
    `${((user + system) / looks).toFixed(0)} µs a look, ${((user + system) / 1000 / seconds).toFixed(2)} ms a second and session ` +
    `(bar: 100 sessions under one core, 10 ms); ${(written / seconds).toFixed(2)} events a second and session` +
    (threads ? `; on the own thread ${((ownMicroseconds() - ownBefore) / looks).toFixed(0)} µs of CPU for each` : ''),
)
panes.close()
await store.close()
rmSync(directory, { recursive: true, force: true })
process.exit(0)

/** Advances the time in steps of 10 ms and lets promises settle in between. */
async function pass(ms: number): Promise<void> {
  for (const end = clock.now() + ms; clock.now() < end; ) {
    clock.advance(10)
    await new Promise(resolve => setImmediate(resolve))
    // Time passes when everything was read, as in one thread.
    while (unread.size > 0) await new Promise<void>(resolve => void (wake = resolve))
  }
}

/** A factory of readers that notes what was sent and is not read yet. */
function awaited(factory: ReaderFactory): ReaderFactory {
  return {
    open: (options, receive, onLost) => {
      const sent = { requests: 0, offset: 0, readTo: 0 }
      const opened = factory.open(
        options,
        reply => {
          receive(reply)
          if (reply.answer) sent.requests--
          sent.readTo = reply.offset ?? sent.readTo
          if (sent.requests === 0 && sent.readTo === sent.offset) unread.delete(sent)
          wake()
        },
        onLost,
      )
      return {
        ...opened,
        send: request => {
          if (request.op === 'feed') sent.offset = request.offset + request.bytes.length
          else if (['tick', 'resize', 'look', 'barrier'].includes(request.op)) sent.requests++
          if (request.op === 'feed' || sent.requests > 0) unread.add(sent)
          opened.send(request)
        },
      }
    },
  }
}

/** The CPU time of the thread that decides, without those that read and collect garbage. */
function ownMicroseconds(): number {
  const stat = readFileSync(`/proc/self/task/${process.pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}

async function openSession(index: number): Promise<LiveSession> {
  const id = `ses_${index}`
  const started = { number: index + 1, person: 'local', agent, project: '/p', cwd: '/p', args: [], pid: 1, size }
  const recorded = { ...started, recording: '/p/r.cast', owner: 'daemon' }
  await store.append(sessionStream(id), 0, [newEvent('session.started', recorded as never, clock.now())])
  const record = { id, startedAt: 1_000_000, state: 'starting', version: 1, ...recorded } as SessionRecord
  const live = await packs.acquire(agent)
  const session = new LiveSession({
    record,
    pack: live.pack,
    keeper: silentKeeper(),
    journal: await SessionJournal.open(store, id),
    ledger: new Ledger(store),
    emit: () => undefined,
    clock,
    emulator: { ...size, scrollback: 2000 },
    hostName: 'bench',
    onError,
    ...(threads && {
      reader: awaited(
        threads.factoryFor({
          isAlone: false,
          deliver: work => work(),
          onUnread: () => undefined,
          onLost: why => onError(new Error(why)),
        }),
      ),
    }),
  })
  const watch = new SessionMonitor({
    screen: session.screen,
    live,
    clock,
    drift,
    redactor,
    record: () => undefined,
    supervise: pane => panes.supervise(pane),
    changed: () => panes.changed(id),
    onError,
  })
  panes.addSession(sessionPane(session, watch, record, clock))
  session.observe({
    outputs: (outputs, t, isLive) => {
      looks += outputs.filter(({ type }) => type === 'look').length
      watch.outputs(outputs, t, isLive)
    },
    input: (t, bytes) => watch.input(t, bytes),
    exited: (exit, isExpected) => watch.exited(exit, isExpected),
  })
  await session.goLive()
  return session
}

function silentKeeper(): KeeperPort {
  const nothing = async () => undefined
  return {
    spawn: () => Promise.reject(new Error('nothing is started here')),
    list: async () => [],
    locate: async () => null,
    attach: async () => ({ state: 'attached', detach: () => undefined }),
    write: nothing,
    resize: nothing,
    signal: nothing,
    addMarker: nothing,
    secret: async () => null,
    setDeadline: async () => true,
    forget: nothing,
    close: nothing,
  }
}
