import { effect } from '@preact/signals'
import { describe, expect, it } from 'vitest'
import { plainLabel } from '../../src/text/visible-text'
import type { Message, Run } from './api/types'
import { indexAfter, parseCast } from './replay/cast'
import { newestOf, withMessage } from './session-page/message-list'
import { Collection, foldApproval, withArrived } from './store/collection'
import { spendAfter } from './store/spend-today'
import { waitBefore } from './transport/stream'

describe('the delay before a reconnect', () => {
  it('is zero at first, then doubles, and is five minutes after eight failures', () => {
    expect(waitBefore(0, 0.5)).toBe(0)
    expect([1, 2, 3, 4, 5, 6, 7, 8].map(count => waitBefore(count, 0))).toEqual([
      1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000,
    ])
    expect(waitBefore(9, 0)).toBe(300_000)
    expect(waitBefore(1, 1)).toBe(1_500)
  })
})

describe('an approval that is folded from its events', () => {
  const AT = '2026-03-01T10:00:00.000Z'
  const event = (type: string, version: number, data: object = {}) => ({
    type,
    version,
    at: AT,
    subject: 'approval/apr_1',
    data: data as Record<string, unknown>,
  })
  const requested = event('approval.requested', 1, { display: { title: 'Edit' } })

  it('goes from pending to applied, and applies no event twice', () => {
    const pending = foldApproval(undefined, requested)!
    expect(pending).toMatchObject({ id: 'apr_1', state: 'pending', version: 1 })
    const decided = foldApproval(pending, event('approval.decided', 2, { option: '1' }))!
    expect(decided).toMatchObject({ state: 'decided', decision: { option: '1', at: AT } })
    const applied = foldApproval(decided, event('approval.applied', 3))!
    expect(applied.state).toBe('applied')
    expect(foldApproval(applied, event('approval.decided', 2, { option: '2' }))).toBe(applied)
  })

  it('must be loaded again if an event is missing or the display has changed', () => {
    const pending = foldApproval(undefined, requested)!
    expect(foldApproval(pending, event('approval.applied', 3))).toBeNull()
    expect(foldApproval(pending, event('approval.joined', 2))).toBeNull()
    expect(foldApproval(undefined, event('approval.decided', 2))).toBeNull()
  })
})

describe('the usage of today', () => {
  const run = (costUsd: number | undefined, updatedAt: string) =>
    ({ id: 'run_1', usage: { input: 10, output: 5, costUsd }, updatedAt }) as unknown as Run
  const NO_GAPS = { sessions: 0, runs: 0 }
  const NONE = { costUsd: 0, tokens: 0, runs: 0, sessions: 0, unpriced: NO_GAPS, budgetUsd: 5 }
  const MIDNIGHT = Date.parse('2026-03-02T00:00:00.000Z')

  it('grows with each change of a run, which counts once', () => {
    const first = run(0.25, '2026-03-02T10:00:00.000Z')
    const once = spendAfter(NONE, undefined, first, MIDNIGHT)
    expect(once).toEqual({ costUsd: 0.25, tokens: 15, runs: 1, sessions: 0, unpriced: NO_GAPS, budgetUsd: 5 })
    const again = spendAfter(once, first, run(0.75, '2026-03-02T10:01:00.000Z'), MIDNIGHT)
    expect(again).toEqual({ costUsd: 0.75, tokens: 15, runs: 1, sessions: 0, unpriced: NO_GAPS, budgetUsd: 5 })
  })

  it('counts a run of yesterday as a whole when it continues', () => {
    const yesterday = run(1, '2026-03-01T23:00:00.000Z')
    const spent = spendAfter(NONE, yesterday, run(1.5, '2026-03-02T00:10:00.000Z'), MIDNIGHT)
    expect(spent).toMatchObject({ costUsd: 1.5, runs: 1 })
  })

  it('counts a run without a known price until it has one', () => {
    const at = '2026-03-02T10:00:00.000Z'
    const unknown = run(undefined, at)
    const once = spendAfter(NONE, undefined, unknown, MIDNIGHT)
    expect(once).toMatchObject({ costUsd: 0, unpriced: { sessions: 0, runs: 1 } })
    expect(spendAfter(once, unknown, run(0.5, at), MIDNIGHT)).toMatchObject({ costUsd: 0.5, unpriced: NO_GAPS })
  })
})

describe('a recording in the browser', () => {
  it('is parsed in both versions, with an incomplete last line', () => {
    const two = parseCast('{"version":2,"width":80,"height":24}\n[0.5,"o","a"]\n[1,"r","100x30"]\n[2,"o","b"]\n[3,"o')
    expect(two).toMatchObject({ cols: 80, rows: 24, durationMs: 2_000 })
    expect(two.events).toHaveLength(3)
    const three = parseCast('{"version":3,"term":{"cols":90,"rows":20}}\n[0.5,"o","a"]\n[1.5,"o","b"]\n')
    expect(three).toMatchObject({ cols: 90, rows: 20, durationMs: 2_000 })
    expect(indexAfter(two.events, 0)).toBe(0)
    expect(indexAfter(two.events, 1_000)).toBe(2)
    expect(indexAfter(two.events, 9_000)).toBe(3)
  })

  it('shows the output of a millisecond at that millisecond, without rounding errors', () => {
    for (let ms = 0; ms < 9_000; ms++) {
      const { events } = parseCast(`{"version":2}\n[${ms / 1_000},"o","a"]\n`)
      expect(indexAfter(events, ms), String(ms)).toBe(1)
    }
  })
})

