// `node bench/sessions.mjs [help] [exit] [keeper] [idle] [approvals]`: measures sessions, keeper
// and daemon. Prints, asserts nothing. Needs a build.
//   help       time of `signalbox --help` against `node -e 0`; bar: ≤ 1.5 × node + 60 ms
//   exit       programs that print 64 kB and exit: runs with all bytes; bar: 200 of 200
//   keeper     the same as sessions of the daemon: recordings with all bytes; bar: 200 of 200
//   idle       200 demo sessions: all answer, CPU at rest < 3 % of a core, < 6 MB each
//   approvals  menu on screen → pending (p95 < 150 ms), decision → first key (< 300 ms), beside 1
//              and 100 streaming sessions, which play recordings of a real agent in a loop with a
//              program that needs little CPU (perl). BENCH_TOOL_MS=3000 spaces the questions so far
//              apart that none gets priority; BENCH_ASKED: how many (30); BENCH_STREAM=demo uses a
//              hundred demo agents instead, which keep two cores busy
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { approveNext } from './asking-session.mjs'
import { cpuSeconds, DaemonHome, inParallel, print, root, runBenchmark, sleep } from './daemon-home.mjs'

const cli = join(root, 'dist', 'cli.js')
const chosen = process.argv.slice(2)
const wants = name => chosen.length === 0 || chosen.includes(name)
const SESSIONS = Number(process.env.BENCH_SESSIONS ?? 200)
const RUNS = Number(process.env.BENCH_RUNS ?? 200)
const IDLE_SECONDS = 10
const LOADS = (process.env.BENCH_LOADS ?? '1,100').split(',').map(Number)
const ASKED = Number(process.env.BENCH_ASKED ?? 30)
const TOOL_MS = Number(process.env.BENCH_TOOL_MS ?? 50)

const home = new DaemonHome()
const { cwd, env } = home

await runBenchmark(home, async () => {
  if (wants('help')) measureHelp()
  if (wants('exit')) await measureExit()
  if (wants('keeper')) await measureKeeperExit()
  if (wants('idle')) await measureIdle()
  if (wants('approvals')) await measureApprovals()
})

function measureHelp() {
  const times = { node: [], help: [] }
  const time = args => {
    const start = process.hrtime.bigint()
    spawnSync(process.execPath, args, { env, stdio: 'ignore' })
    return Number(process.hrtime.bigint() - start) / 1e6
  }
  for (let repeat = 0; repeat < 21; repeat++) {
    times.node.push(time(['-e', '0']))
    times.help.push(time([cli, '--help']))
  }
  // The fastest run shows the cost without other load; the median of a busy machine says more about
  // the other programs.
  for (const [name, of] of [
    ['median', median],
    ['fastest', values => Math.min(...values)],
  ]) {
    const [node, help] = [of(times.node.slice(1)), of(times.help.slice(1))]
    print(
      `help, ${name}`,
      `${help.toFixed(0)} ms, node ${node.toFixed(0)} ms, bar ${(1.5 * node + 60).toFixed(0)} ms (20 runs)`,
    )
  }
}

async function measureExit() {
  let whole = 0
  let next = 0
  const start = Date.now()
  const worker = async () => {
    while (next++ < RUNS)
      if ((await outputSize(['start', '--wait', '--raw', '--', 'head', '-c', '65536', '/dev/zero'])) === 65_536) whole++
  }
  await Promise.all([worker(), worker(), worker(), worker()])
  print(
    'exit, foreground',
    `${whole} of ${RUNS} runs with all 65536 bytes, ${((Date.now() - start) / 1000).toFixed(0)} s`,
  )
}

/**
 * The same in the keeper, sixteen at once: the hardest case for bytes that are still in the kernel.
 */
async function measureKeeperExit() {
  home.startDaemon()
  const sessions = await inParallel(Math.min(RUNS, SESSIONS), 16, () =>
    home.post('/sessions', { agent: null, args: ['head', '-c', '65536', '/dev/zero'], cwd, env }),
  )
  for (const { id } of sessions) await home.get(`/sessions/${id}/wait?for=done&timeoutMs=60000`)
  const complete = sessions.filter(({ recording }) => recordedBytes(recording) === 65_536).length
  print('exit, keeper', `${complete} of ${sessions.length} recordings with all 65536 bytes`)
}

