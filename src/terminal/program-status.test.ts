import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  aggregateStatus,
  EMPTY_PROGRAM_STATUS,
  type ProgramStatus,
  reduceStatus,
  statusRecords,
} from './program-status.js'

const base64 = (text: string) => Buffer.from(text).toString('base64')

function report(status: ProgramStatus, ...payloads: string[]): ProgramStatus {
  return payloads.reduce((state, payload, t) => reduceStatus(state, { type: 'report', payload, t }), status)
}

const status = (...payloads: string[]) => report(EMPTY_PROGRAM_STATUS, ...payloads)
const shape = (state: ProgramStatus) => state.records.map(record => `${record.id}:${record.state}`)

describe('a status report of a program', () => {
  test('has every field', () => {
    const [record] = status(
      `state=blocked:kind=permission:app=claude:msg=${base64('approve: ls')}:progress=5:id=a/b`,
    ).records
    expect(record).toMatchObject({
      id: 'a/b',
      state: 'blocked',
      kind: 'permission',
      app: 'claude',
      msg: 'approve: ls',
      progress: 5,
    })
  })

  test('replaces the whole earlier record', () => {
    expect(status(`state=error:msg=${base64('bad')}:progress=3`, 'state=idle').records).toMatchObject([
      { state: 'idle', msg: null, progress: null },
    ])
  })

  test('inherits the app of the nearest ancestor', () => {
    const records = statusRecords(
      status('state=working:app=claude', 'state=working:id=a:app=sub', 'state=working:id=a/b', 'state=idle:id=c'),
    )
    expect(records.map(record => record.app)).toEqual(['claude', 'sub', 'sub', 'claude'])
  })

  test('shows control and format characters', () => {
    expect(status(`state=error:msg=${base64('a\u202eb\x1b[2J')}`).records[0]!.msg).toBe('a⟦U+202E⟧b␛[2J')
  })

  test('may have keys of a later protocol revision', () => {
    expect(shape(status('state=done:future=1'))).toEqual([':done'])
  })
})

describe('an invalid status report changes nothing and is counted', () => {
  test.each([
    '',
    'state',
    'app=x',
    'state=busy',
    'state=clear:id=',
    'state=clear:id=/a',
    'state=clear:id=a//b',
    'state=clear:id=../x y',
    'state=working:id=a/',
    'state=working:state=idle',
    'state=working:msg=%%%',
    'state=working:msg=gA==',
    'state=working:progress=101',
    'state=working:progress=-1',
    'state=blocked:kind=other',
    `state=working:msg=${base64('x'.repeat(2049))}`,
    `state=working:future=${'x'.repeat(4096)}`,
    'state=working:app=\u001b[31m',
  ])('%j', payload => {
    const before = status('state=working:id=a', 'state=idle')
    const after = report(before, payload)
    expect(after.records).toEqual(before.records)
    expect(after.invalid).toBe(1)
  })

  test('is counted if it exceeds the limit of records', () => {
    const full = status(...Array.from({ length: 256 }, (_, index) => `state=idle:id=r${index}`))
    expect(report(full, 'state=idle:id=more')).toMatchObject({ invalid: 1, records: { length: 256 } })
    expect(report(full, 'state=done:id=r7').invalid).toBe(0)
  })

  test('any text is accepted or counted', () => {
    fc.assert(
      fc.property(fc.string(), payload => {
        const after = status(payload)
        expect(after.records.length === 1 || after.invalid === 1 || payload.includes('clear')).toBe(true)
      }),
    )
  })
})

test('clearing removes all records or a subtree', () => {
  const full = status('state=idle', 'state=working:id=a', 'state=working:id=a/b', 'state=working:id=ab')
  expect(shape(report(full, 'state=clear:id=a'))).toEqual([':idle', 'ab:working'])
  expect(shape(report(full, 'state=clear'))).toEqual([])
})

test('the most severe status represents the pane, and the newest of equal ones', () => {
  const order = ['state=idle:id=i', 'state=done:id=d', 'state=working:id=w', 'state=error:id=e', 'state=blocked:id=b']
  const seen = order.map((_, count) => aggregateStatus(status(...order.slice(0, count + 1)))?.state)
  expect(seen).toEqual(['idle', 'done', 'working', 'error', 'blocked'])
  expect(aggregateStatus(status('state=error:id=x', 'state=error:id=y', 'state=error:id=x'))?.id).toBe('x')
  expect(aggregateStatus(EMPTY_PROGRAM_STATUS)).toBeNull()
})

test('results end when work starts again in their subtree', () => {
  const full = status('state=done:id=d', 'state=error:id=e', 'state=working:id=w', 'state=blocked:id=b', 'state=idle')
  expect(shape(report(full, 'state=working:id=d'))).toEqual(['e:error', 'w:working', 'b:blocked', ':idle', 'd:working'])
  expect(shape(report(full, 'state=working'))).toEqual(['w:working', 'b:blocked', ':working'])
  expect(shape(reduceStatus(full, { type: 'reset' }))).toEqual([])
})
