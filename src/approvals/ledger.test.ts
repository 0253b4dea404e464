import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SimulatedClock } from '../clock/index.js'
import { validateEvent } from '../events/index.js'
import type { EventStore } from '../store/index.js'
import { openTestStore } from '../store/testing/open-test-store.js'
import { Ledger } from './index.js'
import { type ApprovalRecord, approvalStream, approvalsProjection } from './record.js'
import { decisionOf, requestOf } from './testing/fixtures.js'

let directory: string
let clock: SimulatedClock
let store: EventStore
let ledger: Ledger
const open: EventStore[] = []

async function connect(): Promise<EventStore> {
  const connected = await openTestStore({
    path: join(directory, 'store.db'),
    clock,
    projections: [approvalsProjection] as never,
    validate: validateEvent,
  })
  open.push(connected)
  return connected
}

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-ledger-'))
  clock = new SimulatedClock(1_000_000)
  store = await connect()
  ledger = new Ledger(store)
})

afterEach(async () => {
  for (const connected of open.splice(0)) await connected.close()
  rmSync(directory, { recursive: true, force: true })
})

const person = (name: string) => ({ kind: 'person' as const, id: name.toLowerCase(), name, role: 'approver' as const })
const typesOf = async ({ id }: ApprovalRecord) => (await store.readStream(approvalStream(id))).map(event => event.type)

test('the ledger lists closed requests for keepMs, and open ones always', async () => {
  const kept = new Ledger(store, { clock, policy: { keepMs: 60_000 } })
  const closed = await kept.request(requestOf({ instance: 'closed' }))
  const waiting = await kept.request(requestOf({ instance: 'open' }))
  await kept.cancelled(closed, 'test')
  expect(await kept.list({ isOpenOnly: false })).toHaveLength(2)
  clock.advance(61_000)
  expect((await kept.list({ isOpenOnly: false })).map(({ id }) => id)).toEqual([waiting.id])
})

describe('a request in the ledger', () => {
  test('is pending, with its whole content, until it is decided', async () => {
    const request = requestOf()
    const record = await ledger.request(request)
    expect(record).toMatchObject({ ...request, state: 'pending', version: 1, requestedAt: 1_000_000, delivery: [] })
    expect(record.id).toMatch(/^apr_[0-9a-z]{16}$/)
    expect(await ledger.list({ isOpenOnly: true })).toEqual([record])
  })

  test('is found by any unique beginning of its id', async () => {
    const first = await ledger.request(requestOf())
    const second = await ledger.request(requestOf())
    expect(await ledger.find(first.id)).toEqual(first)
    const letters = first.id.slice(4)
    let length = 1
    while (second.id.slice(4).startsWith(letters.slice(0, length))) length++
    expect((await ledger.find(letters.slice(0, length))).id).toBe(first.id)
    expect((await ledger.find(`apr_${letters.slice(0, length)}`)).id).toBe(first.id)
    await expect(ledger.find('apr_')).rejects.toMatchObject({ code: 'E_ID_AMBIGUOUS' })
    await expect(ledger.find('zzzzzzzzzzzzzzzzz')).rejects.toMatchObject({ code: 'E_UNKNOWN' })
  })

  test('is not found by an empty id, also when it is the only one', async () => {
    const record = await ledger.request(requestOf())
    await expect(ledger.find('')).rejects.toMatchObject({ code: 'E_UNKNOWN' })
    await expect(ledger.decide('', decisionOf(record))).rejects.toMatchObject({ code: 'E_UNKNOWN' })
    expect((await ledger.get(record.id))!.state).toBe('pending')
  })

  test('is listed in the order of requests; closed ones only on request', async () => {
    const records = []
    for (let count = 0; count < 4; count++) {
      records.push(await ledger.request(requestOf()))
      clock.advance(10)
    }
    await ledger.decide(records[0]!.id, decisionOf(records[0]!))
    await ledger.stale(records[1]!, 'gone')
    expect((await ledger.list({ isOpenOnly: true })).map(({ id, state }) => [id, state])).toEqual([
      [records[0]!.id, 'decided'],
      [records[2]!.id, 'pending'],
      [records[3]!.id, 'pending'],
    ])
    expect(await ledger.list({ isOpenOnly: false })).toHaveLength(4)
  })
})

