// `npm run soak -- --minutes N [--sessions 100] [--readers 20] [--out soak]`: sessions at work,
// readers of the event stream, and trouble: sessions are stopped and started, terminals resized,
// the daemon is killed, or replaced as by an upgrade. Samples memory, descriptors, store growth and
// latency, draws them to <out>/*.svg, and exits 1 if something grows without bound: the slope after
// warm-up is what counts, each daemon for itself.
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { WebSocket } from 'ws'
import { build, install, requireNode, root } from '../scripts/setup.mjs'
import { drawSeries, slopeOf } from './chart.mjs'
import { DaemonHome, inParallel, sleep } from './daemon-home.mjs'

requireNode()
install()
build()
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    sessions: { type: 'string', default: '100' },
    readers: { type: 'string', default: '20' },
    out: { type: 'string', default: 'soak' },
    seed: { type: 'string', default: '1' },
  },
})
const [minutes, sessionCount, readerCount] = ['minutes', 'sessions', 'readers'].map(name => Number(values[name]))
const SAMPLE_MS = Math.min(5_000, (minutes * 60_000) / 40)
/** Measurements before this count as warm-up: caches, the first snapshots, the compiler of Node. */
const WARM_UP = 0.3
/** Until then a new daemon has every session of the one before it, also on a busy machine. */
const RESTORED_MS = 120_000
/** A shorter soak shows that everything works; its memory still settles, so no bar applies. */
const JUDGED_MINUTES = 15
/** Bars of the slope after warm-up: MB per minute, descriptors per minute. */
const BARS = { daemon: 1, keeper: 1, descriptors: 1 }

let state = Number(values.seed) >>> 0
const below = limit => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((state / 4_294_967_296) * limit)
}
const home = new DaemonHome()
/** When all sessions run: starting a hundred of them takes a while on a busy machine. */
let startedAt = Date.now()
const samples = []
const troubles = []
const readers = []
const sessions = []
let isOver = false
try {
  home.startDaemon()
  const start = home.recordedAgent()
  await inParallel(sessionCount, 4, async () => sessions.push(await start()))
  console.log(`${sessionCount} sessions run after ${Math.round((Date.now() - startedAt) / 1_000)} s`)
  startedAt = Date.now()
  for (let n = 0; n < readerCount; n++) readers.push(new Reader())
  const sampling = sampleAll()
  await makeTrouble(start)
  isOver = true
  await sampling
  report()
} catch (error) {
  console.error(`${error.stack}; the end of the daemon's log:\n${home.log()}`)
  process.exitCode = 1
} finally {
  isOver = true
  for (const reader of readers) reader.close()
  await home.close()
}

async function makeTrouble(start) {
  const until = startedAt + minutes * 60_000
  // The daemon dies rarely: growth is measured while it lives.
  const deaths = [0.75, 0.9].map(part => startedAt + part * minutes * 60_000)
  while (Date.now() < until) {
    if (Date.now() > deaths[0]) {
      deaths.shift()
      await replaceDaemon(deaths.length === 1 ? 'kill' : 'upgrade')
    } else if (below(3) > 0) await resize(sessions[below(sessions.length)])
    else {
      const at = below(sessions.length)
      await home.post(`/sessions/${sessions[at].id}/stop`)
      sessions[at] = await start()
      note('a session is replaced')
    }
    await sleep(200 + below(1_500))
  }
}

/** As by `kill -9`, or as by an upgrade: a newer program replaces the daemon. Sessions continue. */
async function replaceDaemon(how) {
  const before = home.pid('daemon')
  if (how === 'kill') process.kill(before, 'SIGKILL')
  else utimesSync(join(process.env.SIGNALBOX_E2E_ROOT ?? root, 'dist', 'cli.js'), new Date(), new Date())
  await sleep(200)
  home.startDaemon()
  if (how === 'upgrade' && home.pid('daemon') === before) {
    process.kill(before, 'SIGTERM')
    await sleep(1_000)
    home.startDaemon()
  }
  note(`the daemon is replaced (${how})`)
  // The daemon answers before it has read all sessions again.
  for (const until = Date.now() + RESTORED_MS; ; await sleep(500)) {
    const { items } = await home.get('/sessions?state=live&limit=200')
    if (items.length >= sessions.length) return
    if (Date.now() > until) throw new Error(`${sessions.length} sessions ran before the ${how}, ${items.length} after`)
  }
}

