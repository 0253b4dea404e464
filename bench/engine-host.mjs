// `node bench/engine-host.mjs <rooms> <store> <run> <steps>`: drives one run of the benchmark and
// prints the number of each step as it starts.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { benchRun, benchWorkflow, changesOf } from './engine-workflow.mjs'

const [rooms, path, run, steps] = process.argv.slice(2)
const room = name => import(pathToFileURL(join(rooms, name, 'index.js')).href)
const [{ openStore }, { createRun, Driver, runsProjection, runStream }, { validateEvent }, { systemClock }] =
  await Promise.all([room('store'), room('engine/drivers'), room('events'), room('clock')])

const onError = error => console.error(error)
const store = await openStore({
  path,
  clock: systemClock,
  projections: [runsProjection],
  validate: validateEvent,
  onError,
})
if ((await store.streamVersion(runStream(run))) === 0)
  await createRun(store, benchRun(2_000, Number(steps)), systemClock.now(), run)
const lease = await store.acquireLease(runStream(run), String(process.pid), { ttlMs: 60_000, isGone: () => true })
const work = {
  async run({ step }) {
    const n = Number(step.slice('work@'.length, step.indexOf('#')))
    process.stdout.write(`${n}\n`)
    return { status: 'ok', result: changesOf(2_000, 'all', n) }
  },
  async recover() {
    return { verdict: 'nothing', evidence: [] }
  },
}
await new Driver({
  store,
  run,
  workflow: benchWorkflow,
  performers: { work },
  lease,
  clock: systemClock,
  random: Math.random,
  park: false,
  onError,
}).drive()
await store.close()
