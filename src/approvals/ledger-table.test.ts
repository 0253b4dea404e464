import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyPair } from '../machine/index.js'
import type { EventStore } from '../store/index.js'
import { approvalTable } from './approval-table.js'
import { Ledger } from './ledger.js'
import { type ApprovalRecord, approvalStream } from './record.js'
import { decisionOf, reportedOf, requestOf } from './testing/fixtures.js'
import { LedgerSite } from './testing/ledger-site.js'

/*
 * Every row of the approval table, carried out by the ledger on a real store. The rows come from
 * the table: a row without an action here fails, and so does an action without a row.
 */
type State = (typeof approvalTable.states)[number]
type Event = (typeof approvalTable.events)[number]

let site: LedgerSite
let store: EventStore
let ledger: Ledger
let keys = 0
beforeAll(async () => {
  site = new LedgerSite()
  store = await site.store()
  ledger = new Ledger(store, { clock: site.clock, home: '/home/ada' })
})
afterAll(() => site.close())

const decide = (record: ApprovalRecord) =>
  ledger.decide(record.id, decisionOf(record, { idempotencyKey: `key ${++keys}` }))
const pending = () => ledger.request(requestOf())

/** A request in this state; null for the initial state. */
const BRING: Record<State, () => Promise<ApprovalRecord | null>> = {
  none: async () => null,
  pending,
  decided: async () => {
    const record = await pending()
    await decide(record)
    return record
  },
  applied: async () => after(await pending(), record => ledger.observed(record, [], site.clock.now())),
  stale: async () => after(await pending(), record => ledger.stale(record, 'gone')),
  expired: async () => after(await pending(), record => ledger.expired(record)),
  cancelled: async () => after(await pending(), record => ledger.cancelled(record, 'the session ended')),
}

async function after(
  record: ApprovalRecord,
  deed: (record: ApprovalRecord) => Promise<boolean>,
): Promise<ApprovalRecord> {
  expect(await deed(record)).toBe(true)
  return record
}

/**
 * The call of the ledger for each event. Returns the record; a refusal is thrown.
 */
const DO: Record<Event, (record: ApprovalRecord) => Promise<unknown>> = {
  requested: () => pending(),
  decide,
  grant: async () => {
    const first = await ledger.request(reportedOf({ requestKey: `first ${++keys}` }))
    const grant = { scope: 'session', match: { kind: 'prefix', words: ['npm', 'test'] } } as const
    await ledger.decide(first.id, decisionOf(first, { option: 'allow', grant, idempotencyKey: `key ${++keys}` }))
    return ledger.request(reportedOf({ input: { command: 'npm test' }, requestKey: `second ${++keys}` }))
  },
  observed: record => ledger.observed(record, [{ kind: 'screen' }], site.clock.now()),
  gone: record => ledger.stale(record, 'gone', [{ kind: 'screen' }]),
  changed: record => ledger.stale(record, 'changed'),
  deadline: record => ledger.expired(record),
  withdrawn: record => ledger.cancelled(record, 'the session ended'),
  delivering: record => ledger.delivering(record, 'move'),
  'moved-on': record => ledger.applied(record, [{ kind: 'screen' }], site.clock.now()),
  overtaken: record => ledger.stale(record, 'overtaken', [{ kind: 'screen' }]),
  unproven: record => ledger.stale(record, 'unproven'),
  unconfirmed: record => ledger.stale(record, 'unconfirmed', [{ kind: 'screen' }]),
  ambiguous: record => ledger.stale(record, 'ambiguous', [{ kind: 'screen' }]),
  'too-late': record => ledger.stale(record, 'too-late', [{ kind: 'screen' }]),
}

/** These events carry the evidence that closed the request. */
const WITH_EVIDENCE: ReadonlySet<Event> = new Set([
  'observed',
  'gone',
  'moved-on',
  'overtaken',
  'unconfirmed',
  'ambiguous',
  'too-late',
])

const pairs = [...everyPair(approvalTable)].map(({ state, event, rows }) => ({ state, event, row: rows[0] }))
const listed = pairs.filter(({ row }) => row !== undefined)

describe('the ledger', () => {
  test.each(listed)('follows its table: $state, $event', async ({ state, event, row }) => {
    const record = await BRING[state]()
    const before = record && (await ledger.get(record.id))!
    const refused = await DO[event](record as ApprovalRecord).catch((error: { code?: string }) => error)
    const made = (refused as ApprovalRecord | undefined)?.id ? (refused as ApprovalRecord) : record!
    const now = (await ledger.get(made.id))!
    expect(now.state).toBe(row!.next)
    const last = (await store.readStream(approvalStream(made.id))).at(-1)!
    if (event === 'delivering') expect(now.delivery).toMatchObject([{ attempt: 1, step: 'move' }])
    else if (event === 'decide' && row!.isStay) {
      expect(refused).toMatchObject({ code: 'E_APPROVAL_DECIDED' })
      expect([now.state, now.decision]).toEqual([before!.state, before!.decision])
    } else if (row!.isStay) expect(now).toEqual(before)
    if (!row!.isStay && WITH_EVIDENCE.has(event)) expect(last.data).toMatchObject({ evidence: [{ kind: 'screen' }] })
    if (row!.next === 'stale' && !row!.isStay) expect(now.outcome?.reason).toBe(event)
    if (event === 'grant') expect(now.decision).toMatchObject({ actor: { kind: 'grant' } })
  })

  test.each(
    pairs.filter(({ state, event, row }) => state !== 'none' && !['requested', 'grant'].includes(event) && !row),
  )('changes nothing without a row: $state, $event', async ({ state, event }) => {
    const record = (await BRING[state]())!
    const before = await ledger.get(record.id)
    await DO[event](record).catch(() => undefined)
    expect(await ledger.get(record.id)).toEqual(before)
  })
})
