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
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { approveNext } from './asking-session.mjs'

const root = process.env.SIGNALBOX_E2E_ROOT ?? dirname(dirname(fileURLToPath(import.meta.url)))
const cli = join(root, 'dist', 'cli.js')
const chosen = process.argv.slice(2)
const wants = name => chosen.length === 0 || chosen.includes(name)
const SESSIONS = Number(process.env.BENCH_SESSIONS ?? 200)
const RUNS = Number(process.env.BENCH_RUNS ?? 200)
const IDLE_SECONDS = 10
const LOADS = (process.env.BENCH_LOADS ?? '1,100').split(',').map(Number)
const ASKED = Number(process.env.BENCH_ASKED ?? 30)
const TOOL_MS = Number(process.env.BENCH_TOOL_MS ?? 50)

const directory = mkdtempSync(join(tmpdir(), 'signalbox-bench-'))
const home = join(directory, 'home')
const env = {
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  USER: process.env.USER ?? 'root',
  LANG: 'C.UTF-8',
  TMPDIR: directory,
  SIGNALBOX_HOME: home,
}
mkdirSync(join(directory, 'work'))
const cwd = join(directory, 'work')

// An interrupted benchmark leaves nothing behind.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void cleanUp().finally(() => process.exit(130)))

try {
  if (wants('help')) measureHelp()
  if (wants('exit')) await measureExit()
  if (wants('keeper')) await measureKeeperExit()
  if (wants('idle')) await measureIdle()
  if (wants('approvals')) await measureApprovals()
} catch (error) {
  console.error(`${error.message}; the end of the daemon's log:\n${daemonLog()}`)
  process.exitCode = 1
} finally {
  await cleanUp()
}

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
  startDaemon()
  const sessions = await inParallel(Math.min(RUNS, SESSIONS), 16, () =>
    post('/sessions', { agent: null, args: ['head', '-c', '65536', '/dev/zero'], cwd, env }),
  )
  for (const { id } of sessions) await get(`/sessions/${id}/wait?for=done&timeoutMs=60000`)
  const complete = sessions.filter(({ recording }) => recordedBytes(recording) === 65_536).length
  print('exit, keeper', `${complete} of ${sessions.length} recordings with all 65536 bytes`)
}

