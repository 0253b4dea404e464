// `node answer-gates.mjs <rooms> <data directory> <name>`: answers every open gate of every run
// twice, in an order of its own, as soon as a line comes in; prints how many answers were taken,
// and how many came too late.
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'

const [rooms, dataDirectory, name] = process.argv.slice(2)
const room = path => import(pathToFileURL(join(rooms, path, 'index.js')).href)
const [{ openHomeStore, openLedger }, { RunGates }, { listRuns }, { systemClock }] = await Promise.all(
  ['host', 'runs', 'engine', 'clock'].map(room),
)
const store = await openHomeStore({ dataDirectory, clock: systemClock, onError: error => console.error(error) })
const gates = new RunGates(openLedger({ store, clock: systemClock, settings: {} }), store)
const open = (await listRuns(store)).flatMap(run => Object.values(run.gates))
const order = name === 'a' ? open : open.toReversed()
console.log('ready')
await once(createInterface({ input: process.stdin }), 'line')
const counts = { taken: 0, late: 0, other: 0 }
for (const approval of order.flatMap(id => [id, id])) {
  try {
    await gates.answer(await gates.get(approval), { option: 'A' }, { id: name, name })
    counts.taken++
  } catch (error) {
    if (error.code === 'E_APPROVAL_DECIDED') counts.late++
    else {
      counts.other++
      console.error(error)
    }
  }
}
console.log(JSON.stringify(counts))
await store.close()
process.exit(0)
