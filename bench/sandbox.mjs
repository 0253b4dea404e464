// `npm run bench:sandbox [-- <rounds>]`: how much longer a program takes to start in a sandbox.
// Starts `node -e 0` (what most agents are) directly, in a sandbox without network, and in one with
// a filtered network, by the same code that starts sessions; prints the medians in milliseconds.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { planSandbox, sandboxedProgram } from '../src/sandbox/index.ts'

const rounds = Number(process.argv[2] ?? 15)
const directory = mkdtempSync(join(tmpdir(), 'signalbox-bench-box-'))
const [cwd, home] = ['work', 'home'].map(name => join(directory, name))
for (const path of [cwd, home]) mkdirSync(path)
const env = { PATH: process.env.PATH ?? '', HOME: home, TERM: 'xterm' }
const program = { file: process.execPath, args: ['-e', '0'] }
const bridge = new URL('../dist/sandbox/bridge-main.js', import.meta.url).pathname

function inBox(network) {
  const policy = { network, hosts: [], read: [], write: [], env: [] }
  const programs = [process.execPath, bridge]
  const plan = planSandbox({
    agent: 'claude',
    file: program.file,
    cwd,
    home,
    env,
    policy,
    hidden: [],
    own: [],
    programs,
  })
  const bridged = {
    file: process.execPath,
    args: [bridge, join(directory, 'proxy.sock'), program.file, ...program.args],
  }
  return sandboxedProgram('auto', plan, network === 'filtered' ? bridged : program, env.PATH)
}

function measure(prepare) {
  const times = []
  for (let round = 0; round < rounds; round++) {
    const from = performance.now()
    const { file, args } = prepare()
    const { status, stderr } = spawnSync(file, [...args], { cwd, env, encoding: 'utf8' })
    if (status !== 0) throw new Error(stderr)
    times.push(performance.now() - from)
  }
  return times.sort((a, b) => a - b)[Math.floor(rounds / 2)]
}

measure(() => inBox('off'))
const plain = measure(() => program)
const figures = {
  'without a sandbox': plain,
  'network off': measure(() => inBox('off')),
  'network filtered': measure(() => inBox('filtered')),
}
for (const [name, ms] of Object.entries(figures))
  console.log(`${name.padEnd(20)} ${ms.toFixed(0).padStart(5)} ms  +${(ms - plain).toFixed(0)} ms`)
rmSync(directory, { recursive: true, force: true })