async function measureIdle() {
  const empty = await baseline()
  const start = Date.now()
  const sessions = await inParallel(SESSIONS, 8, () =>
    post('/sessions', { agent: 'demo', args: ['--scenario', 'chat', '--speed', '5'], cwd, env }),
  )
  let idle = 0
  for (const { id } of sessions)
    if ((await get(`/sessions/${id}/wait?for=idle&timeoutMs=120000`)).reached === 'idle') idle++
  print('start', `${idle} of ${SESSIONS} sessions idle after ${((Date.now() - start) / 1000).toFixed(0)} s`)

  const asked = Date.now()
  const sent = await inParallel(SESSIONS, 20, index =>
    post(`/sessions/${sessions[index].id}/messages`, { text: 'hello' }),
  )
  for (const { id } of sessions) await get(`/sessions/${id}/wait?for=idle&timeoutMs=120000`)
  let answered = 0
  let drawn = 0
  for (const { id } of sessions) {
    const { messages } = await get(`/sessions/${id}/conversation`)
    if (messages.some(message => message.markdown?.includes('Ask me for'))) answered++
    if ((await get(`/sessions/${id}/screen`)).lines.some(line => line.includes('Finished in'))) drawn++
  }
  const delivered = sent.filter(({ result }) => result === 'delivered').length
  print(
    'answers',
    `${delivered} delivered, ${answered} answers in the log, ${drawn} on screen, of ${SESSIONS}, in ${((Date.now() - asked) / 1000).toFixed(0)} s`,
  )
  const listed = Date.now()
  const { items } = await get('/sessions')
  print(
    'list',
    `${items.filter(({ state }) => state === 'live').length} live sessions listed in ${Date.now() - listed} ms`,
  )

  await sleep(5000)
  const pids = processes()
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
  mkdirSync(join(home, 'config'), { recursive: true })
  writeFileSync(join(home, 'config', 'config.toml'), '[agents.demo]\nhooks = false\n')
  startDaemon()
  const startStream = process.env.BENCH_STREAM === 'demo' ? demoStream() : recordedStream()
  const asking = scenarioFile(
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
    const session = await startSession(asking)
    await post(`/sessions/${session.id}/messages`, { text: 'go' })
    const before = processes().map(({ pid }) => cpuSeconds(pid))
    const programs = ownProcesses().filter(({ name }) => name === 'program')
    // A process that has ended meanwhile used little.
    const used = () =>
      programs.reduce((sum, { pid }) => sum + (existsSync(`/proc/${pid}/stat`) ? cpuSeconds(pid) : 0), 0)
    const usedBefore = used()
    const from = Date.now()
    for (let asked = 0; asked < ASKED; asked++) await approveNext({ get, post }, session, { pauseMs: 400 })
    const seconds = (Date.now() - from) / 1000
    processes().forEach(({ name, pid }, index) => {
      const share = ((cpuSeconds(pid) - before[index]) / seconds) * 100
      print(`CPU, ${load} streaming`, `${name} ${share.toFixed(0)} % of one core over ${seconds.toFixed(0)} s`)
    })
    const share = ((used() - usedBefore) / seconds) * 100
    print(`CPU, ${load} streaming`, `the ${programs.length} programs themselves ${share.toFixed(0)} % of one core`)
    const { pending, keys, records } = latencies(session, (await get('/approvals?all')).items)
    const busy = `${load} streaming`
    print(
      `asked, ${busy}`,
      `menu → pending p50 ${pending[0]} ms, p95 ${pending[1]} ms (bar 150 ms), ${records} requests`,
    )
    print(`decided, ${busy}`, `decision → first key p50 ${keys[0]} ms, p95 ${keys[1]} ms (bar 300 ms)`)
    await post(`/sessions/${session.id}/stop`, {})
  }
}

/**
 * Sessions that replay a recording of a working agent in a loop: about twenty writes per second
 * each.
 */
function recordedStream() {
  const cast = join(root, 'packs', 'codex', 'fixtures', 'hello.80x24.cast')
  const [header, ...events] = readFileSync(cast, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))
  const pieces = events.filter(([, code]) => code === 'o')
  const lines = pieces.map(([t, , data], index) => {
    const pause = Math.min(0.3, t - (pieces[index - 1]?.[0] ?? t))
    return `${pause.toFixed(4)} ${Buffer.from(data).toString('base64')}`
  })
  writeFileSync(join(directory, 'stream.txt'), lines.join('\n'))
  const player = [
    '#!/usr/bin/env perl',
    'use MIME::Base64; $| = 1;',
    `open(F, '<', '${join(directory, 'stream.txt')}'); @pieces = map { [split / /] } <F>;`,
    'system("stty raw -echo"); srand($$); select(undef, undef, undef, rand(5));',
    // Each round starts with an empty screen, as a session does.
    'for (;;) { for $p (@pieces) { select(undef, undef, undef, $p->[0]); print decode_base64($p->[1]) } print "\\e[2J\\e[H" }',
  ]
  const file = join(directory, 'codex')
  writeFileSync(file, `${player.join('\n')}\n`, { mode: 0o755 })
  const size = { cols: header.width ?? header.term?.cols, rows: header.height ?? header.term?.rows }
  return () => post('/sessions', { agent: null, args: [file], cwd, env, size })
}

function demoStream() {
  // Parts of a few rows each: the demo agent redraws an open part with every word, and the load
  // should be ours, not the agent's.
  const piece = index =>
    `Part ${index} of an answer that goes on and on.\n\n- first\n- second\n- third and last of part ${index}`
  const streaming = scenarioFile(
    'stream',
    Array.from({ length: 600 }, (_, index) => ({ say: { markdown: piece(index), chunk: 10, delayMs: 100 } })),
  )
  return async () => {
    const { id } = await startSession(streaming)
    await post(`/sessions/${id}/messages`, { text: 'go' })
  }
}

