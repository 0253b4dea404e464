// `npm run bench:events`: a daemon on a store with ten million events. Prints, asserts nothing.
// Needs a build.
//   bars: answers ≤ 1 s after its start, lists p95 ≤ 50 ms
// BENCH_EVENTS (10 000 000), BENCH_SESSIONS (2 000): how many of either. Events that no list reads
// are written with SQL, sessions and everything that lists show as the program writes them. The
// store is kept in the temporary directory and used again by the next run with the same numbers;
// BENCH_STORE: another directory for it.
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { crc32 } from 'node:zlib'
import { cpuSeconds, DaemonHome, print, root, runBenchmark, sleep } from './daemon-home.mjs'

const EVENTS = Number(process.env.BENCH_EVENTS ?? 10_000_000)
const SESSIONS = Number(process.env.BENCH_SESSIONS ?? 2_000)
const START_BAR_MS = 1_000
const LIST_BAR_MS = 50
const CALLS = 200
/** Events in one statement, which is a transaction. */
const ROWS = 20_000
const EACH = 5_000
const AT = 1_700_000_000_000

const room = name => import(pathToFileURL(join(root, 'dist', 'rooms', name, 'index.js')).href)
const [{ openHomeStore }, { systemClock }, { newEvent }, { loadDriver }] = await Promise.all(
  ['host', 'clock', 'events', 'store'].map(room),
)

const kept = process.env.BENCH_STORE ?? join(tmpdir(), `signalbox-bench-events-${EVENTS}-${SESSIONS}`)
const prepared = join(kept, 'prepared')
// A store that was not finished is written again.
if (!existsSync(prepared)) rmSync(kept, { recursive: true, force: true })
mkdirSync(kept, { recursive: true, mode: 0o700 })
const home = new DaemonHome({ kept })
const data = join(home.home, 'data')
await runBenchmark(home, async () => {
  await prepare()
  print('store', `${EVENTS} events, ${SESSIONS} sessions, ${megabytes(join(data, 'signalbox.db'))} MB`)
  await measureStart()
  // The search index is made while the lists are measured, as it is after an upgrade.
  for (const path of [
    '/sessions?limit=50',
    '/approvals?limit=50',
    '/runs?limit=50',
    '/recordings?limit=50',
    '/sessions',
  ])
    await measureList(path)
  const { loop } = await home.get('/health')
  print('longest block', `${loop.longest?.ms} ms (bar 50 ms)`)
})

async function prepare() {
  // Derived from the log: made again in every run.
  for (const name of ['search.db', 'search.db-wal', 'search.db-shm']) rmSync(join(data, name), { force: true })
  if (existsSync(prepared)) return print('prepared', `${kept} is used again`)
  const startedAt = performance.now()
  mkdirSync(join(data, 'recordings'), { recursive: true, mode: 0o700 })
  await writeSessions()
  await writeEvents()
  writeFileSync(prepared, '')
  print('prepared', `${kept} in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`)
}

/** Sessions that have ended. */
async function writeSessions() {
  const onError = error => console.error(error)
  const store = await openHomeStore({ dataDirectory: data, clock: systemClock, onError })
  for (let n = 0; n < SESSIONS; n++) {
    const id = `ses_bench${String(n).padStart(12, '0')}`
    const at = Date.now() - (SESSIONS - n) * 60_000
    const about = { agent: 'codex', project: home.cwd, cwd: home.cwd, args: [], pid: 1, size: { cols: 80, rows: 24 } }
    const recording = join(data, 'recordings', `${id}.cast`)
    writeFileSync(recording, '{"version":2,"width":80,"height":24}\n')
    const started = { ...about, person: 'local', number: (n % 900) + 1, recording, owner: 'daemon' }
    const events = [
      newEvent('session.started', started, at),
      newEvent('session.ended', { exit: { code: 0, signal: null }, reason: 'exited' }, at + 50_000),
    ]
    await store.append(`session/${id}`, 0, events, { durability: 'normal' })
  }
  await store.close()
}

/** Output of old turns: rows as the store writes them, many in each statement. */
async function writeEvents() {
  const database = new (await loadDriver())(join(data, 'signalbox.db'), {})
  database.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -262144')
  const insert = database.prepare(`INSERT INTO events (position, stream, version, type, at, data, sum)
    SELECT value ->> 0, value ->> 1, value ->> 2, 'message.final', ${AT}, value ->> 3, value ->> 4 FROM json_each(?)`)
  const { head } = database.prepare('SELECT max(position) AS head FROM events').get()
  for (let first = head + 1; first <= EVENTS; first += ROWS) {
    const rows = Array.from({ length: Math.min(ROWS, EVENTS - first + 1) }, (_, index) => oldEvent(first + index))
    insert.run(JSON.stringify(rows))
  }
  // Their documents are up to date: no list shows these events.
  database.exec(`UPDATE projections SET position = ${Math.max(EVENTS, head)}; PRAGMA wal_checkpoint(TRUNCATE)`)
  database.close()
}

function oldEvent(position) {
  const stream = `session/ses_old${String(Math.floor(position / EACH)).padStart(12, '0')}`
  const version = (position % EACH) + 1
  const text = `{"turn":"turn_${version}","message":"msg_${version}","text":"what the agent said in step ${position}"}`
  const sum = crc32(text, crc32(`${position}\n${stream}\n${version}\nmessage.final\n${AT}\n`))
  return [position, stream, version, text, sum]
}

async function measureStart() {
  const startedAt = performance.now()
  home.spawnDaemon()
  for (;;) {
    try {
      await home.get('/health')
      break
    } catch {
      await sleep(20)
    }
  }
  const cpu = cpuSeconds(home.pid('daemon'))
  const ms = (performance.now() - startedAt).toFixed(0)
  print('answers', `after ${ms} ms (bar ${START_BAR_MS} ms) and ${cpu.toFixed(2)} s of CPU`)
}

async function measureList(path) {
  await home.get(path)
  const times = []
  const before = cpuSeconds(home.pid('daemon'))
  for (let call = 0; call < CALLS; call++) {
    const startedAt = performance.now()
    await home.get(path)
    times.push(performance.now() - startedAt)
  }
  const cpu = ((cpuSeconds(home.pid('daemon')) - before) * 1000) / CALLS
  times.sort((a, b) => a - b)
  const [p50, p95] = [0.5, 0.95].map(share => times[Math.floor(CALLS * share)].toFixed(1))
  print(`GET ${path}`, `p50 ${p50} ms, p95 ${p95} ms (bar ${LIST_BAR_MS} ms); ${cpu.toFixed(1)} ms of CPU a call`)
}

function megabytes(path) {
  return Math.round(statSync(path).size / 1024 / 1024)
}
