// The process in which mutants run: node run-tests.mjs <bundle>. The parent sends the work on
// standard input, one JSON document; answers are lines on standard output, and a dot before each
// test. A mutant that loops forever ends with this process, and the parent starts another one.
//
// Limits are in processor time, and in ticks for tests that wait: a tick is a timer of 10 ms that
// fired, so that a process which gets no processor does not come nearer to its limit.
import { readFileSync, writeSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'

// Cases that are found by chance would give other figures every time.
fc.configureGlobal({ seed: 1 })
const say = value => writeSync(1, `${JSON.stringify(value)}\n`)
const { mutants, isBaseline } = JSON.parse(readFileSync(0, 'utf8'))
// Output of tests is not the parent's business.
process.stdout.write = () => true
process.stderr.write = () => true
process.on('unhandledRejection', () => undefined)
process.on('uncaughtException', () => undefined)
let hits = new Set()
let active = null
globalThis.__mutant = id => {
  hits.add(id)
  return id === active
}
// Another query is another module for Node: the bundle is evaluated again, with this mutant.
const load = async query => (await import(`${pathToFileURL(process.argv[2]).href}${query}`)).tests
const TICK_MS = 10
/** A test may take this much, and five times what it takes without a mutant. */
const ALLOWED = { cpuMs: 1_000, ticks: 100 }
const BASELINE_LIMIT = { cpuMs: 120_000, ticks: 6_000 }
const startTimer = setInterval
const spent = { ticks: 0 }
const cpuMs = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/**
 * A test that does not end by itself is one that noticed.
 * @returns {Promise<{ isRight: boolean, cpuMs: number, ticks: number }>}
 */
async function run(test, limit) {
  writeSync(1, '.\n')
  const [cpuBefore, ticksBefore] = [cpuMs(), spent.ticks]
  const used = () => ({ cpuMs: cpuMs() - cpuBefore, ticks: spent.ticks - ticksBefore })
  let timer
  const isOver = new Promise(resolve => {
    timer = startTimer(() => {
      spent.ticks++
      const { cpuMs: cpu, ticks } = used()
      if (cpu > limit.cpuMs || ticks > limit.ticks) resolve(false)
    }, TICK_MS)
  })
  const isRight = await Promise.race([
    test.run().then(
      () => true,
      () => false,
    ),
    isOver,
  ])
  clearInterval(timer)
  return { isRight, ...used() }
}

if (isBaseline) {
  const tests = await load('').catch(error => {
    say({ error: error.stack })
    process.exit(0)
  })
  say({ loading: [...hits], cpuMs: cpuMs() })
  for (const test of tests) {
    hits = new Set()
    let result = await run(test, BASELINE_LIMIT)
    // A test that depends on another one, or on chance, proves nothing about a mutant.
    if (result.isRight && result.cpuMs < 2_000) result = await run(test, BASELINE_LIMIT)
    say({ name: test.name, ...result, hits: [...hits] })
  }
} else {
  // By name: a mutant of a table changes how many tests are made from it.
  const byName = tests => new Map(tests.map(test => [test.name, test]))
  // A test that noticed the mutant before often notices the next one, too: it is tried first.
  const kills = new Map()
  const unchanged = mutants.every(({ isLoading }) => isLoading) ? null : byName(await load(''))
  for (const { id, tests: order, isLoading, hint } of mutants) {
    active = id
    let killer = null
    say({ id, result: 'started' })
    const named = isLoading ? await load(`?mutant=${id}`).then(byName, () => null) : unchanged
    if (named === null) {
      say({ id, result: 'invalid' })
      continue
    }
    const promise = name => (name === hint ? Number.POSITIVE_INFINITY : (kills.get(name) ?? 0))
    order.sort((a, b) => promise(b.name) - promise(a.name) || 0)
    for (const { name, cpuMs: cpu, ticks } of order) {
      const limit = { cpuMs: ALLOWED.cpuMs + 5 * cpu, ticks: ALLOWED.ticks + 5 * ticks }
      if (!named.has(name) || (await run(named.get(name), limit)).isRight) continue
      killer = name
      kills.set(name, (kills.get(name) ?? 0) + 1)
      break
    }
    say({ id, result: killer === null ? 'survived' : 'killed', by: killer })
  }
}
process.exit(0)