function resize({ id }) {
  const [cols, rows] = [60 + below(120), 20 + below(40)]
  return new Promise(resolve => {
    const socket = new WebSocket(
      `ws+unix://${join(home.home, 'run', 'signalbox.sock')}:/api/v1/panes/${id}/terminal`,
      'signalbox.terminal.v1',
    )
    const end = () => {
      socket.terminate()
      resolve()
    }
    socket.on('open', () => {
      socket.send(JSON.stringify({ type: 'hello', want: 'input', cols, rows }))
      socket.send(JSON.stringify({ type: 'take' }))
      socket.send(JSON.stringify({ type: 'resize', cols, rows }))
    })
    // The first snapshot says that the daemon has taken the size.
    socket.on('message', end)
    socket.on('error', end)
    setTimeout(end, 10_000).unref()
    note('a terminal is resized')
  })
}

function note(what) {
  troubles.push({ at: Date.now() - startedAt, what })
}

async function sampleAll() {
  while (!isOver) {
    const daemon = home.pid('daemon')
    const keeper = home.pid('keeper')
    const asked = performance.now()
    const isThere = await home.get('/sessions?limit=1').then(
      () => true,
      () => false,
    )
    const latency = performance.now() - asked
    try {
      if (daemon && keeper)
        samples.push({
          at: (Date.now() - startedAt) / 60_000,
          daemon,
          daemonMb: residentMb(daemon),
          keeperMb: residentMb(keeper),
          descriptors: readdirSync(`/proc/${daemon}/fd`).length,
          storeMb: storeMb(),
          events: readers.reduce((sum, reader) => sum + reader.events, 0),
          latencyMs: isThere ? latency : null,
        })
    } catch {
      // The daemon died meanwhile.
    }
    await sleep(SAMPLE_MS)
  }
}

function residentMb(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024
}

function storeMb() {
  const directory = join(home.home, 'data')
  const names = readdirSync(directory).filter(name => name.startsWith('signalbox.db'))
  return names.reduce((sum, name) => sum + statSync(join(directory, name)).size, 0) / 1_048_576
}

function report() {
  // The daemon that lived longest after the warm-up.
  const warm = samples.filter(({ at }) => at > minutes * WARM_UP)
  const first = warm.filter(({ daemon }) => daemon === warm[0]?.daemon)
  if (first.length < 5) throw new Error(`only ${first.length} samples after the warm-up: soak longer`)
  const slopes = {
    daemon: slopeOf(first, 'daemonMb'),
    keeper: slopeOf(warm, 'keeperMb'),
    descriptors: slopeOf(first, 'descriptors'),
  }
  mkdirSync(values.out, { recursive: true })
  const charts = {
    daemonMb: 'MB, daemon',
    keeperMb: 'MB, keeper',
    descriptors: 'descriptors, daemon',
    storeMb: 'MB, store',
    latencyMs: 'ms, GET /sessions',
  }
  for (const [field, title] of Object.entries(charts))
    writeFileSync(join(values.out, `${field}.svg`), drawSeries(samples, field, title))
  writeFileSync(join(values.out, 'samples.json'), JSON.stringify({ samples, troubles }))
  const latencies = samples.flatMap(({ latencyMs }) => latencyMs ?? []).sort((a, b) => a - b)
  console.log(
    `${sessionCount} sessions, ${readerCount} readers, ${minutes} minutes, ${troubles.length} troubles, load average ${loadavg()[0].toFixed(1)}`,
  )
  console.log(
    `GET /sessions p50 ${latencies[Math.floor(latencies.length / 2)].toFixed(0)} ms, p95 ${latencies[Math.floor(latencies.length * 0.95)].toFixed(0)} ms; store ${slopeOf(warm, 'storeMb').toFixed(2)} MB/min`,
  )
  for (const [name, bar] of Object.entries(BARS)) {
    const isMissed = slopes[name] >= bar
    if (isMissed && minutes >= JUDGED_MINUTES) process.exitCode = 1
    const verdict =
      minutes < JUDGED_MINUTES ? `  not judged: under ${JUDGED_MINUTES} minutes` : isMissed ? '  MISSED' : ''
    console.log(`${name}: ${slopes[name].toFixed(2)} per minute after warm-up (bar ${bar})${verdict}`)
  }
  console.log(`charts: ${values.out}/*.svg`)
}

/** A reader of the event stream that reconnects. */
function Reader() {
  this.events = 0
  let asking
  const connect = () => {
    if (isOver) return
    asking = request(
      { socketPath: join(home.home, 'run', 'signalbox.sock'), path: '/api/v1/events', agent: false },
      answer => {
        answer.on('data', chunk => {
          this.events += chunk.toString().split('\nid:').length - 1
        })
        answer.on('close', () => setTimeout(connect, 500))
      },
    )
    asking.on('error', () => setTimeout(connect, 500))
    asking.end()
  }
  this.close = () => asking?.destroy()
  connect()
}