async function measureIdle() {
  const empty = await baseline()
  const start = Date.now()
  const sessions = await inParallel(SESSIONS, 8, () =>
    home.post('/sessions', { agent: 'demo', args: ['--scenario', 'chat', '--speed', '5'], cwd, env }),
  )
  let idle = 0
  for (const { id } of sessions)
    if ((await home.get(`/sessions/${id}/wait?for=idle&timeoutMs=120000`)).reached === 'idle') idle++
  print('start', `${idle} of ${SESSIONS} sessions idle after ${((Date.now() - start) / 1000).toFixed(0)} s`)

  const asked = Date.now()
  const sent = await inParallel(SESSIONS, 20, index =>
    home.post(`/sessions/${sessions[index].id}/messages`, { text: 'hello' }),
  )
  for (const { id } of sessions) await home.get(`/sessions/${id}/wait?for=idle&timeoutMs=120000`)
  let answered = 0
  let drawn = 0
  for (const { id } of sessions) {
    const { messages } = await home.get(`/sessions/${id}/conversation`)
    if (messages.some(message => message.markdown?.includes('Ask me for'))) answered++
    if ((await home.get(`/sessions/${id}/screen`)).lines.some(line => line.includes('Finished in'))) drawn++
  }
  const delivered = sent.filter(({ result }) => result === 'delivered').length
  print(
    'answers',
    `${delivered} delivered, ${answered} answers in the log, ${drawn} on screen, of ${SESSIONS}, in ${((Date.now() - asked) / 1000).toFixed(0)} s`,
  )
  const listed = Date.now()
  const { items } = await home.get('/sessions')
  print(
    'list',
    `${items.filter(({ state }) => state === 'live').length} live sessions listed in ${Date.now() - listed} ms`,
  )

  await sleep(5000)
  const pids = home.processes()
  const before = pids.map(({ pid }) => cpuSeconds(pid))
  await sleep(IDLE_SECONDS * 1000)
  pids.forEach(({ name, pid }, index) => {
    print(
      `idle CPU, ${name}`,
      `${(((cpuSeconds(pid) - before[index]) / IDLE_SECONDS) * 100).toFixed(2)} % of one core over ${IDLE_SECONDS} s (bar 3 %)`,
    )
  })
  const total = pids.reduce((sum, { name, pid }) => {
    const megabytes = residentMegabytes(pid)
    print(
      `memory, ${name}`,
      `${megabytes.toFixed(0)} MB with ${SESSIONS} sessions, ${empty[name].toFixed(0)} MB with none`,
    )
    return sum + megabytes
  }, 0)
  const base = Object.values(empty).reduce((sum, megabytes) => sum + megabytes, 0)
  print(
    'memory a session',
    `${(total / SESSIONS).toFixed(2)} MB, of which ${((total - base) / SESSIONS).toFixed(2)} MB come with it (bar 6 MB)`,
  )
}

/**
 * One session asks 30 times while others stream. A menu is on screen when its bytes reach the
 * keeper, and a key is sent when the keeper writes it: the recording has both times. Hooks are off,
 * so that every decision is typed into the menu.
 */
