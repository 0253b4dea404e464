import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ApprovalRecord, LEDGER_STREAMS, Ledger, ledgerProjections } from '../../src/approvals/index.js'
import { reportedOf } from '../../src/approvals/testing/fixtures.js'
import { systemClock } from '../../src/clock/index.js'
import { SignalboxError } from '../../src/errors/index.js'
import { validateEvent } from '../../src/events/index.js'
import { type EventStore, openStore } from '../../src/store/index.js'
import { newTestDatabase, type TestDatabase } from '../../src/store/testing/postgres-server.js'
import { PartitionProxy } from '../support/partition-proxy.js'
import { describeNeeding } from '../support/requirements.js'

describeNeeding('postgres', 'two servers of one store, one of which loses its connection', () => {
  let database: TestDatabase
  let proxy: PartitionProxy
  let stores: EventStore[]
  let cutOff: Ledger
  let connected: Ledger

  beforeEach(async () => {
    database = await newTestDatabase()
    const { port } = new URL(database.url)
    proxy = await PartitionProxy.to(Number(port))
    const ledgerAt = async (url: string) => {
      const { password } = database
      const projections = ledgerProjections as never
      const options = { projections, validate: validateEvent, chained: LEDGER_STREAMS, onError: () => undefined }
      const store = await openStore({ url, password, clock: systemClock, ...options })
      stores.push(store)
      return new Ledger(store)
    }
    stores = []
    cutOff = await ledgerAt(database.url.replace(`:${port}/`, `:${proxy.port}/`))
    connected = await ledgerAt(database.url)
  })
  afterEach(async () => {
    proxy.heal()
    for (const store of stores) await store.close()
    await proxy.close()
    await database.drop()
  })

  const ask = (n: number) => connected.request(reportedOf({ requestKey: `k${n}`, input: { command: `npm test ${n}` } }))
  /** The answer to the decision: accepted, or the name of the person who was first. */
  const decide = (ledger: Ledger, { id, fingerprint, display }: ApprovalRecord, name: string, option: string) =>
    ledger
      .decide(id, {
        fingerprint,
        option,
        seen: { displayHash: display.hash, whole: true },
        actor: { kind: 'person', id: name, name, role: 'approver' },
        surface: 'web',
        idempotencyKey: `${name}:${id}`,
      })
      .then(
        () => 'accepted',
        error => {
          if (!(error instanceof SignalboxError)) throw error
          return `${error.code} ${(error.details as { first?: { by: string } } | undefined)?.first?.by}`
        },
      )
  const decisionsOf = async ({ id }: ApprovalRecord) => {
    const events = await stores[1]!.readStream(`approval/${id}`)
    return events.filter(({ type }) => type === 'approval.decided').map(({ data }) => data.option)
  }

  test('record one decision if the cut came before it was written: that of the other server', async () => {
    for (let n = 0; n < 3; n++) {
      const request = await ask(n)
      proxy.cut()
      const late = decide(cutOff, request, 'Ada', 'allow')
      expect(await decide(connected, request, 'Eve', 'deny')).toBe('accepted')
      proxy.heal()
      expect(await late).toBe('E_APPROVAL_DECIDED Eve')
      expect(await decisionsOf(request)).toEqual(['deny'])
    }
    expect(await stores[1]!.checkChain()).toEqual([])
  })

  test('record one decision if the cut came after it was written: its server learns that later', async () => {
    for (let n = 0; n < 3; n++) {
      const request = await ask(n)
      proxy.onData = (data, from) => {
        if (from === 'client' && data.includes('"approval.decided"')) queueMicrotask(() => proxy.cut())
        return true
      }
      const first = decide(cutOff, request, 'Ada', 'allow')
      await expect
        .poll(async () => {
          const written = await decisionsOf(request)
          // The database asked for another attempt: its answer must arrive.
          if (written.length === 0) proxy.heal()
          return written
        })
        .toEqual(['allow'])
      expect(await decide(connected, request, 'Eve', 'deny')).toBe('E_APPROVAL_DECIDED Ada')
      proxy.onData = () => true
      proxy.heal()
      expect(await first).toBe('accepted')
      expect(await decisionsOf(request)).toEqual(['allow'])
    }
    expect(await stores[1]!.checkChain()).toEqual([])
  })
})
