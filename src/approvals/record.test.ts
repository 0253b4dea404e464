import { describe, expect, test } from 'vitest'
import { newEvent } from '../events/index.js'
import type { NewEvent, StoredEvent } from '../store/index.js'
import { type ApprovalRecord, approvalStream, approvalsProjection } from './record.js'
import { decisionOf, requestOf } from './testing/fixtures.js'

const request = requestOf()
const { seen, actor, surface, idempotencyKey, fingerprint } = decisionOf(request)
const requested = newEvent('approval.requested', request)
const decided = (option = 'Yes') =>
  newEvent('approval.decided', { option, tier: 'allow-once', seen, actor, surface, idempotencyKey, fingerprint })
const delivering = (step: string) => newEvent('approval.delivering', { attempt: 1, channel: 'screen', fence: 0, step })
const applied = newEvent('approval.applied', { evidence: [{ kind: 'screen' }], waitedMs: 1 })
const observed = newEvent('approval.applied', {
  evidence: [],
  waitedMs: 1,
  observed: { actor: { ...actor, kind: 'observed' }, surface: 'terminal', option: null },
})
const stale = (reason: 'gone' | 'changed' | 'overtaken') => newEvent('approval.stale', { reason })
const cancelled = newEvent('approval.cancelled', { reason: 'session ended' })
const expired = newEvent('approval.expired', { reason: 'no decision', onExpiry: 'nothing' })
const refused = newEvent('approval.refused', { actor, surface, code: 'E_ROLE', reason: 'no' })

function fold(...events: NewEvent[]): ApprovalRecord | null {
  return events.reduce<ApprovalRecord | null>((record, event, index) => {
    const stored: StoredEvent = {
      ...event,
      at: 1000 + index,
      position: index + 1,
      version: index + 1,
      stream: approvalStream('apr_1'),
    }
    return approvalsProjection.types.includes(event.type) ? approvalsProjection.evolve(record, stored) : record
  }, null)
}

describe('the record of an approval', () => {
  test('goes from pending to decided to applied', () => {
    expect(fold(requested)).toEqual({
      ...request,
      id: 'apr_1',
      state: 'pending',
      version: 1,
      requestedAt: 1000,
      delivery: [],
    })
    const record = fold(requested, decided(), delivering('move'), delivering('confirm'), applied)
    expect(record).toMatchObject({
      state: 'applied',
      version: 5,
      decision: { option: 'Yes', at: 1001 },
      outcome: { at: 1004, evidence: [{ kind: 'screen' }] },
    })
    expect(record!.delivery.map(({ step, at }) => [step, at])).toEqual([
      ['move', 1002],
      ['confirm', 1003],
    ])
  })

  test.each([
    ['stale', stale('gone'), 'gone'],
    ['cancelled', cancelled, 'session ended'],
    ['expired', expired, 'no decision'],
  ])('can end as %s, with the reason', (state, event, reason) => {
    expect(fold(requested, event)).toMatchObject({ state, outcome: { at: 1001, reason } })
  })

  test('changes its version with every event of its stream', () => {
    expect(fold(requested, refused, refused)).toMatchObject({ state: 'pending', version: 3 })
  })

  test('keeps the first decision only', () => {
    expect(fold(requested, decided('Yes'), decided('No'))).toMatchObject({
      state: 'decided',
      version: 3,
      decision: { option: 'Yes', at: 1001 },
    })
  })

  test('does not reopen and does not change its outcome', () => {
    for (const end of [stale('gone'), cancelled, expired, observed]) {
      const closed = fold(requested, end)!
      for (const later of [decided(), applied, observed, stale('changed'), cancelled, expired, delivering('move')]) {
        expect(fold(requested, end, later)).toEqual({ ...closed, version: 3 })
      }
    }
  })

  test('is not changed by a deadline after the decision', () => {
    expect(fold(requested, decided(), expired)).toMatchObject({ state: 'decided', decision: { option: 'Yes' } })
    expect(fold(requested, decided(), expired)).not.toHaveProperty('outcome')
  })

  test('is not applied without a decision, unless a person answered in the terminal', () => {
    expect(fold(requested, applied)).toMatchObject({ state: 'pending' })
    expect(fold(requested, observed)).toMatchObject({ state: 'applied' })
    expect(fold(requested, decided(), observed)).toMatchObject({ state: 'decided' })
  })

  test('is missing without a request', () => {
    expect(fold(decided())).toBeNull()
  })

  test.each(['overtaken', 'unconfirmed', 'ambiguous', 'gone', 'changed', 'too-late', 'unproven'] as const)(
    'can become stale after a decision: %s',
    reason => {
      expect(fold(requested, decided(), newEvent('approval.stale', { reason }))).toMatchObject({
        state: 'stale',
        outcome: { reason },
      })
    },
  )

  test('names the grant that decided, and the request that superseded it', () => {
    const { actor: _, ...data } = decided().data as Record<string, unknown>
    const granted = { type: 'approval.decided', data: { ...data, actor, grantId: 'gra_1' } } as NewEvent
    expect(fold(requested, granted)).toMatchObject({ state: 'decided', decision: { grantId: 'gra_1' } })
    const followed = newEvent('approval.stale', { reason: 'changed', followedBy: 'apr_2' })
    expect(fold(requested, followed)!.outcome).toEqual({ at: 1001, reason: 'changed', followedBy: 'apr_2' })
    expect(fold(requested, stale('gone'))!.outcome).toEqual({ at: 1001, reason: 'gone' })
  })

  test('has times only where they are known', () => {
    const timed = newEvent('approval.applied', { evidence: [], waitedMs: 1, deliveredMs: 7 })
    expect(fold(requested, decided(), timed)!.outcome).toEqual({ at: 1002, evidence: [], waitedMs: 1, deliveredMs: 7 })
    expect(fold(requested, decided(), applied)!.outcome).toEqual({
      at: 1002,
      evidence: [{ kind: 'screen' }],
      waitedMs: 1,
    })
    expect(fold(requested, observed)!.outcome).toMatchObject({ observed: { surface: 'terminal' } })
  })

  test('records who has seen the request, each person once', () => {
    const seenBy = (name: string) => newEvent('approval.seen', { actor: { ...actor, name }, surface, ...seen } as never)
    expect(fold(requested)).not.toHaveProperty('seenBy')
    expect(fold(requested, seenBy('Ada'), seenBy('Bob'), seenBy('Ada'))!.seenBy).toEqual([
      `Ada (${surface})`,
      `Bob (${surface})`,
    ])
  })
})

