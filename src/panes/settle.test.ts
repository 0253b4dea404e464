import { describe, expect, test } from 'vitest'
import type { Observation } from '../screen/index.js'
import { Settler } from './settle.js'

function seen(fields: Partial<Observation>): Observation {
  return {
    view: 'idle_prompt',
    payload: { fresh: false, prompt: 'agent' },
    confidence: 1,
    anchored: true,
    rule: 'test',
    busy: false,
    awaiting: null,
    composer: null,
    facets: [],
    user: null,
    terminator: null,
    ambiguous: [],
    evidence: [],
    ...fields,
  } as Observation
}

const work = seen({ view: 'thinking', busy: true })
const rest = seen({})
const menu = seen({ view: 'tool_menu', awaiting: 'permission' })
const unsure = seen({ view: 'unknown', busy: null })

function afterWork(): Settler {
  const settler = new Settler()
  expect(settler.accept(work, 10)).toBe(true)
  return settler
}

describe('Settler', () => {
  test('accepts work and menus at once, and idle at once without earlier work', () => {
    const settler = new Settler()
    expect(settler.accept(rest, 0)).toBe(true)
    expect(settler.nextDeadline()).toBeNull()
    expect(settler.accept(work, 1)).toBe(true)
    expect(settler.accept(menu, 2)).toBe(true)
    expect(settler.accept(work, 3)).toBe(true)
  })

  test('accepts idle after work after three looks 100 ms apart', () => {
    const settler = afterWork()
    expect(settler.accept(rest, 11)).toBe(false)
    expect(settler.nextDeadline()).toBeCloseTo(11.1)
    expect(settler.accept(rest, 11.1)).toBe(false)
    expect(settler.nextDeadline()).toBeCloseTo(11.2)
    expect(settler.accept(rest, 11.2)).toBe(true)
    expect(settler.nextDeadline()).toBeNull()
    expect(settler.accept(rest, 11.25)).toBe(true)
  })

  test('does not count looks that follow too soon', () => {
    const settler = afterWork()
    settler.accept(rest, 11)
    expect(settler.accept(rest, 11.099)).toBe(false)
    expect(settler.accept(rest, 11.1)).toBe(false)
    expect(settler.accept(rest, 11.199)).toBe(false)
    expect(settler.accept(rest, 11.2)).toBe(true)
  })

  test('accepts idle after 700 ms and not earlier, whatever the number of looks', () => {
    for (const since of [11, 0.1, 1.1, 2.3, 7.7, 1234.567]) {
      const late = afterWork()
      late.accept(rest, since)
      expect(late.accept(rest, since + 0.699)).toBe(false)
      const exact = afterWork()
      exact.accept(rest, since)
      expect(exact.accept(rest, since + 0.7)).toBe(true)
    }
  })

  test('restarts when any other view comes in between', () => {
    for (const blink of [work, menu, unsure]) {
      const settler = afterWork()
      settler.accept(rest, 11)
      settler.accept(rest, 11.1)
      expect(settler.accept(blink, 11.15)).toBe(true)
      expect(settler.nextDeadline()).toBeNull()
      expect(settler.accept(rest, 11.2)).toBe(false)
      expect(settler.accept(rest, 11.3)).toBe(false)
      expect(settler.accept(rest, 11.4)).toBe(true)
    }
  })

  test('handles the end of a menu like the end of work', () => {
    const settler = new Settler()
    settler.accept(rest, 0)
    settler.accept(menu, 1)
    expect(settler.accept(rest, 2)).toBe(false)
  })

  test('accepts idle after 200 ms if only its own deadlines cause looks', () => {
    const settler = afterWork()
    let t = 11
    while (!settler.accept(rest, t)) t = settler.nextDeadline()!
    expect(t).toBeCloseTo(11.2)
  })

  test('accepts the end of a startup dialog at once; after work it waits', () => {
    const settler = new Settler()
    settler.accept(menu, 0)
    expect(settler.accept(rest, 0.5)).toBe(true)
    settler.accept(work, 1)
    settler.accept(menu, 2)
    expect(settler.accept(rest, 2.1)).toBe(false)
  })

  test('accepts no idle state that is shorter than the pack requires', () => {
    const settler = new Settler(1)
    settler.accept(work, 0)
    expect([1, 1.1, 1.2, 1.7, 1.99, 2].map(t => settler.accept(rest, t))).toEqual([
      false,
      false,
      false,
      false,
      false,
      true,
    ])
  })

  test('accepts a declared idle state at once', () => {
    const settler = new Settler()
    settler.accept(work, 0)
    expect(settler.accept(rest, 1)).toBe(false)
    expect(settler.accept(rest, 1.01, { isCertain: true })).toBe(true)
  })

  test('does not start the idle time while a spinner moves', () => {
    const settler = new Settler()
    settler.accept(work, 0)
    for (let t = 1; t < 5; t += 0.1) expect(settler.accept(rest, t, { isSpinning: true })).toBe(false)
    expect(settler.accept(rest, 5.1)).toBe(false)
    expect(settler.accept(rest, 5.2)).toBe(true)
  })

  test('takes the number of looks, their gap and the maximum time from settings', () => {
    const settler = new Settler()
    settler.applySettings({ looks: 2, gapS: 0.5, maxS: 9 })
    settler.accept(work, 0)
    expect(settler.accept(rest, 1)).toBe(false)
    expect(settler.nextDeadline()).toBe(1.5)
    expect(settler.accept(rest, 1.49)).toBe(false)
    expect(settler.accept(rest, 1.5)).toBe(true)
    settler.applySettings({ looks: 99, gapS: 0.5, maxS: 2 })
    settler.accept(work, 3)
    expect([4, 5.9, 6].map(t => settler.accept(rest, t))).toEqual([false, false, true])
  })
})
