import { effect } from '@preact/signals'
import { describe, expect, it } from 'vitest'
import { indexAfter, parseCast } from './replay/cast'
import { parseUnified } from './run/parse-unified'
import { withArrived } from './session/with-arrived'
import { Collection } from './store/collection'
import { foldApproval } from './store/fold-approval'
import { waitBefore } from './transport/backoff'

describe('coming back', () => {
  it('is tried at once, then ever later, and rests after eight failures', () => {
    expect(waitBefore(0, 0.5)).toBe(0)
    expect([1, 2, 3, 4, 5, 6, 7, 8].map(count => waitBefore(count, 0))).toEqual([
      1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000,
    ])
    expect(waitBefore(9, 0)).toBe(300_000)
    expect(waitBefore(1, 1)).toBe(1_500)
  })
})

describe('an approval folded from its events', () => {
  const event = (type: string, version: number, data: object = {}) => ({
    type,
    version,
    at: 5,
    subject: 'approval/apr_1',
    data: data as Record<string, unknown>,
  })
  const asked = event('approval.requested', 1, { display: { title: 'Edit' } })

  it('goes from pending to applied, and takes nothing twice', () => {
    const pending = foldApproval(undefined, asked)!
    expect(pending).toMatchObject({ id: 'apr_1', state: 'pending', version: 1 })
    const decided = foldApproval(pending, event('approval.decided', 2, { option: '1' }))!
    expect(decided).toMatchObject({ state: 'decided', decision: { option: '1', at: 5 } })
    const applied = foldApproval(decided, event('approval.applied', 3))!
    expect(applied.state).toBe('applied')
    expect(foldApproval(applied, event('approval.decided', 2, { option: '2' }))).toBe(applied)
  })

  it('asks for a fresh look when one is missing in between, or what is shown has changed', () => {
    const pending = foldApproval(undefined, asked)!
    expect(foldApproval(pending, event('approval.applied', 3))).toBeNull()
    expect(foldApproval(pending, event('approval.joined', 2))).toBeNull()
    expect(foldApproval(undefined, event('approval.decided', 2))).toBeNull()
  })
})

describe('a unified difference', () => {
  it('is cut into files, each line with its number', () => {
    const [file] = parseUnified(
      'diff --git a/x.js b/x.js\nindex 1..2 100644\n--- a/x.js\n+++ b/x.js\n@@ -7,3 +7,3 @@ f\n a\n-b\n+c\n d\n',
    )
    expect(file).toMatchObject({ name: 'x.js', added: 1, removed: 1 })
    expect(file!.lines.map(({ sign, number, text }) => [sign, number, text])).toEqual([
      ['@', null, '@@ -7,3 +7,3 @@ f'],
      [' ', 7, 'a'],
      ['-', 8, 'b'],
      ['+', 8, 'c'],
      [' ', 9, 'd'],
    ])
  })
})

describe('a recording', () => {
  it('is read in both versions, past a torn end', () => {
    const two = parseCast('{"version":2,"width":80,"height":24}\n[0.5,"o","a"]\n[1,"r","100x30"]\n[2,"o","b"]\n[3,"o')
    expect(two).toMatchObject({ cols: 80, rows: 24, durationMs: 2_000 })
    expect(two.events).toHaveLength(3)
    const three = parseCast('{"version":3,"term":{"cols":90,"rows":20}}\n[0.5,"o","a"]\n[1.5,"o","b"]\n')
    expect(three).toMatchObject({ cols: 90, rows: 20, durationMs: 2_000 })
    expect(indexAfter(two.events, 0)).toBe(0)
    expect(indexAfter(two.events, 1_000)).toBe(2)
    expect(indexAfter(two.events, 9_000)).toBe(3)
  })

  it('shows at a millisecond what was drawn in it, whatever the seconds of the file come out as', () => {
    for (let ms = 0; ms < 9_000; ms++) {
      const { events } = parseCast(`{"version":2}\n[${ms / 1_000},"o","a"]\n`)
      expect(indexAfter(events, ms), String(ms)).toBe(1)
    }
  })
})

describe('what is known of resources', () => {
  it('never goes back: an older answer that comes late changes nothing', () => {
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

describe('what is known of many', () => {
  interface Known {
    id: string
    version?: number
    word: string
  }

  it('is told to those who look at the one that changed, also when it comes, goes and comes back', () => {
    const known = new Collection<Known>()
    const heard: (string | undefined)[] = []
    const stop = effect(() => void heard.push(known.get('a')?.word))
    known.put({ id: 'b', word: 'other' })
    known.put({ id: 'a', word: 'one' }, { id: 'c', word: 'other' })
    known.remove('b')
    known.remove('a')
    known.replace([
      { id: 'a', word: 'two' },
      { id: 'c', word: 'again' },
    ])
    known.replace([])
    expect(heard).toEqual([undefined, 'one', undefined, 'two', undefined])
    stop()
  })

  it('tells those who look at all of them once for each change, and not of what is only noted', () => {
    const known = new Collection<Known>()
    const heard: string[] = []
    const stop = effect(() => void heard.push(known.all.value.map(({ word }) => word).join()))
    known.put({ id: 'a', version: 1, word: 'one' }, { id: 'b', version: 1, word: 'two' })
    known.put({ id: 'a', version: 0, word: 'late' })
    known.note({ id: 'a', version: 4, word: 'noted' })
    expect(heard).toEqual(['', 'one,two'])
    known.put({ id: 'a', version: 3, word: 'late' }, { id: 'b', version: 2, word: 'new' })
    expect(heard).toEqual(['', 'one,two', 'noted,new'])
    stop()
  })

  it('forgets the oldest of what is over, and nothing that is not', () => {
    const known = new Collection<Known>()
    known.put(...['a', 'b', 'c', 'd'].map(id => ({ id, word: id === 'a' ? 'open' : 'over' })))
    known.prune(2, ({ word }) => word === 'over')
    expect(known.all.peek().map(({ id }) => id)).toEqual(['a', 'c', 'd'])
    expect(known.get('b')).toBeUndefined()
  })
})

describe('a conversation that is loaded while it goes on', () => {
  const merged = (snapshot: string[], now: string[], before: string[]) =>
    withArrived(snapshot, now, before, word => word)

  it('keeps what the stream told while the snapshot was on its way, once and behind it', () => {
    expect(merged(['one'], ['two'], [])).toEqual(['one', 'two'])
    expect(merged(['one', 'two'], ['two'], [])).toEqual(['one', 'two'])
  })

  it('leaves out what was shown before and is not in the snapshot any more', () => {
    expect(merged(['two'], ['one', 'three'], ['one'])).toEqual(['two', 'three'])
  })
})
