// Appends to its own stream and to one that all writers share. Arguments: URL, name, number of
// events.
import { once } from 'node:events'
import { systemClock } from '../../src/clock/index.js'
import { openStore } from '../../src/store/index.js'
import { tally } from './tally.js'

const [url = '', name = '', count = '0'] = process.argv.slice(2)
const store = await openStore({ url, clock: systemClock, projections: [tally], chained: ['shared'] })
console.log('ready')
await once(process.stdin, 'data')
const LANES = 8
await Promise.all(
  Array.from({ length: LANES }, async (_, lane) => {
    for (let n = lane; n < Number(count); n += LANES) {
      const stream = n % 4 === 0 ? 'shared' : `own/${name}`
      await store.append(stream, 'any', [{ type: 'test.counted', data: { by: name, n } }])
    }
  }),
)
console.log('done')
await store.close()
process.stdin.destroy()
