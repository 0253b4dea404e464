// `npm run bench:sandbox [-- <rounds>]`: how much longer a program takes to start in a sandbox.
// Starts `node -e 0` (what most agents are) directly and in a sandbox in each mode of the network,
// by the same code that starts sessions. The modes take turns, so that other work on the machine
// meets all of them. Prints medians of the wall clock and, as root, CPU time with all descendants,
// each beside the difference to no sandbox.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { bridgedProgram, planSandbox, sandboxedProgram } from '../src/sandbox/index.ts'

const rounds = Number(process.argv[2] ?? 40)
const directory = mkdtempSync(join(tmpdir(), 'signalbox-bench-sandbox-'))
const [cwd, home, own] = ['work', 'home', 'own'].map(name => join(directory, name))
for (const path of [cwd, home, own]) mkdirSync(path)
const env = { PATH: process.env.PATH ?? '', HOME: home, TERM: 'xterm' }
const program = { file: process.execPath, args: ['-e', '0'] }
const bridge = new URL('../dist/sandbox/bridge-main.js', import.meta.url).pathname

function inSandbox(network) {
  const policy = { network, hosts: [], read: [], write: [], env: [] }
  const plan = planSandbox({
    agent: 'claude',
    file: program.file,
    cwd,
    home,
    env,
    policy,
    hidden: [],
    own: [{ path: own, access: 'read', why: 'its own directory' }],
    programs: [process.execPath, bridge],
  })
  const bridged = bridgedProgram(bridge, join(own, 'proxy.sock'), program)
  return sandboxedProgram('auto', plan, network === 'filtered' ? bridged : program, env.PATH, own)
}

const MODES = {
  'without a sandbox': () => program,
  'network off': () => inSandbox('off'),
  'network on': () => inSandbox('on'),
  'network filtered': () => inSandbox('filtered'),
}
const measured = Object.fromEntries(Object.keys(MODES).map(name => [name, { wall: [], cpu: 0 }]))

/** A control group counts the CPU time of all descendants, also of those in a sandbox. */
const GROUPS = [
  { place: '/sys/fs/cgroup/cpuacct', read: path => Number(readFileSync(join(path, 'cpuacct.usage'), 'utf8')) / 1e6 },
  {
    place: '/sys/fs/cgroup',
    read: path => Number(/usage_usec (\d+)/.exec(readFileSync(join(path, 'cpu.stat'), 'utf8'))[1]) / 1e3,
  },
]
const counter = openCounter()

function openCounter() {
  for (const { place, read } of GROUPS) {
    const path = join(place, `signalbox-bench-${process.pid}`)
    try {
      mkdirSync(path)
      read(path)
      return { path, read: () => read(path) }
    } catch {}
  }
  return null
}

function start(name) {
  const from = { wall: performance.now(), cpu: counter?.read() ?? 0 }
  const { file, args } = MODES[name]()
  const words = counter
    ? ['/bin/sh', '-c', 'echo $$ > "$0/cgroup.procs"; exec "$@"', counter.path, file, ...args]
    : [file, ...args]
  const { status, stderr } = spawnSync(words[0], words.slice(1), { cwd, env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${name}: exit ${status} ${stderr}`)
  return { wall: performance.now() - from.wall, cpu: (counter?.read() ?? 0) - from.cpu }
}

try {
  for (const name of Object.keys(MODES)) start(name)
  for (let round = 0; round < rounds; round++)
    for (const name of Object.keys(MODES)) {
      const { wall, cpu } = start(name)
      measured[name].wall.push(wall)
      measured[name].cpu += cpu
    }
} finally {
  rmSync(directory, { recursive: true, force: true })
  if (counter) spawnSync('rmdir', [counter.path])
}
const median = values => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]
const plain = measured['without a sandbox']
const plainWall = median(plain.wall)
console.log(`${rounds} rounds, load ${loadavg()[0].toFixed(1)}`)
for (const [name, { wall, cpu }] of Object.entries(measured)) {
  const [ms, cpuMs] = [median(wall), cpu / rounds]
  console.log(
    `${name.padEnd(20)} wall ${ms.toFixed(0).padStart(5)} ms  +${(ms - plainWall).toFixed(0).padStart(4)} ms` +
      (counter === null
        ? ''
        : `   CPU ${cpuMs.toFixed(0).padStart(4)} ms  +${(cpuMs - plain.cpu / rounds).toFixed(0).padStart(4)} ms`),
  )
}
