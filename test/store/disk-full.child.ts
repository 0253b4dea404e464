// Mounts a small disk that only this process sees, fills it through the store, and prints what
// happened as one line of JSON.
import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../src/clock/index.js'
import { toSignalboxError } from '../../src/errors/index.js'
import { openStore } from '../../src/store/index.js'
import { tally } from './tally.js'

const [directory = ''] = process.argv.slice(2)
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', directory])
if (mounted.status !== 0) throw new Error(String(mounted.stderr))

const ballast = join(directory, 'ballast')
writeFileSync(ballast, Buffer.alloc(1024 * 1024))
const path = join(directory, 'store.db')
const store = await openStore({ path, clock: systemClock, projections: [tally] })
const event = { type: 'test.counted', data: { text: 'x'.repeat(9_000) } }

const codes: string[] = []
let acknowledged = 0
for (let failures = 0; failures < 20; ) {
  try {
    const expected = acknowledged
    acknowledged = (await store.append('a', expected, [event, event], { durability: failures % 2 ? 'normal' : 'full' }))
      .version
  } catch (error) {
    failures += 1
    codes.push(toSignalboxError(error).code)
  }
}
const full = {
  version: await store.streamVersion('a'),
  readable: (await store.readStream('a')).length,
  problems: await store.check(),
}

// A second program that starts on the full disk.
const late = await openStore({ path, clock: systemClock }).then(
  async opened => {
    const version = await opened.streamVersion('a')
    await opened.close()
    return { version }
  },
  (error: unknown) => ({ code: toSignalboxError(error).code }),
)
const fresh = await openStore({ path: join(directory, 'other.db'), clock: systemClock }).catch(
  (error: unknown) => toSignalboxError(error).code,
)

rmSync(ballast)
const again = await store.append('a', acknowledged, [event])
const document = await store.document('tally', 'a')
console.log(JSON.stringify({ acknowledged, codes, full, late, fresh, again, document, problems: await store.check() }))
await store.close()
