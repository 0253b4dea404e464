// Writes a decision, or the answer of a gate, into the store of a home, past all checks.
import { systemClock } from '../../../src/clock/index.js'
import { newEvent } from '../../../src/events/index.js'
import { openHomeStore } from '../../../src/host/open-store.js'

const [dataDirectory, what, ...words] = process.argv.slice(2) as [string, string, string, string, string, string]
const store = await openHomeStore({ dataDirectory, clock: systemClock, onError: console.error } as never)
if (what === 'gate') {
  const [run, approval, gate] = words
  await store.append(`run/${run}`, 'any', [newEvent('gate.answered', { gate, approval, option: 'A', by: 'owner' })])
} else {
  const [approval, fingerprint, displayHash, option] = words
  await store.append(`approval/${approval}`, 'any', [
    newEvent('approval.decided', {
      option: option!,
      tier: 'allow-once',
      actor: { kind: 'person', id: 'local', name: 'owner', role: 'owner' },
      surface: 'web',
      fingerprint,
      seen: { displayHash, whole: true },
      idempotencyKey: 'forged',
      signature: '0'.repeat(64),
    }),
  ])
}
await store.close()
console.log('written')
