// Decides the requests of a ledger as fast as possible, while another process decides the same
// ones. Each line on standard input names a part of them (`from to`); the output lists the
// decisions that were accepted, and who decided the others first.
import { createInterface } from 'node:readline'
import { Ledger } from '../../src/approvals/index.js'
import { openLedgerStore } from '../../src/approvals/testing/ledger-site.js'
import { systemClock } from '../../src/clock/index.js'
import { SignalboxError } from '../../src/errors/index.js'

const [path = '', name = '', option = ''] = process.argv.slice(2)
const store = await openLedgerStore(path, systemClock)
const ledger = new Ledger(store)
const records = await ledger.list({ isOpenOnly: true })
const AT_ONCE = 8

async function decidePart(from: number, to: number): Promise<{ won: string[]; lost: string[] }> {
  const won: string[] = []
  const lost: string[] = []
  const queue = records.slice(from, to)
  const decideNext = async (): Promise<void> => {
    for (let record = queue.shift(); record; record = queue.shift()) {
      try {
        await ledger.decide(record.id, {
          fingerprint: record.fingerprint,
          option,
          seen: { displayHash: record.display.hash, whole: true },
          actor: { kind: 'person', id: name, name, role: 'approver' },
          surface: 'web',
          idempotencyKey: `${name}:${record.id}`,
        })
        won.push(record.id)
      } catch (error) {
        if (!(error instanceof SignalboxError && error.code === 'E_APPROVAL_DECIDED')) throw error
        lost.push((error.details as { first: { by: string } }).first.by)
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, decideNext))
  return { won, lost }
}

console.log('ready')
for await (const line of createInterface({ input: process.stdin })) {
  const [from, to] = line.split(' ').map(Number) as [number, number]
  if (from === to) break
  console.log(JSON.stringify(await decidePart(from, to)))
}
await store.close()
process.stdin.destroy()
