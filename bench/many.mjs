// `npm run bench:many`: many sessions that write at once, and one that floods. Prints, asserts
// nothing. Needs a build.
//   bars: request visible p95 ≤ 100 ms beside 100 streaming sessions, also beside a flood
// BENCH_LOADS: numbers of streaming sessions (1,100); BENCH_ASKED: requests for each (20);
// BENCH_THREADS=0: terminals are read in the daemon's own thread. BENCH_FLOOD=0 leaves out the
// session that prints `yes` without end. Streaming sessions play a recording of a real agent in a
// loop with a program that needs little CPU.
import { readFileSync, statSync } from 'node:fs'
import { cpuSeconds, DaemonHome, inParallel, noiseFloor, print, sleep, threadSetting } from './daemon-home.mjs'

const LOADS = (process.env.BENCH_LOADS ?? '1,100').split(',').map(Number)
const ASKED = Number(process.env.BENCH_ASKED ?? 20)
const HAS_FLOOD = process.env.BENCH_FLOOD !== '0'

const home = new DaemonHome()
try {
  print('machine', await noiseFloor())
  home.configure(`[agents.demo]\nhooks = false\n${threadSetting()}`)
  home.startDaemon()
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
  print('machine', await noiseFloor())
} catch (error) {
  console.error(`${error.message}; the end of the daemon's log:\n${home.log()}`)
  process.exitCode = 1
} finally {
  await home.close()
}

/** One session asks again and again; a request is visible when the API lists it. */
async function measure(name) {
  const asking = home.scenario(
    `ask ${name}`,
    Array.from({ length: ASKED }, (_, index) => ({
      tool: { name: 'Shell', kind: 'shell', command: `true ${index}`, output: 'ok', ms: 300, permission: true },
    })),
  )
  const session = await home.startDemo(asking)
  const [daemon, keeper] = ['daemon', 'keeper'].map(process => home.pid(process))
  const before = [cpuSeconds(daemon), cpuSeconds(keeper)]
  const mainBefore = cpuSeconds(`${daemon}/task/${daemon}`)
  const begun = performance.now()
  await home.post(`/sessions/${session.id}/messages`, { text: 'go' })
  const answers = []
  for (let asked = 0; asked < ASKED; asked++) await approveNext(session, answers)
  const seconds = (performance.now() - begun) / 1000
  const share = (pid, index) => (((cpuSeconds(pid) - before[index]) / seconds) * 100).toFixed(0)
  const { loop } = await home.get('/health')
  print(`${name}: visible`, `menu → pending ${percentiles(latencies(session, await requestsOf(session)))}`)
  print(`${name}: list`, `GET /sessions ${percentiles(answers)}`)
  print(
    `${name}: CPU`,
    `daemon ${share(daemon, 0)} % (its own thread ${(((cpuSeconds(`${daemon}/task/${daemon}`) - mainBefore) / seconds) * 100).toFixed(0)} %), keeper ${share(keeper, 1)} % of one core; longest block ${loop.recent?.ms} ms, longest turn of a session ${loop.recent?.session?.ms} ms`,
  )
  await home.post(`/sessions/${session.id}/stop`)
}

async function requestsOf(session) {
  const { items } = await home.get('/approvals?all')
  return items.filter(({ subject }) => subject.session === session.id)
}

async function approveNext(session, answers) {
  await home.get(`/sessions/${session.id}/wait?for=approval&timeoutMs=60000`)
  const asked = performance.now()
  await home.get('/sessions')
  answers.push(performance.now() - asked)
  const approval = (await requestsOf(session)).find(({ state }) => state === 'pending')
  // A person needs a moment, and the menu must have been shown for one.
  await sleep(400)
  const decided = await home.post(`/approvals/${approval.id}/decision`, {
    fingerprint: approval.fingerprint,
    option: approval.request.options.find(({ meaning }) => meaning === 'allow-once').key,
    seen: { displayHash: approval.display.hash, whole: true },
    idempotencyKey: approval.id,
    actor: { id: 'bench', name: 'bench' },
    waitMs: 20_000,
  })
  if (decided.state !== 'applied')
    throw new Error(`${approval.id} is ${decided.state}: ${decided.reason ?? JSON.stringify(decided).slice(-300)}`)
}

/** A menu is on screen when its bytes reach the keeper: the recording has that time. */
function latencies({ recording }, requests) {
  const startedAt = statSync(recording).birthtimeMs
  const shown = readFileSync(recording, 'utf8')
    .split('\n')
    .slice(1)
    .filter(Boolean)
    .map(line => JSON.parse(line))
    .filter(([, code, data]) => code === 'o' && data.includes('May I run'))
    .map(([t]) => startedAt + t * 1000)
  return requests
    .map(({ requestedAt }) => Date.parse(requestedAt))
    .map(requested => requested - Math.max(...shown.filter(at => at <= requested + 1)))
}

function percentiles(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const at = part => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))].toFixed(0)
  return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, slowest ${at(1)} ms (${sorted.length})`
}

function megabytes(file) {
  return (statSync(file).size / 1_048_576).toFixed(0)
}
