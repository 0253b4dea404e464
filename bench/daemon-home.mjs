// A daemon in a temporary home, for benchmarks: starts it, calls its API, and measures its
// processes.
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { loadavg, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = process.env.SIGNALBOX_E2E_ROOT ?? dirname(dirname(fileURLToPath(import.meta.url)))
const cli = join(root, 'dist', 'cli.js')

const { BENCH_PROFILE: PROFILES, BENCH_BLOCKS: BLOCKS } = process.env

/**
 * BENCH_PROFILE=<directory>: with a CPU profile of the daemon, written there when it ends.
 * BENCH_BLOCKS=<directory>: with the longest blocks of its event loop (loop-blocks.mjs).
 */
function measuring() {
  if (PROFILES !== undefined) return ['--cpu-prof', '--cpu-prof-dir', PROFILES]
  return BLOCKS === undefined ? [] : ['--import', join(import.meta.dirname, 'loop-blocks.mjs')]
}

/** With BENCH_BLOCKS: for each daemon that has ended, the CPU time of its longest blocks. */
function longestBlocks() {
  if (BLOCKS === undefined) return []
  return readdirSync(BLOCKS)
    .filter(name => name.startsWith('blocks-'))
    .map(name => [name, JSON.parse(readFileSync(join(BLOCKS, name), 'utf8'))])
    .map(([name, { blocks }]) => `${blocks.map(({ cpuMs }) => cpuMs).join(', ')} ms of CPU (bar 50 ms; ${name})`)
}

export class DaemonHome {
  /** `kept`: a directory that stays when the benchmark ends; without it, a new one. */
  constructor({ kept } = {}) {
    this.isKept = kept !== undefined
    this.directory = kept ?? mkdtempSync(join(tmpdir(), 'signalbox-bench-'))
    this.home = join(this.directory, 'home')
    this.cwd = join(this.directory, 'work')
    this.env = {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      USER: process.env.USER ?? 'root',
      LANG: 'C.UTF-8',
      TMPDIR: this.directory,
      SIGNALBOX_HOME: this.home,
    }
    mkdirSync(this.cwd, { recursive: true })
    // An interrupted benchmark leaves nothing behind.
    for (const signal of ['SIGINT', 'SIGTERM'])
      process.once(signal, () => void this.close().finally(() => process.exit(130)))
  }

  configure(toml) {
    mkdirSync(join(this.home, 'config'), { recursive: true })
    writeFileSync(join(this.home, 'config', 'config.toml'), toml)
  }

  startDaemon() {
    const { env, cwd } = this
    if (measuring().length > 0) this.spawnDaemon()
    // Waits for the daemon that is running.
    execFileSync(process.execPath, [cli, 'serve', '--background'], { env, cwd, stdio: 'ignore' })
  }

  /** Starts the daemon without waiting for it. */
  spawnDaemon() {
    const { cwd } = this
    const env = {
      ...this.env,
      ...(BLOCKS !== undefined && { BENCH_BLOCKS: BLOCKS, BENCH_BLOCKS_ONLY: process.env.BENCH_BLOCKS_ONLY }),
    }
    return spawn(process.execPath, [...measuring(), cli, 'serve'], { env, cwd, stdio: 'ignore' })
  }

  get(path) {
    return this.#call('GET', path)
  }

  post(path, body = {}) {
    return this.#call('POST', path, body)
  }

  #call(method, path, body) {
    return new Promise((resolve, reject) => {
      const asking = request(
        {
          socketPath: join(this.home, 'run', 'signalbox.sock'),
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

  scenario(name, steps) {
    const file = join(this.directory, `${name}.json`)
    writeFileSync(file, JSON.stringify({ name, turns: [], otherwise: { steps } }))
    return file
  }

  async startDemo(scenario) {
    const session = await this.post('/sessions', {
      agent: 'demo',
      args: ['--scenario', scenario],
      cwd: this.cwd,
      env: { ...this.env, SIGNALBOX_DEMO_HOME: join(this.directory, 'demo') },
    })
    await this.get(`/sessions/${session.id}/wait?for=idle&timeoutMs=120000`)
    return session
  }

  /**
   * A program that needs little CPU and plays a recording of an agent again and again, about twenty
   * writes per second; before that `fill` bytes at once. `isOnce`: it waits after the first time.
   */
  recordedAgent({ fill = 0, isOnce = false } = {}) {
    const cast = join(root, 'packs', 'codex', 'fixtures', 'hello.80x24.cast')
    const [header, ...events] = readFileSync(cast, 'utf8').split('\n').filter(Boolean).map(JSON.parse)
    // The person leaves with Ctrl-C: before it, the agent waits for a prompt.
    const end = isOnce ? events.findLastIndex(([, code, data]) => code === 'i' && data === '\x03') : events.length
    const pieces = events.slice(0, end).filter(([, code]) => code === 'o')
    const lines = pieces.map(([t, , data], index) => {
      const pause = Math.min(0.3, t - (pieces[index - 1]?.[0] ?? t))
      return `${pause.toFixed(4)} ${Buffer.from(data).toString('base64')}`
    })
    const directory = join(this.directory, isOnce ? 'once' : 'looped')
    mkdirSync(directory, { recursive: true })
    writeFileSync(join(directory, 'stream.txt'), lines.join('\n'))
    const player = [
      '#!/usr/bin/env perl',
      'use MIME::Base64; $| = 1;',
      `open(F, '<', '${join(directory, 'stream.txt')}'); @pieces = map { [split / /] } <F>;`,
      'system("stty raw -echo"); srand($$); select(undef, undef, undef, rand(5));',
      `for ($n = 0; $n < ${fill};) { for $p (@pieces) { $d = decode_base64($p->[1]); print $d; $n += length $d } }`,
      // Each round starts with an empty screen, as a session does.
      `for (;;) { for $p (@pieces) { select(undef, undef, undef, $p->[0]); print decode_base64($p->[1]) } ${isOnce ? 'sleep' : 'print "\\e[2J\\e[H"'} }`,
    ]
    const file = join(directory, 'codex')
    writeFileSync(file, `${player.join('\n')}\n`, { mode: 0o755 })
    const size = { cols: header.width ?? header.term?.cols, rows: header.height ?? header.term?.rows }
    return () => this.post('/sessions', { agent: null, args: [file], cwd: this.cwd, env: this.env, size })
  }

  /** The daemon and the keeper of this home. */
  processes() {
    return this.ownProcesses().filter(({ name }) => name !== 'program')
  }

  pid(name) {
    return this.processes().find(process => process.name === name)?.pid
  }

  /** All processes of this home, by their command lines. */
  ownProcesses() {
    const found = []
    for (const name of readdirSync('/proc').filter(entry => /^\d+$/.test(entry))) {
      const read = file => {
        try {
          return readFileSync(`/proc/${name}/${file}`, 'utf8')
        } catch {
          return ''
        }
      }
      if (!`${read('environ')}\0`.includes(`TMPDIR=${this.directory}\0`)) continue
      const command = read('cmdline')
      if (/cli\.js\0serve\0?$/.test(command)) found.push({ name: 'daemon', pid: Number(name) })
      else if (command.startsWith('signalbox-keeper')) found.push({ name: 'keeper', pid: Number(name) })
      else if (Number(name) !== process.pid) found.push({ name: 'program', pid: Number(name) })
    }
    return found
  }

  log() {
    try {
      return readFileSync(join(this.home, 'state', 'daemon.log'), 'utf8').slice(-2000)
    } catch {
      return 'none'
    }
  }

  async close() {
    // The keeper ends its programs when it is asked to end.
    for (const { pid } of this.processes()) process.kill(pid, 'SIGTERM')
    // Writing a profile takes a while.
    const tries = PROFILES === undefined && BLOCKS === undefined ? 100 : 600
    for (let waited = 0; waited < tries && this.processes().length > 0; waited++) await sleep(100)
    for (const { pid } of this.processes()) process.kill(pid, 'SIGKILL')
    if (!this.isKept) rmSync(this.directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
}

/**
 * Runs a benchmark on this home: prints the noise of the machine before and after it, and the end
 * of the daemon's log if it fails. Closes the home in the end.
 */
export async function runBenchmark(home, measure) {
  try {
    print('machine', await noiseFloor())
    await measure()
    print('machine', await noiseFloor())
  } catch (error) {
    console.error(`${error.stack}; the end of the daemon's log:\n${home.log()}`)
    process.exitCode = 1
  } finally {
    await home.close()
    for (const line of longestBlocks()) print('longest blocks', line)
  }
}

/** BENCH_THREADS=0: the daemon reads all terminals itself. */
export function threadSetting() {
  const { BENCH_THREADS: threads } = process.env
  return threads === undefined ? '' : `[terminal]\nthreads = ${threads}\n`
}

export function cpuSeconds(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

export async function inParallel(count, width, work) {
  const results = new Array(count)
  let next = 0
  const worker = async () => {
    for (let index = next++; index < count; index = next++) results[index] = await work(index)
  }
  await Promise.all(Array.from({ length: width }, worker))
  return results
}

/** How late this process is by itself, over two seconds: the machine adds that to every figure. */
async function noiseFloor() {
  const late = []
  for (let count = 0; count < 200; count++) {
    const startedAt = performance.now()
    await sleep(10)
    late.push(performance.now() - startedAt - 10)
  }
  late.sort((a, b) => a - b)
  const [load] = loadavg()
  return `a timer is late by p50 ${late[100].toFixed(1)} ms, p95 ${late[190].toFixed(1)} ms; load average ${load.toFixed(1)}`
}

export function sleep(ms) {
  return new Promise(resolve => setTimeout(resolve, ms))
}

export function print(what, figure) {
  console.log(`${what.padEnd(24)} ${figure}`)
}
