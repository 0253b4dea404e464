// `npm run bench:compare -- <ref>`: whether this tree is slower than another commit, on the same
// machine in the same run. Takes the commit into a worktree, runs the benchmarks that count CPU
// time in both trees in turn, and prints the difference beside the machine's noise: how far two
// runs of the same tree are apart. Ends with 1 if a figure is worse by more than the noise and ten
// percent. BENCH_TURNS (3): how often each tree is measured. A reference without a benchmark is
// left out.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const TURNS = Number(process.env.BENCH_TURNS ?? 3)
/** A difference below this is not reported as worse, however quiet the machine is. */
const TOLERANCE = 0.1

/**
 * Benchmarks that need no build and no other program, and where they print a figure in µs or ms.
 */
const FIGURES = [looks('codex', 'hello.80x24'), looks('claude', 'menus-80-classic')]

const [ref] = process.argv.slice(2)
if (ref === undefined) {
  console.error('usage: npm run bench:compare -- <commit, branch or tag>')
  process.exit(2)
}

// The tree of the other commit is removed, also after Ctrl-C: when the benchmark that runs has
// ended.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130))
const directory = mkdtempSync(join(tmpdir(), 'signalbox-compare-'))
const other = join(directory, 'tree')
try {
  git('worktree', 'add', '--detach', '--force', other, ref)
  shareOrInstall()
  console.log(`this tree against ${git('rev-parse', '--short', ref)}; load average ${loadavg()[0].toFixed(1)}`)
  const isWorse = FIGURES.map(compare).some(Boolean)
  process.exitCode = isWorse ? 1 : 0
} finally {
  git('worktree', 'remove', '--force', other)
  rmSync(directory, { recursive: true, force: true })
}

/** The trees are measured in turn, so that a change of the machine's load hits both. */
function compare({ name, file, env, figure }) {
  if (!existsSync(join(other, file))) return console.log(`${name.padEnd(20)} not in ${ref}`)
  const [here, there] = [[], []]
  for (let turn = 0; turn < TURNS; turn++) {
    there.push(measure(other, file, env, figure))
    here.push(measure(root, file, env, figure))
  }
  const noise = Math.max(spread(here), spread(there))
  const change = least(here) / least(there) - 1
  const isWorse = change > Math.max(TOLERANCE, noise)
  console.log(
    `${name.padEnd(20)} ${least(there).toFixed(0)} → ${least(here).toFixed(0)} µs, ${percent(change)}; noise ${percent(noise)}${isWorse ? '  WORSE' : ''}`,
  )
  return isWorse
}

function measure(tree, file, env, figure) {
  const text = execFileSync(process.execPath, ['--import', 'tsx', file], {
    cwd: tree,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const found = figure.exec(text)
  if (!found) throw new Error(`${file} in ${tree} prints no figure: ${text}`)
  return Number(found[1])
}

/** Other programs can only make a run slower. */
function least(values) {
  return Math.min(...values)
}

/** How far the runs of one tree are apart: the middle one against the best. */
function spread(values) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] / sorted[0] - 1
}

function percent(part) {
  return `${part > 0 ? '+' : ''}${(part * 100).toFixed(1)} %`
}

/** The same packages, if both trees want the same. */
function shareOrInstall() {
  const lock = tree => readFileSync(join(tree, 'package-lock.json'), 'utf8')
  if (lock(root) === lock(other)) return symlinkSync(join(root, 'node_modules'), join(other, 'node_modules'))
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: other, stdio: 'ignore' })
}

/** The CPU time to read one frame of a recorded session. */
function looks(agent, recording) {
  const cast = join(root, 'packs', agent, 'fixtures', `${recording}.cast`)
  const env = { BENCH_SESSIONS: '10', BENCH_ROUNDS: '3', BENCH_CAST: cast }
  return { name: `a look at ${agent}`, file: 'bench/looks.ts', env, figure: /([\d.]+) µs a look/ }
}

function git(...words) {
  return execFileSync('git', words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim()
}