function scenarioFile(name, steps) {
  const file = join(directory, `${name}.json`)
  writeFileSync(file, JSON.stringify({ name, turns: [], otherwise: { steps } }))
  return file
}

async function startSession(scenario) {
  const args = ['--scenario', scenario]
  const session = await post('/sessions', {
    agent: 'demo',
    args,
    cwd,
    env: { ...env, SIGNALBOX_DEMO_HOME: join(directory, 'demo') },
  })
  await get(`/sessions/${session.id}/wait?for=idle&timeoutMs=120000`)
  return session
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

function daemonLog() {
  try {
    return readFileSync(join(home, 'state', 'daemon.log'), 'utf8').slice(-2000)
  } catch {
    return 'none'
  }
}

/** BENCH_PROFILE=<directory>: with a CPU profile of the daemon, written there when it ends. */
function startDaemon() {
  const profiles = process.env.BENCH_PROFILE
  if (profiles !== undefined)
    spawn(process.execPath, ['--cpu-prof', '--cpu-prof-dir', profiles, cli, 'serve'], { env, cwd, stdio: 'ignore' })
  // Waits for the daemon that is running.
  execFileSync(process.execPath, [cli, 'serve', '--background'], { env, cwd, stdio: 'ignore' })
}

async function baseline() {
  startDaemon()
  await sleep(2000)
  return Object.fromEntries(processes().map(({ name, pid }) => [name, residentMegabytes(pid)]))
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

async function inParallel(count, width, work) {
  const results = new Array(count)
  let next = 0
  const worker = async () => {
    for (let index = next++; index < count; index = next++) results[index] = await work(index)
  }
  await Promise.all(Array.from({ length: width }, worker))
  return results
}

function get(path) {
  return call('GET', path)
}

function post(path, body) {
  return call('POST', path, body)
}

function call(method, path, body) {
  return new Promise((resolve, reject) => {
    const asking = request(
      {
        socketPath: join(home, 'run', 'signalbox.sock'),
        // A new connection each time: the daemon may close a kept one just when it is used again.
        agent: false,
        method,
        path: `/api/v1${path}`,
        headers: { 'content-type': 'application/json' },
      },
      answer => {
        const chunks = []
        answer.on('data', chunk => chunks.push(chunk))
        answer.on('end', () => {
          const value = JSON.parse(Buffer.concat(chunks).toString())
          if (answer.statusCode >= 400) reject(new Error(`${method} ${path}: ${value.error?.message}`))
          else resolve(value)
        })
      },
    )
    asking.on('error', reject)
    asking.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

/** The daemon and the keeper of this home. */
function processes() {
  return ownProcesses().filter(({ name }) => name !== 'program')
}

/** All processes of this home, by their command lines. */
function ownProcesses() {
  const found = []
  for (const name of readdirSync('/proc').filter(entry => /^\d+$/.test(entry))) {
    const read = file => {
      try {
        return readFileSync(`/proc/${name}/${file}`, 'utf8')
      } catch {
        return ''
      }
    }
    if (!`${read('environ')}\0`.includes(`TMPDIR=${directory}\0`)) continue
    const command = read('cmdline')
    if (/cli\.js\0serve\0?$/.test(command)) found.push({ name: 'daemon', pid: Number(name) })
    else if (command.startsWith('signalbox-keeper')) found.push({ name: 'keeper', pid: Number(name) })
    else if (Number(name) !== process.pid) found.push({ name: 'program', pid: Number(name) })
  }
  return found
}

function cpuSeconds(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

function residentMegabytes(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024
}

async function cleanUp() {
  // The keeper ends its programs when it is asked to end.
  for (const { pid } of processes()) process.kill(pid, 'SIGTERM')
  // Writing a profile takes a while.
  const tries = process.env.BENCH_PROFILE === undefined ? 100 : 600
  for (let waited = 0; waited < tries && processes().length > 0; waited++) await sleep(100)
  for (const { pid } of processes()) process.kill(pid, 'SIGKILL')
  rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]
}

function sleep(ms) {
  return new Promise(resolve => setTimeout(resolve, ms))
}

function print(what, figure) {
  console.log(`${what.padEnd(20)} ${figure}`)
}
