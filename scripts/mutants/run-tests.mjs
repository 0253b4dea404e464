// The process in which mutants run: node run-tests.mjs <bundle>. The parent sends the work on
// standard input, one JSON document; answers are lines on standard output. A mutant that loops
// forever ends with this process, and the parent starts another one.
import { readFileSync, writeSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const say = value => writeSync(1, `${JSON.stringify(value)}\n`)
const { mutants, isBaseline } = JSON.parse(readFileSync(0, 'utf8'))
// Output of tests is not the parent's business.
process.stdout.write = () => true
process.stderr.write = () => true
process.on('unhandledRejection', () => undefined)
process.on('uncaughtException', () => undefined)
const chosen = mutants?.[0]?.isLoading ? mutants[0].id : null
let hits = new Set()
let active = chosen
globalThis.__mutant = id => {
  hits.add(id)
  return id === active
}
let loaded
try {
  loaded = await import(pathToFileURL(process.argv[2]).href)
} catch (error) {
  if (isBaseline) say({ error: error.stack })
  else say({ id: chosen, result: 'invalid' })
  process.exit(0)
}
const { tests } = loaded
/** A test that does not end by itself is one that noticed. */
const run = (index, limitMs) =>
  Promise.race([
    tests[index].run().then(
      () => true,
      () => false,
    ),
    new Promise(resolve => setTimeout(() => resolve(false), limitMs)),
  ])

if (isBaseline) {
  say({ loading: [...hits] })
  for (const [index, { name }] of tests.entries()) {
    hits = new Set()
    const started = performance.now()
    let isRight = await run(index, 60_000)
    const ms = performance.now() - started
    // A test that depends on another one, or on chance, proves nothing about a mutant.
    if (isRight && ms < 2_000) isRight = await run(index, 60_000)
    say({ test: index, name, isRight, ms, hits: [...hits] })
  }
} else {
  for (const { id, tests: order } of mutants) {
    active = id
    let killer = null
    say({ id, result: 'started' })
    for (const { index, ms } of order) {
      if (await run(index, 2_000 + 5 * ms)) continue
      killer = index
      break
    }
    say({ id, result: killer === null ? 'survived' : 'killed', by: killer })
  }
}
process.exit(0)
