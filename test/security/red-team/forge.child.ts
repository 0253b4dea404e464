// Writes a decision into the store of a home, past the daemon and all its checks.
import { systemClock } from '../../../src/clock/index.js'
import { newEvent } from '../../../src/events/index.js'
import { openHomeStore } from '../../../src/host/open-store.js'

const [dataDirectory, approval, fingerprint, displayHash, option] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
]
const store = await openHomeStore({ dataDirectory, clock: systemClock, onError: console.error } as never)
await store.append(`approval/${approval}`, 'any', [
  newEvent('approval.decided', {
    option,
    tier: 'allow-once',
    actor: { kind: 'person', id: 'local', name: 'owner', role: 'owner' },
    surface: 'web',
    fingerprint,
    seen: { displayHash, whole: true },
    idempotencyKey: 'forged',
    signature: '0'.repeat(64),
  }),
])
await store.close()
console.log('written')
