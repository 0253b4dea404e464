// Appends to a stream that another writer uses as well, at the expected version and again after a
// conflict, and to its own streams.
import { once } from 'node:events'
import { systemClock } from '../../src/clock/index.js'
import { SignalboxError } from '../../src/errors/index.js'
import { openStore } from '../../src/store/index.js'
import { tally } from './tally.js'

const [path = '', name = '', sharedCount = '0', ownCount = '0'] = process.argv.slice(2)
const store = await openStore({ path, clock: systemClock, projections: [tally] })
console.log('ready')
await once(process.stdin, 'data')

let conflicts = 0
async function appendShared(n: number): Promise<void> {
  for (;;) {
    const version = await store.streamVersion('shared')
    try {
      await store.append('shared', version, [{ type: 'test.counted', data: { by: name, n } }], { durability: 'normal' })
      return
    } catch (error) {
      if (!(error instanceof SignalboxError && error.code === 'E_VERSION')) throw error
      conflicts += 1
    }
  }
}

const perShared = Number(ownCount) / Number(sharedCount)
for (let n = 1, own = 0; n <= Number(sharedCount); n += 1) {
  await appendShared(n)
  for (; own < n * perShared; own += 1) {
    const durability = own % 10 === 0 ? 'full' : 'normal'
    await store.append(`own/${name}/${own % 7}`, 'any', [{ type: 'test.counted', data: { by: name, n: own } }], {
      durability,
    })
  }
}
console.log(`conflicts ${conflicts}`)
await store.close()
process.stdin.destroy()