describe('a collection of records', () => {
  it('ignores an older version that arrives late', () => {
    const known = new Collection<{ id: string; version: number; word: string }>()
    known.put({ id: 'a', version: 3, word: 'new' })
    known.put({ id: 'a', version: 2, word: 'late' })
    expect(known.peek('a')?.word).toBe('new')
    known.replace([
      { id: 'a', version: 1, word: 'very late' },
      { id: 'b', version: 1, word: 'other' },
    ])
    expect(known.all.peek().map(({ word }) => word)).toEqual(['new', 'other'])
    known.replace([{ id: 'b', version: 2, word: 'alone' }])
    expect(known.all.peek().map(({ id }) => id)).toEqual(['b'])
  })
})

describe('a component that reads a collection', () => {
  interface Item {
    id: string
    version?: number
    word: string
  }

  it('is notified of its item only, also when the item is added, removed and added again', () => {
    const known = new Collection<Item>()
    const received: (string | undefined)[] = []
    const stop = effect(() => void received.push(known.get('a')?.word))
    known.put({ id: 'b', word: 'other' })
    known.put({ id: 'a', word: 'one' }, { id: 'c', word: 'other' })
    known.remove('b')
    known.remove('a')
    known.replace([
      { id: 'a', word: 'two' },
      { id: 'c', word: 'again' },
    ])
    known.replace([])
    expect(received).toEqual([undefined, 'one', undefined, 'two', undefined])
    stop()
  })

  it('is notified once per change of the whole collection, and not of a noted version', () => {
    const known = new Collection<Item>()
    const received: string[] = []
    const stop = effect(() => void received.push(known.all.value.map(({ word }) => word).join()))
    known.put({ id: 'a', version: 1, word: 'one' }, { id: 'b', version: 1, word: 'two' })
    known.put({ id: 'a', version: 0, word: 'late' })
    known.storeSilently({ id: 'a', version: 4, word: 'noted' })
    expect(received).toEqual(['', 'one,two'])
    known.put({ id: 'a', version: 3, word: 'late' }, { id: 'b', version: 2, word: 'new' })
    expect(received).toEqual(['', 'one,two', 'noted,new'])
    stop()
  })

  it('keeps open items when the oldest closed ones are pruned', () => {
    const known = new Collection<Item>()
    known.put(...['a', 'b', 'c', 'd'].map(id => ({ id, word: id === 'a' ? 'open' : 'over' })))
    known.prune(2, ({ word }) => word === 'over')
    expect(known.all.peek().map(({ id }) => id)).toEqual(['a', 'c', 'd'])
    expect(known.get('b')).toBeUndefined()
  })
})

describe('a conversation that is loaded while it continues', () => {
  const merged = (snapshot: string[], now: string[], before: string[]) =>
    withArrived(snapshot, now, before, word => word)

  it('has the messages that the stream added during the load once, after the snapshot', () => {
    expect(merged(['one'], ['two'], [])).toEqual(['one', 'two'])
    expect(merged(['one', 'two'], ['two'], [])).toEqual(['one', 'two'])
  })

  it('drops messages that are no longer in the snapshot', () => {
    expect(merged(['two'], ['one', 'three'], ['one'])).toEqual(['two', 'three'])
  })
})

describe('the label of an option', () => {
  it('contains no key, and shows its hidden characters', () => {
    expect(plainLabel('[A] Approve')).toBe('Approve')
    expect(plainLabel('Yes, for echo safe\u202e')).toBe('Yes, for echo safe⟦U+202E⟧')
  })
})

describe('the messages on an open page', () => {
  const message = (n: number, text = '') => ({ message: `m${n}`, at: `at ${n}`, markdown: text }) as unknown as Message
  const many = (count: number) => Array.from({ length: count }, (_, n) => message(n))

  it('get a new one at the end, and a new version keeps its place and time', () => {
    const known = withMessage(many(2), message(2))
    expect(known.map(({ message: id }) => id)).toEqual(['m0', 'm1', 'm2'])
    expect(withMessage(known, { ...message(1, 'final'), at: 'later' })[1]).toMatchObject({
      at: 'at 1',
      markdown: 'final',
    })
  })

  it('are limited to the newest 120, of which 20 are removed at a time', () => {
    expect(newestOf(many(119))).toHaveLength(119)
    const kept = newestOf(many(120))
    expect([kept.length, kept[0]!.message, kept.at(-1)!.message]).toEqual([100, 'm20', 'm119'])
  })
})