async function measureApprovals() {
  home.configure('[agents.demo]\nhooks = false\n')
  home.startDaemon()
  const startStream = process.env.BENCH_STREAM === 'demo' ? demoStream() : home.recordedAgent()
  const asking = home.scenario(
    'ask',
    Array.from({ length: ASKED }, (_, index) => ({
      tool: { name: 'Shell', kind: 'shell', command: `true ${index}`, output: 'ok', ms: TOOL_MS, permission: true },
    })),
  )
  let running = 0
  for (const load of LOADS) {
    const begun = Date.now()
    await inParallel(load - running, 4, startStream)
    print(`start, ${load} streaming`, `${load - running} more in ${((Date.now() - begun) / 1000).toFixed(1)} s`)
    running = load
    const session = await home.startDemo(asking)
    await home.post(`/sessions/${session.id}/messages`, { text: 'go' })
    const before = home.processes().map(({ pid }) => cpuSeconds(pid))
    const programs = home.ownProcesses().filter(({ name }) => name === 'program')
    // A process that has ended meanwhile used little.
    const used = () =>
      programs.reduce((sum, { pid }) => sum + (existsSync(`/proc/${pid}/stat`) ? cpuSeconds(pid) : 0), 0)
    const usedBefore = used()
    const from = Date.now()
    for (let asked = 0; asked < ASKED; asked++) await approveNext(home, session, { pauseMs: 400 })
    const seconds = (Date.now() - from) / 1000
    home.processes().forEach(({ name, pid }, index) => {
      const share = ((cpuSeconds(pid) - before[index]) / seconds) * 100
      print(`CPU, ${load} streaming`, `${name} ${share.toFixed(0)} % of one core over ${seconds.toFixed(0)} s`)
    })
    const share = ((used() - usedBefore) / seconds) * 100
    print(`CPU, ${load} streaming`, `the ${programs.length} programs themselves ${share.toFixed(0)} % of one core`)
    const { pending, keys, records } = latencies(session, (await home.get('/approvals?all')).items)
    const busy = `${load} streaming`
    print(
      `asked, ${busy}`,
      `menu → pending p50 ${pending[0]} ms, p95 ${pending[1]} ms (bar 150 ms), ${records} requests`,
    )
    print(`decided, ${busy}`, `decision → first key p50 ${keys[0]} ms, p95 ${keys[1]} ms (bar 300 ms)`)
    await home.post(`/sessions/${session.id}/stop`, {})
  }
}

function demoStream() {
  // Parts of a few rows each: the demo agent redraws an open part with every word, and the load
  // should be ours, not the agent's.
  const piece = index =>
    `Part ${index} of an answer that goes on and on.\n\n- first\n- second\n- third and last of part ${index}`
  const streaming = home.scenario(
    'stream',
    Array.from({ length: 600 }, (_, index) => ({ say: { markdown: piece(index), chunk: 10, delayMs: 100 } })),
  )
  return async () => {
    const { id } = await home.startDemo(streaming)
    await home.post(`/sessions/${id}/messages`, { text: 'go' })
  }
}

function latencies(session, items) {
  const [header, ...events] = readFileSync(session.recording, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))
  // The recording is created when the session starts: its birth time is the zero of its times.
  const startedAt = statSync(session.recording).birthtimeMs
  const shown = events
    .filter(([, code, data]) => code === 'o' && data.includes('May I run'))
    .map(([t]) => startedAt + t * 1000)
  const typed = events.filter(([, code]) => code === 'i').map(([t]) => startedAt + t * 1000)
  const mine = items.filter(({ subject }) => subject.session === session.id)
  const pending = mine
    .map(({ requestedAt }) => Date.parse(requestedAt))
    .map(requested => requested - Math.max(...shown.filter(at => at <= requested + 1)))
  const keys = mine
    .map(({ decision }) => Date.parse(decision.at))
    .map(decided => Math.min(...typed.filter(at => at >= decided - 1)) - decided)
  if (!header || pending.some(value => !Number.isFinite(value))) throw new Error('a menu is missing in the recording')
  return { pending: percentiles(pending), keys: percentiles(keys), records: mine.length }
}

function percentiles(values) {
  const sorted = [...values].sort((a, b) => a - b)
  return [0.5, 0.95].map(part => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]))
}

async function baseline() {
  home.startDaemon()
  await sleep(2000)
  return Object.fromEntries(home.processes().map(({ name, pid }) => [name, residentMegabytes(pid)]))
}

function outputSize(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [cli, ...args], { env, cwd, stdio: ['ignore', 'pipe', 'inherit'] })
    let size = 0
    child.stdout.on('data', chunk => {
      size += chunk.length
    })
    child.on('error', reject)
    child.on('close', () => resolve(size))
  })
}

function recordedBytes(path) {
  const lines = readFileSync(path, 'utf8').split('\n').slice(1).filter(Boolean)
  return lines
    .map(line => JSON.parse(line))
    .reduce((sum, [, code, data]) => sum + (code === 'o' ? Buffer.byteLength(data) : 0), 0)
}

function residentMegabytes(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]
}
