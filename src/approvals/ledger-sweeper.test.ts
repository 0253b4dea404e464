import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { newEvent } from '../events/index.js'
import type { EventStore } from '../store/index.js'
import { Ledger } from './ledger.js'
import { LedgerSweeper } from './ledger-sweeper.js'
import { decisionOf, reportedOf } from './testing/fixtures.js'
import { LedgerSite } from './testing/ledger-site.js'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

let site: LedgerSite
let store: EventStore
let ledger: Ledger
let sweeper: LedgerSweeper
const errors: unknown[] = []

async function startWatch(of: EventStore = store): Promise<LedgerSweeper> {
  const started = new LedgerSweeper({ store: of, ledger, clock: site.clock, onError: error => errors.push(error) })
  await started.start()
  await started.untilProcessed()
  return started
}

beforeEach(async () => {
  site = new LedgerSite()
  store = await site.store()
  ledger = new Ledger(store, { clock: site.clock, home: '/home/ada', policy: { expireAfterMs: 5 * MINUTE } })
  sweeper = await startWatch()
})
afterEach(async () => {
  await sweeper.close()
  await site.close()
  expect(errors.splice(0)).toEqual([])
})

/** The same store, with a clock of its own. */
function withClock({ isShared, aheadMs }: { isShared: boolean; aheadMs: number }): EventStore {
  return new Proxy(store, {
    get(target, name: keyof EventStore) {
      if (name === 'isShared') return isShared
      if (name === 'now') return async () => site.clock.now() + aheadMs
      const member = target[name] as unknown
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}

async function pass(ms: number): Promise<void> {
  site.clock.advance(ms)
  await sweeper.untilProcessed()
}

async function grant() {
  const record = await ledger.request(reportedOf())
  await ledger.decide(record.id, decisionOf(record, { option: 'allow', grant: { scope: 'session', forMs: 2 * HOUR } }))
  return (await ledger.grants.list())[0]!
}
const reasonOf = async (id: string) =>
  (await ledger.grants.list({ all: true })).find(found => found.id === id)!.ended?.reason

describe('the deadline of a request', () => {
  test('closes an undecided request at its exact time, and allows nothing', async () => {
    const record = await ledger.request(reportedOf({ can: ['deny'] }))
    expect(record.deadline).toEqual({ at: site.clock.now() + 5 * MINUTE, owner: 'config', onExpiry: 'deny' })
    await sweeper.untilProcessed()
    await pass(5 * MINUTE - 1)
    expect((await ledger.get(record.id))!.state).toBe('pending')
    await pass(1)
    expect(await ledger.get(record.id)).toMatchObject({ state: 'expired' })
    expect((await ledger.get(record.id))!.decision).toBeUndefined()
    await expect(ledger.decide(record.id, decisionOf(record, { option: 'allow' }))).rejects.toMatchObject({
      code: 'E_APPROVAL_DECIDED',
    })
  })

  test('does not change a decided request or one without a deadline', async () => {
    const decided = await ledger.request(reportedOf())
    await ledger.decide(decided.id, decisionOf(decided, { option: 'allow' }))
    const plan = await ledger.request(reportedOf({ tool: 'ExitPlanMode', kind: 'plan' }))
    const gate = await ledger.request({
      ...reportedOf({ kind: 'gate' }),
      deadline: { at: site.clock.now() + MINUTE, owner: 'graph', onExpiry: 'default-edge' },
    })
    await sweeper.untilProcessed()
    await pass(HOUR)
    expect((await ledger.get(decided.id))!.state).toBe('decided')
    expect((await ledger.get(plan.id))!.state).toBe('pending')
    expect((await ledger.get(gate.id))!.state).toBe('pending')
  })

  test('does not move when the wall clock is set back', async () => {
    const record = await ledger.request(reportedOf())
    await sweeper.untilProcessed()
    site.clock.step(-HOUR)
    await pass(5 * MINUTE)
    expect((await ledger.get(record.id))!.state).toBe('expired')
  })

  test('follows the wall clock, also after that was set forward', async () => {
    const record = await ledger.request(reportedOf())
    await sweeper.untilProcessed()
    site.clock.step(HOUR)
    await pass(10_000)
    expect((await ledger.get(record.id))!.state).toBe('expired')
  })

  test('follows the clock of a shared store, however slow the clock of this machine is', async () => {
    const record = await ledger.request(reportedOf())
    await sweeper.close()
    sweeper = await startWatch(withClock({ isShared: true, aheadMs: 6 * MINUTE }))
    expect((await ledger.get(record.id))!.state).toBe('expired')
  })

  test('is handled by the next host', async () => {
    const record = await ledger.request(reportedOf())
    await sweeper.close()
    site.clock.advance(6 * MINUTE)
    sweeper = await startWatch()
    expect((await ledger.get(record.id))!.state).toBe('expired')
  })

  test('never applies together with a decision at the same moment', async () => {
    const other = await site.ledger()
    for (let round = 0; round < 20; round++) {
      const record = await ledger.request(reportedOf({ requestKey: `k${round}` }))
      const [expired, decided] = await Promise.allSettled([
        round % 2 ? other.expired(record) : ledger.expired(record),
        ledger.decide(record.id, decisionOf(record, { option: 'allow', idempotencyKey: `d${round}` })),
      ])
      const hasExpired = expired.status === 'fulfilled' && expired.value
      const isDecided = decided.status === 'fulfilled'
      expect([hasExpired, isDecided].filter(Boolean)).toHaveLength(1)
      expect((await ledger.get(record.id))!.state).toBe(isDecided ? 'decided' : 'expired')
    }
  })
})

describe('a grant of the ledger', () => {
  test('ends when its duration has passed', async () => {
    const { id } = await grant()
    await pass(2 * HOUR)
    expect(await reasonOf(id)).toBe('time')
  })

  test('ends with its session', async () => {
    const { id } = await grant()
    await store.append('session/ses_other', 'any', [newEvent('session.ended', { exit: null, reason: 'x' })])
    await sweeper.untilProcessed()
    expect(await reasonOf(id)).toBeUndefined()
    await store.append('session/ses_1', 'any', [newEvent('session.ended', { exit: null, reason: 'x' })])
    await sweeper.untilProcessed()
    expect(await reasonOf(id)).toBe('scope')
  })

  test('ends when the wall clock steps by more than a minute in either direction', async () => {
    for (const step of [-HOUR, HOUR]) {
      const { id } = await grant()
      site.clock.step(Math.sign(step) * 59_000)
      await pass(10_000)
      expect(await reasonOf(id)).toBeUndefined()
      site.clock.step(step)
      await pass(10_000)
      expect(await reasonOf(id)).toBe('clock')
    }
  })

  test('ends when the clock was set back while no daemon ran', async () => {
    const { id } = await grant()
    await sweeper.close()
    site.clock.step(-HOUR)
    sweeper = await startWatch(withClock({ isShared: false, aheadMs: 0 }))
    expect(await reasonOf(id)).toBe('clock')
  })

  test('does not end because another machine of a shared store has a fast clock', async () => {
    const { id } = await grant()
    await sweeper.close()
    const event = newEvent('config.changed', { source: 'file', keys: [] }, site.clock.now() + HOUR)
    await store.append('host', 'any', [event])
    sweeper = await startWatch(withClock({ isShared: true, aheadMs: 0 }))
    expect(await reasonOf(id)).toBeUndefined()
  })

  test.each(['trusted', 'distrusted'] as const)(
    'ends when its project is %s, not when another project is',
    async change => {
      const { id, project } = await grant()
      const event = (path: string) =>
        change === 'distrusted'
          ? newEvent('project.distrusted', { path, by: 'ada' })
          : newEvent('project.trusted', { path, commonDirectory: null, by: 'ada', how: 'asked', hash: 'h', files: {} })
      await store.append('project/other', 'any', [event('/elsewhere')])
      await sweeper.untilProcessed()
      expect(await reasonOf(id)).toBeUndefined()
      await store.append('project/this', 'any', [event(project)])
      await sweeper.untilProcessed()
      expect(await reasonOf(id)).toBe('trust')
    },
  )

  test('ends when the version of the agent changes', async () => {
    const { id } = await grant()
    await ledger.request(reportedOf({}, { agentVersion: '9' }))
    await sweeper.untilProcessed()
    expect(await reasonOf(id)).toBe('agent version')
  })
})

test('a closed request does not reopen when the clock is set back', async () => {
  const records = []
  for (let index = 0; index < 4; index++) records.push(await ledger.request(reportedOf({ requestKey: `k${index}` })))
  await ledger.stale(records[0]!, 'gone')
  await ledger.cancelled(records[1]!, 'x')
  await ledger.expired(records[2]!)
  await ledger.observed(records[3]!, [], site.clock.now())
  site.clock.step(-HOUR)
  await pass(HOUR)
  expect(await ledger.list({ isOpenOnly: true })).toEqual([])
  for (const record of records)
    await expect(ledger.decide(record.id, decisionOf(record, { option: 'allow' }))).rejects.toMatchObject({
      code: 'E_APPROVAL_DECIDED',
    })
})