describe('a decision in the ledger', () => {
  test('records person, surface, time and option', async () => {
    const record = await ledger.request(requestOf())
    clock.advance(5000)
    await ledger.decide(record.id, decisionOf(record, { note: 'fine', surface: 'telegram' }))
    expect(await ledger.get(record.id)).toMatchObject({
      state: 'decided',
      version: 2,
      decision: { option: 'Yes', note: 'fine', surface: 'telegram', at: 1_005_000, actor: { name: 'Ada' } },
    })
  })

  test('is made once by two ledgers on one file, and the loser learns who decided', async () => {
    const others = await Promise.all([connect(), connect(), connect()])
    for (let round = 0; round < 15; round++) {
      const record = await ledger.request(requestOf())
      const deciders = [ledger, ...others.map(other => new Ledger(other))]
      const results = await Promise.allSettled(
        deciders.map((each, index) =>
          each.decide(
            record.id,
            decisionOf(record, {
              actor: person(`P${index}`),
              option: index % 2 ? 'Yes' : 'No',
              idempotencyKey: `key-${index}`,
            }),
          ),
        ),
      )
      const won = results.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []))
      expect(won).toHaveLength(1)
      const decided = (await ledger.get(record.id))!
      expect(decided.decision).toMatchObject(won[0]!)
      for (const result of results) {
        if (result.status === 'rejected') {
          expect(result.reason).toMatchObject({
            code: 'E_APPROVAL_DECIDED',
            details: { first: { by: won[0]!.actor.name, option: won[0]!.option } },
          })
        }
      }
      expect((await typesOf(record)).filter(type => type === 'approval.decided')).toHaveLength(1)
      expect((await typesOf(record)).filter(type => type === 'approval.refused')).toHaveLength(3)
    }
  })

  test('returns the first answer and writes nothing if its key is repeated', async () => {
    const record = await ledger.request(requestOf())
    const first = await ledger.decide(record.id, decisionOf(record))
    const again = await ledger.decide(record.id, decisionOf(record, { option: 'No' }))
    expect(again).toMatchObject(first)
    expect(await typesOf(record)).toEqual(['approval.requested', 'approval.decided'])
  })

  test('is one decision if two processes use the same key at the same time', async () => {
    const record = await ledger.request(requestOf())
    const other = new Ledger(await connect())
    const [one, two] = await Promise.all([
      ledger.decide(record.id, decisionOf(record)),
      other.decide(record.id, decisionOf(record)),
    ])
    expect(two).toMatchObject({ option: one.option, idempotencyKey: 'key-1' })
    expect((await typesOf(record)).filter(type => type === 'approval.decided')).toHaveLength(1)
  })

  test('is possible after a refusal, which is recorded and changes nothing', async () => {
    const record = await ledger.request(requestOf())
    await expect(ledger.decide(record.id, decisionOf(record, { fingerprint: 'f'.repeat(64) }))).rejects.toMatchObject({
      code: 'E_APPROVAL_CHANGED',
    })
    await expect(ledger.decide(record.id, decisionOf(record, { option: 'Maybe' }))).rejects.toMatchObject({
      code: 'E_APPROVAL_OPTION',
    })
    await expect(
      ledger.decide(record.id, decisionOf(record, { actor: { ...person('Vera'), role: 'viewer' } })),
    ).rejects.toMatchObject({ code: 'E_ROLE' })
    expect(await ledger.get(record.id)).toMatchObject({ state: 'pending', version: 4 })
    await ledger.decide(record.id, decisionOf(record))
    expect(await typesOf(record)).toEqual([
      'approval.requested',
      'approval.refused',
      'approval.refused',
      'approval.refused',
      'approval.decided',
    ])
    const [, , , refused] = await store.readStream(approvalStream(record.id))
    expect(refused!.data).toMatchObject({ actor: { name: 'Vera' }, surface: 'web', code: 'E_ROLE' })
  })

  test('is possible with events that this version does not know', async () => {
    const record = await ledger.request(requestOf())
    const newer = await openTestStore({ path: join(directory, 'store.db'), clock, projections: [] })
    open.push(newer)
    await newer.append(approvalStream(record.id), 'any', [{ type: 'approval.whispered', data: {} }])
    await ledger.decide(record.id, decisionOf(record))
    expect((await ledger.get(record.id))!.state).toBe('decided')
  })

  test('is refused for a malformed decision or an unknown role before the id is looked up', async () => {
    await expect(ledger.decide('nothing', decisionOf(requestOf(), { note: 'x'.repeat(3000) }))).rejects.toMatchObject({
      code: 'E_INPUT',
    })
    await expect(ledger.decide('nothing', decisionOf(requestOf()))).rejects.toMatchObject({ code: 'E_UNKNOWN' })
  })
})

