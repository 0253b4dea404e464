// `npm run bench:panes -- [panes]`: panes in a private tmux server. The time until a question is
// detected, and the cost of idle panes. BENCH_ROUNDS and BENCH_IDLE_S make it shorter or longer.
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PANES = Number(process.argv[2] ?? 100)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 40)
const IDLE_S = Number(process.env.BENCH_IDLE_S ?? 20)
const root = process.env.SIGNALBOX_E2E_ROOT ?? fileURLToPath(new URL('..', import.meta.url))
const cli = join(root, 'dist', 'cli.js')
const directory = mkdtempSync(join(tmpdir(), 'bench-panes-'))
mkdirSync(join(directory, 'tmux'))
const { TMUX: _inside, TMUX_PANE: _pane, ...outside } = process.env
const env = { ...outside, SIGNALBOX_HOME: join(directory, 'home'), TMUX_TMPDIR: join(directory, 'tmux') }
const tmux = (...args) => execFileSync('tmux', ['-f', '/dev/null', ...args], { env, encoding: 'utf8' }).trim()
const shell = (...args) => tmux(...args, 'env', 'PS1=$ ', 'bash', '--norc', '--noprofile')
const sleep = ms => new Promise(resolve => setTimeout(resolve, ms))
const cpuTicks = pid => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return Number(fields[11]) + Number(fields[12])
}

const panes = new Map()
const waiting = new Map()
let watch
try {
  shell('new-session', '-d', '-s', 'b', '-x', '100', '-y', '30')
  for (let n = 1; n < PANES; n++) shell('new-window', '-t', 'b:')
  watch = spawn(process.execPath, [cli, 'watch', '--json', '--tmux'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  let rest = ''
  watch.stdout.on('data', chunk => {
    rest += chunk
    const lines = rest.split('\n')
    rest = lines.pop()
    for (const line of lines) {
      const { pane } = JSON.parse(line)
      if (!pane) continue
      panes.set(pane.place, pane)
      waiting.get(pane.place)?.(pane)
    }
  })
  while (panes.size < PANES) await sleep(50)
  await sleep(2000)
  const until = (place, status) =>
    new Promise(resolve => {
      waiting.set(place, pane => pane.status === status && resolve(performance.now()))
    })
  const times = []
  for (let round = 0; round < ROUNDS; round++) {
    const place = `b:${(round * 7) % PANES}.0`
    const seen = until(place, 'waiting-approval')
    tmux('send-keys', '-t', place, '-l', '--', 'read -p "Overwrite it? [y/N] " x')
    tmux('send-keys', '-t', place, 'Enter')
    const from = performance.now()
    times.push((await seen) - from)
    tmux('send-keys', '-t', place, 'y', 'Enter')
    await sleep(150)
  }
  times.sort((a, b) => a - b)
  const at = share => times[Math.min(times.length - 1, Math.floor(times.length * share))].toFixed(0)
  console.log(
    `question seen: median ${at(0.5)} ms, p95 ${at(0.95)} ms, worst ${times.at(-1).toFixed(0)} ms (${ROUNDS} rounds, ${PANES} panes)`,
  )
  await sleep(5000)
  const daemon = Number(
    /"pid":(\d+)/.exec(
      execFileSync(
        'curl',
        ['-s', '--unix-socket', join(directory, 'home', 'run', 'signalbox.sock'), 'http://s/api/v1/health'],
        { encoding: 'utf8' },
      ),
    )[1],
  )
  const before = cpuTicks(daemon)
  await sleep(IDLE_S * 1000)
  const used = (cpuTicks(daemon) - before) / 100
  const memory = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${daemon}/status`, 'utf8'))[1]) / 1024
  console.log(`${PANES} idle panes: ${((100 * used) / IDLE_S).toFixed(1)} % of one core, ${memory.toFixed(0)} MB`)
} finally {
  watch?.kill()
  try {
    execFileSync(process.execPath, [cli, 'serve', '--stop'], { env })
    tmux('kill-server')
  } catch {}
  rmSync(directory, { recursive: true, force: true })
}