describe('another report of the same request', () => {
  const joined = (fields: object = {}) =>
    newEvent('approval.joined', { channel: 'hook', requestKey: 'k', evidence: [], ...fields } as never)
  const option = (key: string, meaning: string) => ({ key, label: key, meaning, from: 'agent', danger: null })

  test('is stored with its channel, and changes nothing that it does not mention', () => {
    const record = fold(requested, joined())!
    expect(record).toEqual({ ...fold(requested), version: 2, joined: [{ channel: 'hook', requestKey: 'k' }] })
    expect(fold(requested, joined({ toolUseId: 't' }), joined())!.joined).toEqual([
      { channel: 'hook', requestKey: 'k', toolUseId: 't' },
      { channel: 'hook', requestKey: 'k' },
    ])
  })

  test('adds its details: the menu, a mismatch with risk and display, terminal-only options', () => {
    const risk = { level: 'high', reasons: ['x'] } as const
    const record = fold(
      requested,
      joined({ menuHash: 'p', mismatch: 'differs', risk, display: request.display, terminalOnly: 'a part' }),
    )!
    expect(record).toMatchObject({ menuHash: 'p', source: { mismatch: 'differs' }, risk, terminalOnly: 'a part' })
    expect(record.source.requestKey).toBe(request.source.requestKey)
    expect(fold(requested, joined({ terminalOnly: 'a part' }), joined())!.terminalOnly).toBe('a part')
    expect(fold(requested, joined({ terminalOnly: 'a part' }), joined({ terminalOnly: null }))).not.toHaveProperty(
      'terminalOnly',
    )
  })

  test.each(['allow-session', 'allow-always', 'deny-with-text'])('adds the option %s of its menu once', meaning => {
    const plain = newEvent('approval.requested', {
      ...request,
      request: { ...request.request, options: [option('y', 'allow-once'), option('n', 'deny')] },
    } as never)
    const menu = [option('1', 'allow-once'), option('2', meaning)]
    const record = fold(plain, joined({ screenOptions: menu }), joined({ screenOptions: menu }))!
    expect(record.request.options.map(({ key }) => key)).toEqual(['y', 'n', '2'])
    expect(record.screenOptions).toEqual(menu)
  })

  test('has no effect on a closed request', () => {
    expect(fold(requested, stale('gone'), joined())).not.toHaveProperty('joined')
  })
})
