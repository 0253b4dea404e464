import { afterEach, beforeEach, expect, test } from 'vitest'
import { newEvent } from '../events/index.js'
import type { EventStore } from '../store/index.js'
import { Ledger } from './ledger.js'
import { decisionOf, reportedOf } from './testing/fixtures.js'
import { LedgerSite } from './testing/ledger-site.js'

let site: LedgerSite
let store: EventStore
let ledger: Ledger
const owner = { kind: 'person', id: 'local', name: 'Ada', role: 'owner' } as const
let asked = 0

beforeEach(async () => {
  site = new LedgerSite()
  store = await site.store()
  ledger = new Ledger(store, { clock: site.clock, home: '/home/ada' })
})
afterEach(() => site.close())

const request = () => ledger.request(reportedOf({ requestKey: `k${++asked}` }))
const allow = async (more: Parameters<typeof decisionOf>[1] = {}) => {
  const record = await request()
  return ledger.decide(record.id, decisionOf(record, { option: 'allow', ...more }))
}
const daemon = (type: 'host.started' | 'host.stopped') =>
  store.append('host', 'any', [
    type === 'host.started' ? newEvent(type, { pid: 1, version: '0' }) : newEvent(type, { pid: 1, reason: 'asked to' }),
  ])

test('a lockdown ends every grant and accepts only denials, in every process of the store', async () => {
  await allow({ grant: { scope: 'session' } })
  expect((await request()).state).toBe('decided')
  expect(await ledger.lockDown(owner)).toEqual({ since: site.clock.now(), grants: 1 })
  const other = new Ledger(await site.store(), { clock: site.clock, home: '/home/ada' })
  const record = await other.request(reportedOf({ requestKey: 'later' }))
  expect(record.state).toBe('pending')
  await expect(other.decide(record.id, decisionOf(record, { option: 'allow' }))).rejects.toMatchObject({
    code: 'E_LOCKED',
  })
  expect((await other.decide(record.id, decisionOf(record, { option: 'deny' }))).tier).toBe('deny')
})

test('a lockdown continues after a crash of the daemon; a stop and a start end it', async () => {
  await daemon('host.started')
  await ledger.lockDown(owner)
  await daemon('host.started')
  await expect(allow()).rejects.toMatchObject({ code: 'E_LOCKED' })
  await daemon('host.stopped')
  await expect(allow()).rejects.toMatchObject({ code: 'E_LOCKED' })
  await daemon('host.started')
  expect(await ledger.lockdown.since()).toBeNull()
  expect((await allow()).tier).toBe('allow-once')
})

test('a decision that was judged before a lockdown and written after it is refused', async () => {
  const record = await request()
  let isLocked = false
  const meanwhile = async () => {
    if (!isLocked) await ledger.lockDown(owner)
    isLocked = true
    return []
  }
  await expect(ledger.decide(record.id, decisionOf(record, { option: 'allow' }), meanwhile)).rejects.toMatchObject({
    code: 'E_LOCKED',
  })
  expect((await ledger.get(record.id))!.state).toBe('pending')
})

test('a repeated lockdown keeps the time of the first', async () => {
  const { since } = await ledger.lockDown(owner)
  site.clock.step(5_000)
  expect((await ledger.lockDown(owner)).since).toBe(since)
})