describe('the outcome of a request', () => {
  const ends = {
    applied: (record: ApprovalRecord) => ledger.applied(record, [{ kind: 'screen' }], clock.now()),
    observed: (record: ApprovalRecord) => ledger.observed(record, [{ kind: 'screen' }], clock.now()),
    gone: (record: ApprovalRecord) => ledger.stale(record, 'gone'),
    unconfirmed: (record: ApprovalRecord) => ledger.stale(record, 'unconfirmed'),
    cancelled: (record: ApprovalRecord) => ledger.cancelled(record, 'session ended'),
  }

  test.each([
    ['pending', 'applied', 'pending'],
    ['pending', 'observed', 'applied'],
    ['pending', 'gone', 'stale'],
    ['pending', 'unconfirmed', 'pending'],
    ['pending', 'cancelled', 'cancelled'],
    ['decided', 'applied', 'applied'],
    ['decided', 'observed', 'decided'],
    ['decided', 'gone', 'stale'],
    ['decided', 'unconfirmed', 'stale'],
    ['decided', 'cancelled', 'cancelled'],
  ] as const)('follows from %s, then %s: %s', async (state, end, next) => {
    const record = await ledger.request(requestOf())
    if (state === 'decided') await ledger.decide(record.id, decisionOf(record))
    clock.advance(700)
    expect(await ends[end](record)).toBe(next !== state)
    expect((await ledger.get(record.id))!.state).toBe(next)
    if (next === 'applied')
      expect((await store.readStream(approvalStream(record.id))).at(-1)!.data).toMatchObject({ waitedMs: 700 })
  })

  test('is final: a closed request stays closed, in any order of reports', async () => {
    const names = Object.keys(ends) as (keyof typeof ends)[]
    await fc.assert(
      fc.asyncProperty(
        fc.boolean(),
        fc.array(fc.constantFrom(...names), { minLength: 2, maxLength: 6 }),
        async (isDecided, order) => {
          const record = await ledger.request(requestOf())
          if (isDecided) await ledger.decide(record.id, decisionOf(record))
          let closed: ApprovalRecord | null = null
          for (const name of order) {
            const before = (await ledger.get(record.id))!
            await ends[name](record)
            const after = (await ledger.get(record.id))!
            if (closed) expect(after).toEqual(before)
            if (['applied', 'stale', 'cancelled'].includes(after.state)) closed ??= after
          }
          if (closed)
            await expect(
              ledger.decide(record.id, decisionOf(record, { idempotencyKey: 'late' })),
            ).rejects.toMatchObject({ code: 'E_APPROVAL_DECIDED' })
        },
      ),
      { numRuns: 25 },
    )
  })

  test('is the one of two concurrent reports, and the other returns false', async () => {
    const other = new Ledger(await connect())
    const record = await ledger.request(requestOf())
    const results = await Promise.all([
      ledger.cancelled(record, 'session ended'),
      other.stale(record, 'gone'),
      other.observed(record, [], clock.now()),
    ])
    expect(results.filter(Boolean)).toHaveLength(1)
  })

  test('has no negative waiting time when the wall clock was set back', async () => {
    const record = await ledger.request(requestOf())
    await ledger.observed(record, [], record.requestedAt - 60_000)
    expect((await store.readStream(approvalStream(record.id))).at(-1)!.data).toMatchObject({ waitedMs: 0 })
  })
})

describe('the delivery of a decision', () => {
  test('is written ahead, and both steps of an attempt have its number', async () => {
    const record = await ledger.request(requestOf())
    await ledger.decide(record.id, decisionOf(record))
    for (const attempt of [1, 2]) {
      const now = (await ledger.get(record.id))!
      await ledger.delivering(now, 'move')
      await ledger.delivering(now, 'confirm')
      expect((await ledger.get(record.id))!.delivery.slice(-2)).toMatchObject([
        { attempt, step: 'move', channel: 'screen' },
        { attempt, step: 'confirm' },
      ])
    }
  })

  test('is refused for a request that is not decided, so that no key is sent', async () => {
    const record = await ledger.request(requestOf())
    await expect(ledger.delivering(record, 'move')).rejects.toMatchObject({ code: 'E_STATE' })
    await ledger.decide(record.id, decisionOf(record))
    await ledger.cancelled(record, 'session ended')
    await expect(ledger.delivering(record, 'confirm')).rejects.toMatchObject({ code: 'E_STATE' })
    expect((await ledger.get(record.id))!.delivery).toEqual([])
  })
})
