// `npm run bench:many`: many sessions that write at once, and one that floods. Prints, asserts
// nothing. Needs a build.
//   bars: request visible p95 ≤ 100 ms beside 100 streaming sessions, also beside a flood; 200 idle
//         sessions need < 1 % of a core
// BENCH_LOADS: numbers of streaming sessions (1,100); BENCH_ASKED: requests for each (20);
// BENCH_IDLE: idle sessions, before all others (200; 0: none);
// BENCH_THREADS=0: terminals are read in the daemon's own thread. BENCH_FLOOD=0 leaves out the
// session that prints `yes` without end. Streaming sessions play a recording of a real agent in a
// loop with a program that needs little CPU.
import { statSync } from 'node:fs'
import { approveNext, percentiles, requestsWithMenus, startAsking } from './asking-session.mjs'
import { cpuSeconds, DaemonHome, inParallel, print, runBenchmark, sleep, threadSetting } from './daemon-home.mjs'

const LOADS = (process.env.BENCH_LOADS ?? '1,100').split(',').map(Number)
const ASKED = Number(process.env.BENCH_ASKED ?? 20)
const HAS_FLOOD = process.env.BENCH_FLOOD !== '0'
const IDLE = Number(process.env.BENCH_IDLE ?? 200)
const IDLE_S = 20
const PLAYED_S = 60
const VISIBLE_BAR_MS = 100
const IDLE_BAR_PERCENT = 1

const home = new DaemonHome()
await runBenchmark(home, async () => {
  home.configure(`[agents.demo]\nhooks = false\n${threadSetting()}`)
  home.startDaemon()
  if (IDLE > 0) await measureIdle()
  const stream = home.recordedAgent()
  let running = 0
  for (const load of LOADS) {
    await inParallel(load - running, 4, stream)
    running = load
    await measure(`${load} streaming`)
  }
  if (HAS_FLOOD) {
    const flood = await home.post('/sessions', { agent: null, args: ['yes'], cwd: home.cwd, env: home.env })
    await measure(`${running} streaming + flood`)
    const { offset } = await home.get(`/sessions/${flood.id}`)
    print('flood', `${(offset / 1_048_576).toFixed(0)} MB read, ${megabytes(flood.recording)} MB printed`)
  }
})

/** Sessions that wait at a prompt: what daemon and keeper need for them, and end them. */
async function measureIdle() {
  const sessions = await inParallel(IDLE, 4, home.recordedAgent({ isOnce: true }))
  // Their recording takes some seconds; after it comes what is done once.
  await sleep(PLAYED_S * 1000)
  const pids = ['daemon', 'keeper'].map(name => home.pid(name))
  const before = pids.map(cpuSeconds)
  const begun = performance.now()
  await sleep(IDLE_S * 1000)
  const seconds = (performance.now() - begun) / 1000
  const [daemon, keeper] = pids.map((pid, index) => ((cpuSeconds(pid) - before[index]) / seconds) * 100)
  print(
    `${IDLE} idle: CPU`,
    `${(daemon + keeper).toFixed(2)} % of a core (bar ${IDLE_BAR_PERCENT} %): daemon ${daemon.toFixed(2)} %, keeper ${keeper.toFixed(2)} %`,
  )
  await inParallel(IDLE, 4, index => home.post(`/sessions/${sessions[index].id}/stop`))
}

/** One session asks again and again; a request is visible when the API lists it. */
async function measure(name) {
  const session = await startAsking(home, `ask ${name}`, ASKED)
  const [daemon, keeper] = ['daemon', 'keeper'].map(process => home.pid(process))
  const before = [cpuSeconds(daemon), cpuSeconds(keeper)]
  const mainBefore = cpuSeconds(`${daemon}/task/${daemon}`)
  const begun = performance.now()
  await home.post(`/sessions/${session.id}/messages`, { text: 'go' })
  const answers = []
  const onAsked = async () => {
    const asked = performance.now()
    await home.get('/sessions')
    answers.push(performance.now() - asked)
  }
  for (let asked = 0; asked < ASKED; asked++) await approveNext(home, session, { pauseMs: 400, onAsked })
  const seconds = (performance.now() - begun) / 1000
  const share = (pid, index) => (((cpuSeconds(pid) - before[index]) / seconds) * 100).toFixed(0)
  const { loop } = await home.get('/health')
  const visible = (await requestsWithMenus(home, session)).map(({ requested, menu }) => requested - menu)
  print(`${name}: visible`, `menu → pending ${percentiles(visible)} (bar p95 ${VISIBLE_BAR_MS} ms)`)
  print(`${name}: list`, `GET /sessions ${percentiles(answers)}`)
  print(
    `${name}: CPU`,
    `daemon ${share(daemon, 0)} % (its own thread ${(((cpuSeconds(`${daemon}/task/${daemon}`) - mainBefore) / seconds) * 100).toFixed(0)} %), keeper ${share(keeper, 1)} % of one core; longest block ${loop.recent?.ms} ms, longest turn of a session ${loop.recent?.session?.ms} ms`,
  )
  await home.post(`/sessions/${session.id}/stop`)
}

function megabytes(file) {
  return (statSync(file).size / 1_048_576).toFixed(0)
}
