// `npm run bench:restart`: how long a new daemon takes until it answers, until a request is visible
// and until all sessions are live. Prints, asserts nothing. Needs a build.
//   bars: answers ≤ 1 s, pending request ≤ 3 s, all live ≤ 30 s with 50 sessions on two cores
// BENCH_THREADS=0: terminals are read in the daemon's own thread. BENCH_SESSIONS (50), BENCH_MB:
// output of each session before the restart (4). Twice: after a clean stop, and after kill -9.
import { cpuSeconds, DaemonHome, inParallel, print, runBenchmark, sleep, threadSetting } from './daemon-home.mjs'

const SESSIONS = Number(process.env.BENCH_SESSIONS ?? 50)
const MEGABYTES = Number(process.env.BENCH_MB ?? 4)

const home = new DaemonHome()
await runBenchmark(home, async () => {
  home.configure(`[agents.demo]\nhooks = false\n${threadSetting()}`)
  home.startDaemon()
  await inParallel(SESSIONS, 4, home.recordedAgent({ fill: MEGABYTES * 1024 * 1024 }))
  const asking = home.scenario('ask', [
    { tool: { name: 'Shell', kind: 'shell', command: 'true', output: 'ok', ms: 50, permission: true } },
  ])
  const asked = await home.startDemo(asking)
  await home.post(`/sessions/${asked.id}/messages`, { text: 'go' })
  await home.get(`/sessions/${asked.id}/wait?for=approval&timeoutMs=120000`)
  await untilFilled()
  await measure('clean stop', async () => {
    await home.post('/shutdown')
    await untilGone(home.pid('daemon'))
  })
  await measure('kill -9', async () => {
    const pid = home.pid('daemon')
    process.kill(pid, 'SIGKILL')
    await untilGone(pid)
  })
})

/** Until every session has printed its output, and the daemon has read it. */
async function untilFilled() {
  for (;;) {
    const { items } = await home.get('/sessions?limit=200')
    const read = items.filter(({ offset }) => offset >= MEGABYTES * 1024 * 1024).length
    if (read >= SESSIONS) return print('filled', `${SESSIONS} sessions with ${MEGABYTES} MB of output each`)
    await sleep(1000)
  }
}

async function measure(name, end) {
  await end()
  // The sessions print while no daemon is there.
  await sleep(3_000)
  const startedAt = performance.now()
  const seconds = () => ((performance.now() - startedAt) / 1000).toFixed(2)
  home.spawnDaemon()
  let health = await attempt(() => home.get('/health'))
  const start = cpuSeconds(home.pid('daemon'))
  print(
    `${name}: answers`,
    `after ${seconds()} s (bar 1 s) and ${start.toFixed(2)} s of CPU; ${health.catchingUp} sessions catching up`,
  )
  await attempt(async () => {
    const { items } = await home.get('/approvals')
    if (!items.some(({ state }) => state === 'pending')) throw new Error('not yet')
  })
  print(`${name}: request`, `visible after ${seconds()} s (bar 3 s)`)
  let slowest = 0
  while (health.catchingUp > 0) {
    const asked = performance.now()
    health = await home.get('/health')
    slowest = Math.max(slowest, performance.now() - asked)
    await sleep(50)
  }
  const cpu = cpuSeconds(home.pid('daemon'))
  const { longest } = health.loop
  print(
    `${name}: all live`,
    `after ${seconds()} s (bar 30 s), ${cpu.toFixed(1)} s of CPU, ${(cpu / SESSIONS).toFixed(2)} s a session (bar 2 s); slowest answer meanwhile ${slowest.toFixed(0)} ms, longest block of the loop ${longest?.ms} ms (bar 50 ms), longest turn of a session ${longest?.session?.ms} ms`,
  )
}

async function attempt(work) {
  for (;;) {
    try {
      return await work()
    } catch {
      await sleep(20)
    }
  }
}

async function untilGone(pid) {
  while (home.pid('daemon') === pid) await sleep(20)
}
