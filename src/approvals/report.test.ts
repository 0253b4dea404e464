import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { EventStore } from '../store/index.js'
import type { HistoryFilter } from './history.js'
import { Ledger } from './ledger.js'
import { type ApprovalReport, buildReport, readLedgerEvents, reportRows } from './report.js'
import { decisionOf, reportedOf } from './testing/fixtures.js'
import { LedgerSite } from './testing/ledger-site.js'

let site: LedgerSite
let store: EventStore
let ledger: Ledger
beforeEach(async () => {
  site = new LedgerSite()
  store = await site.store()
  ledger = new Ledger(store, { clock: site.clock, home: '/home/ada' })
})
afterEach(() => site.close())

const report = async (filter?: HistoryFilter): Promise<ApprovalReport> =>
  buildReport(await readLedgerEvents(store), filter)
const EVE = { kind: 'person', id: 'eve', name: 'Eve', role: 'owner' } as const

async function decided(waitMs: number, more: Parameters<typeof decisionOf>[1] = {}, command = 'npm test') {
  const record = await ledger.request(reportedOf({ requestKey: String(site.clock.now()), input: { command } }))
  site.clock.advance(waitMs)
  await ledger.decide(record.id, decisionOf(record, { option: 'allow', ...more }))
  return (await ledger.get(record.id))!
}

describe('the report of approvals', () => {
  test('has counts, and median and p95 of the times to decide and to apply', async () => {
    for (let index = 1; index <= 20; index++) {
      const record = await decided(index * 100, { idempotencyKey: `k${index}` })
      site.clock.advance(50)
      await ledger.applied(record, [{ kind: 'hook' }], site.clock.now())
    }
    expect(await report()).toMatchObject({
      requests: 20,
      states: { allowed: 20 },
      toDecision: { count: 20, medianMs: 1000, p95Ms: 1900 },
      toApplied: { count: 20, medianMs: 50, p95Ms: 50 },
      byPerson: [{ name: 'Ada', requests: 20, allowed: 20, denied: 0 }],
      byRisk: [{ name: 'low', requests: 20 }],
      byTool: [{ name: 'Bash' }],
      bySurface: [{ name: 'web' }],
    })
  })

  test('lists denials and outcomes with reasons, refusals, and notifications', async () => {
    const denied = await decided(10, { option: 'deny', note: 'not on main', actor: EVE, surface: 'telegram' })
    const stale = await ledger.request(reportedOf())
    await ledger.stale(stale, 'gone')
    await ledger
      .decide(denied.id, decisionOf(denied, { option: 'allow', idempotencyKey: 'late' }))
      .catch(() => undefined)
    expect(await report()).toMatchObject({
      items: [{ title: 'Demo wants to run a command', decided: 'Denied' }, { decided: null }],
      denials: [{ id: denied.id, tool: 'Bash', by: 'Eve', surface: 'telegram', note: 'not on main' }],
      closed: [{ id: stale.id, state: 'stale', reason: 'gone' }],
      refused: [{ id: denied.id, by: 'Ada', code: 'E_APPROVAL_DECIDED' }],
    })
  })

  test('shows every grant with all its uses', async () => {
    const first = await decided(5, { grant: { scope: 'session' } })
    const used = await ledger.request(reportedOf({ requestKey: 'again' }))
    const { grants } = await report()
    expect(grants).toMatchObject([
      { approval: first.id, by: { name: 'Ada' }, uses: 1, usedBy: [{ approval: used.id }] },
    ])
  })

  test('can be filtered by time, run and person', async () => {
    await decided(10)
    const since = site.clock.now() + 1
    site.clock.advance(100)
    await decided(10, { actor: EVE, idempotencyKey: 'e' })
    const run = await ledger.request(reportedOf({}, { run: 'run_1' }))
    expect((await report({ since })).items).toHaveLength(2)
    expect((await report({ until: since })).items).toHaveLength(1)
    expect((await report({ run: 'run_1' })).items.map(({ id }) => id)).toEqual([run.id])
    expect((await report({ person: 'eve' })).byPerson).toMatchObject([{ name: 'Eve', requests: 1 }])
    expect((await report({ person: 'Ada' })).requests).toBe(1)
  })

  test('has no negative times when the clock was set back', async () => {
    const record = await ledger.request(reportedOf())
    site.clock.step(-3_600_000)
    await ledger.decide(record.id, decisionOf(record, { option: 'allow' }))
    expect((await report()).items).toMatchObject([{ decisionMs: 0 }])
  })
})

describe('the report of approvals as CSV', () => {
  test('has one line per request and no formula', async () => {
    for (const [index, note] of ['=1+1', '+x', '-x', '@x', '\tx', 'a "b", c'].entries())
      await decided(1, { note, idempotencyKey: `n${index}` })
    const rows = reportRows(await report())
    expect(rows).toHaveLength(7)
    expect(rows[0]).toMatch(/^id,requestedAt,/)
    const notes = rows.slice(1).map(row => row.split(',Allow once,')[1]!.replace(/,,\d+,,$/, ''))
    expect(notes).toEqual(["'=1+1", "'+x", "'-x", "'@x", "'\tx", '"a ""b"", c"'])
  })
})
