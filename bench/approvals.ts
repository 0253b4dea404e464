// `node --import tsx bench/approvals.ts`: how fast the ledger answers with 500 requests pending and a long history. One line per figure.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { Ledger } from '../src/approvals/index.js'
import { decisionOf, reportedOf } from '../src/approvals/testing/fixtures.js'
import { openLedgerStore } from '../src/approvals/testing/ledger-site.js'
import { systemClock } from '../src/clock/index.js'

const PENDING = 500
const CLOSED = 2_000
const SURFACES = 20

const directory = mkdtempSync(join(tmpdir(), 'signalbox-bench-'))
const store = await openLedgerStore(join(directory, 'store.db'), systemClock)
const ledger = new Ledger(store, { policy: { maxPending: 10_000 } })

function report(name: string, times: number[]): void {
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.max(0, Math.ceil(times.length * share) - 1)]!.toFixed(2).padStart(9)
  console.log(`${name.padEnd(52)} p50 ${at(0.5)} ms  p95 ${at(0.95)} ms  worst ${at(1)} ms`)
}

async function timed(times: number[], work: () => Promise<unknown>): Promise<void> {
  const start = performance.now()
  await work()
  times.push(performance.now() - start)
}

const raising: number[] = []
for (let index = 0; index < CLOSED; index++) {
  const record = await ledger.request(reportedOf({ requestKey: `c${index}` }))
  await ledger.stale(record, 'gone')
}
for (let index = 0; index < PENDING; index++)
  await timed(raising, () => ledger.request(reportedOf({ requestKey: `p${index}` })))
report(`a request is raised, ${CLOSED} closed before`, raising)

const first: number[] = []
const ledgers = Array.from({ length: SURFACES }, () => new Ledger(store))
for (const each of ledgers) await timed(first, () => each.list({ isOpenOnly: true }))
report('the list of a ledger that has just opened', first)

const listing: number[] = []
const deciding: number[] = []
const pending = await ledger.list({ isOpenOnly: true })
for (const record of pending.slice(0, 200)) {
  await timed(deciding, () =>
    ledger.decide(record.id, decisionOf(record, { option: 'allow', idempotencyKey: record.id })),
  )
  await Promise.all(ledgers.map(each => timed(listing, () => each.list({ isOpenOnly: true }))))
}
report(`the list, ${PENDING} pending, ${SURFACES} surfaces at once`, listing)
report('a decision, until it is on disk', deciding)

const start = performance.now()
const problems = await store.checkChain()
console.log(
  `the chain, ${await store.head()} events, ${problems.length} breaks`.padEnd(52),
  `    ${(performance.now() - start).toFixed(0).padStart(9)} ms`,
)
await store.close()
rmSync(directory, { recursive: true, force: true })
