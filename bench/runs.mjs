// `npm run bench:runs [-- loud <MB>]`: many runs at once, and a worker that prints far too much.
// Needs a build. Prints, asserts nothing.
//   many  50 detached oneshots of the demo agent, runs.max_concurrent = 50: created to driven;
//         bars: all complete, p95 < 1 s
//   loud  a worker that prints 1 GB before its answer: time, and the most memory of the host;
//         bar: it completes in bounded memory
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url))
const { main } = await import(new URL('../dist/cli/main.js', import.meta.url).href)
const directory = mkdtempSync(join(tmpdir(), 'signalbox-bench-runs-'))
const work = join(directory, 'work')
mkdirSync(work)
mkdirSync(join(directory, 'home', 'config'), { recursive: true })
const env = {
  PATH: process.env.PATH,
  HOME: directory,
  LANG: 'C.UTF-8',
  SIGNALBOX_HOME: join(directory, 'home'),
  SIGNALBOX_DEMO_HOME: join(directory, 'demo'),
  SIGNALBOX_DEMO_SPEED: '0',
}

// Each command adds a listener while it runs.
for (const stream of [process.stdout, process.stderr]) stream.setMaxListeners(0)

/** Runs a command line in this process; returns its output. */
async function run(...args) {
  let said = ''
  const say = text => {
    said += text
  }
  const code = await main(args, {
    ...{ env, cwd: work, isInteractive: false, isOutputTty: false, columns: 80 },
    ...{ out: line => say(`${line}\n`), write: say, note: line => console.error(line), style: (_, text) => text },
    json: value => say(`${JSON.stringify(value)}\n`),
  })
  if (code !== 0) throw new Error(`signalbox ${args.join(' ')} exited with ${code}`)
  return said
}

async function many(count) {
  writeFileSync(join(directory, 'home', 'config', 'config.toml'), `[runs]\nmax_concurrent = ${count}\n`)
  await run('serve', '--background')
  const begun = performance.now()
  for (let index = 0; index < count; index++)
    await run('oneshot', `number ${index}`, '--agent', 'demo', '--detach', '--json')
  const list = async () => JSON.parse(await run('runs', '--json', '--limit', '200'))
  let runs = await list()
  while (runs.some(({ status }) => !['completed', 'failed', 'rejected', 'cancelled', 'paused'].includes(status))) {
    await delay(500)
    runs = await list()
  }
  const took = (performance.now() - begun) / 1_000
  const completed = runs.filter(({ status }) => status === 'completed').length
  const delays = runs.map(({ createdAt, startedAt }) => startedAt - createdAt).sort((a, b) => a - b)
  const at = share => delays[Math.min(delays.length - 1, Math.floor(delays.length * share))]
  console.log(`${count} runs at once   ${completed} completed in ${took.toFixed(1)} s`)
  console.log(`made to driven    median ${at(0.5)} ms, p95 ${at(0.95)} ms, at most ${at(1)} ms (bar: p95 < 1 000)`)
  await run('serve', '--stop')
}

/** A program named claude that prints this many megabytes of lines and then its answer. */
async function loud(megabytes) {
  const bin = join(directory, 'bin')
  mkdirSync(bin)
  const result = { type: 'result', subtype: 'success', is_error: false, result: 'All is done.' }
  const script = `#!${process.execPath}
const line = 'x'.repeat(1023) + '\\n'
const block = line.repeat(1024)
let left = ${megabytes}
const more = () => {
  while (left-- > 0) if (!process.stdout.write(block)) return process.stdout.once('drain', more)
  console.log(${JSON.stringify(JSON.stringify(result))})
}
more()
`
  writeFileSync(join(bin, 'claude'), script)
  chmodSync(join(bin, 'claude'), 0o755)
  const args = ['oneshot', 'x', '--worker', 'claude', '--auditor', 'demo', '--permissions', 'edits', '--json']
  const child = spawn(process.execPath, [CLI, ...args], {
    cwd: work,
    env: { ...env, PATH: `${bin}${delimiter}${env.PATH}` },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const begun = performance.now()
  let peak = 0
  const { readFileSync } = await import('node:fs')
  const look = setInterval(() => {
    try {
      peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0))
    } catch {
      // It has ended.
    }
  }, 200)
  const code = await new Promise(resolve => child.on('close', resolve))
  clearInterval(look)
  const took = (performance.now() - begun) / 1_000
  console.log(
    `${megabytes} MB of output   exit ${code} in ${took.toFixed(1)} s, at most ${(peak / 1024).toFixed(0)} MB of memory`,
  )
}

try {
  const [what, size] = process.argv.slice(2)
  if (what === 'loud') await loud(Number(size ?? 1_024))
  else await many(Number(size ?? 50))
} finally {
  rmSync(directory, { recursive: true, force: true })
}
process.exit(0)
