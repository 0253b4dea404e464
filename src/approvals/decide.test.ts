import { describe, expect, test } from 'vitest'
import { type DecisionRequest, judgeDecision } from './decide.js'
import type { ApprovalRecord } from './record.js'
import { decisionOf, recordOf } from './testing/fixtures.js'

const record = recordOf()
const decision = (fields: Partial<DecisionRequest> = {}) => decisionOf(record, fields)
const VIEWER = { kind: 'person', id: 'bob', name: 'Bob', role: 'viewer' } as const
const DECIDED: ApprovalRecord = recordOf({
  state: 'decided',
  decision: {
    option: 'No',
    tier: 'deny',
    actor: { kind: 'person', id: 'eve', name: 'Eve', role: 'owner' },
    surface: 'telegram',
    fingerprint: record.fingerprint,
    seen: { displayHash: record.display.hash, whole: true },
    idempotencyKey: 'first',
    at: 2000,
  },
})

function codeOf(on: ApprovalRecord, request: DecisionRequest): string {
  const verdict = judgeDecision(on, request)
  return 'refuse' in verdict ? verdict.refuse.code : Object.keys(verdict)[0]!
}

describe('a decision', () => {
  test('is accepted as it was made, bound to the whole fingerprint', () => {
    expect(judgeDecision(record, decision({ note: 'go on', text: 'x' }))).toEqual({
      accept: {
        option: 'Yes',
        note: 'go on',
        text: 'x',
        tier: 'allow-once',
        actor: { kind: 'person', id: 'ada', name: 'Ada', role: 'approver' },
        surface: 'web',
        fingerprint: record.fingerprint,
        seen: { displayHash: record.display.hash, whole: true },
        idempotencyKey: 'key-1',
      },
    })
  })

  // Each row breaks one more check, from the last to the first: the first that fails is the one that is told.
  const faults: [code: string, on: Partial<ApprovalRecord>, request: Partial<DecisionRequest>][] = [
    ['E_APPROVAL_SEE_ALL', {}, { seen: { displayHash: record.display.hash, whole: false } }],
    ['E_APPROVAL_OPTION', {}, { option: 'Perhaps' }],
    ['E_APPROVAL_CHANGED', {}, { fingerprint: '0'.repeat(64) }],
    ['E_APPROVAL_DECIDED', { state: 'stale' }, {}],
    ['E_ROLE', {}, { actor: VIEWER }],
    ['E_INPUT', {}, { note: 'x'.repeat(2001) }],
  ]

  test.each(faults.map(([code], index) => [code, index] as const))('is checked in order: %s', (code, last) => {
    const broken = faults.slice(0, last + 1)
    const on = Object.assign({}, record, ...broken.map(([, fields]) => fields)) as ApprovalRecord
    const request = Object.assign({}, decision(), ...broken.map(([, , fields]) => fields)) as DecisionRequest
    expect(codeOf(on, request)).toBe(code)
  })

  test('may be as long as it may be, not a character longer, and needs a key of its own', () => {
    expect(codeOf(record, decision({ note: 'x'.repeat(2000), text: 'x'.repeat(16_000) }))).toBe('accept')
    expect(codeOf(record, decision({ text: 'x'.repeat(16_001) }))).toBe('E_INPUT')
    expect(codeOf(record, decision({ idempotencyKey: '' }))).toBe('E_INPUT')
    expect(
      codeOf({ ...DECIDED, decision: { ...DECIDED.decision!, idempotencyKey: '' } }, decision({ idempotencyKey: '' })),
    ).toBe('E_INPUT')
  })

  test('that comes second is told who was first, how and what', () => {
    const verdict = judgeDecision(DECIDED, decision())
    expect(verdict).toMatchObject({
      refuse: {
        code: 'E_APPROVAL_DECIDED',
        message: expect.stringContaining('Eve (telegram)'),
        details: { first: { state: 'decided', by: 'Eve', surface: 'telegram', at: 2000, option: 'No' } },
      },
    })
  })

  test('that is the first one again gets the first answer, also when it is long applied', () => {
    for (const state of ['decided', 'applied', 'stale', 'cancelled'] as const) {
      expect(judgeDecision({ ...DECIDED, state }, decision({ idempotencyKey: 'first' }))).toEqual({
        repeat: DECIDED.decision,
      })
    }
  })

  test('for a request that is gone says so', () => {
    const stale = recordOf({ state: 'stale', outcome: { at: 3, reason: 'gone' } })
    expect(judgeDecision(stale, decision())).toMatchObject({
      refuse: { message: 'this request is stale already (gone)' },
    })
  })

  test('names the whole fingerprint; only a person at the command line may shorten it, to twelve digits', () => {
    const short = record.fingerprint.slice(0, 12)
    expect(codeOf(record, decision({ fingerprint: short, surface: 'cli' }))).toBe('accept')
    expect(codeOf(record, decision({ fingerprint: short.slice(0, 11), surface: 'cli' }))).toBe('E_APPROVAL_CHANGED')
    for (const surface of ['web', 'telegram', 'api'] as const)
      expect(codeOf(record, decision({ fingerprint: short, surface }))).toBe('E_APPROVAL_CHANGED')
    expect(
      codeOf(
        record,
        decision({
          fingerprint: short,
          surface: 'cli',
          actor: { kind: 'grant', id: 'g', name: 'grant', role: 'approver' },
        }),
      ),
    ).toBe('E_APPROVAL_CHANGED')
    expect(codeOf(record, decision({ fingerprint: '', surface: 'cli' }))).toBe('E_APPROVAL_CHANGED')
  })

  test('to allow needs the whole request seen, from elevated risk on; to deny needs nothing', () => {
    const unseen = { displayHash: '0'.repeat(64), whole: true }
    expect(codeOf(record, decision({ seen: unseen }))).toBe('E_APPROVAL_SEE_ALL')
    expect(codeOf(record, decision({ seen: unseen, option: 'No' }))).toBe('accept')
    expect(codeOf(recordOf({ risk: { level: 'high', reasons: [] } }), decision({ seen: unseen }))).toBe(
      'E_APPROVAL_SEE_ALL',
    )
    expect(codeOf(recordOf({ risk: { level: 'low', reasons: [] } }), decision({ seen: unseen }))).toBe('accept')
  })

  test('cannot be made about a sign-in', () => {
    for (const option of ['Yes', 'No'])
      expect(codeOf(recordOf({ kind: 'auth' }), decision({ option }))).toBe('E_APPROVAL_OPTION')
  })
})
