// Appends without end and prints each acknowledged append at once, until it is killed.
import { once } from 'node:events'
import { writeSync } from 'node:fs'
import { systemClock } from '../../src/clock/index.js'
import { openStore } from '../../src/store/index.js'
import { tally } from './tally.js'

const [path = '', name = ''] = process.argv.slice(2)
console.log('ready')
await once(process.stdin, 'data')
const store = await openStore({ path, clock: systemClock, projections: [tally] })
for (let n = 1; ; n += 1) {
  const count = 1 + (n % 3)
  const events = Array.from({ length: count }, (_, index) => ({
    type: 'test.counted',
    data: { name, n, index, pad: 'x'.repeat(3_000) },
  }))
  const durability = n % 2 === 0 ? 'full' : 'normal'
  const { position } = await store.append(`killed/${n % 4}`, 'any', events, { durability })
  // Written synchronously, so that exactly the acknowledged appends are printed.
  writeSync(1, `${position} ${n} ${count}\n`)
}
