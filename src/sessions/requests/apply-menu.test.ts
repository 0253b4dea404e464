import { describe, expect, test } from 'vitest'
import { menuOf } from '../../approvals/testing/fixtures.js'
import {
  choose,
  clock,
  DOWN,
  type FakeMenu,
  fake,
  LABELS,
  MENU_HASH,
  steps,
  UP,
  useMenuStage,
} from '../testing/menu-stage.js'

useMenuStage()

describe('an option', () => {
  test.each(LABELS.flatMap((_, from) => LABELS.map((label, to) => [from, label, to] as const)))(
    'is reached step by step from row %i to "%s" and confirmed once',
    async (from, label, to) => {
      const menu = fake(LABELS, { selected: from })
      const moves = Array<string>(Math.abs(to - from)).fill(to > from ? DOWN : UP)
      expect(await choose(menu, label)).toEqual({ result: 'applied', keys: [...moves, '\r'] })
      expect(menu.confirmed).toEqual([{ hash: MENU_HASH, label }])
      expect(steps).toEqual(['move after 0', `confirm after ${moves.length}`])
    },
  )

  test('is reached with left and right in a horizontal menu', async () => {
    const menu = fake(LABELS, { layout: 'horizontal' })
    expect(await choose(menu, 'No')).toMatchObject({ keys: ['\u001b[C', '\u001b[C', '\r'] })
  })

  test('is found by its label, with any number of blanks', async () => {
    const menu = fake(['Yes', 'No,  tell\n me why'])
    expect(await choose(menu, ' No, tell me why', { hash: menu.now!.hash })).toMatchObject({ result: 'applied' })
  })

  test('gets no key immediately after its menu appears', async () => {
    const menu = fake()
    let first = 0
    menu.onKey = () => {
      first ||= clock.now()
    }
    await choose(menu, 'Yes')
    expect(first).toBeGreaterThanOrEqual(300)
  })

  test('is confirmed a second time if nothing changed, and never a third time', async () => {
    const once = fake()
    once.ignoredEnters = 1
    expect(await choose(once, 'Yes')).toEqual({ result: 'applied', keys: ['\r', '\r'] })
    const never = fake()
    never.ignoredEnters = 9
    expect(await choose(never, 'Yes')).toEqual({ result: 'stale', reason: 'unconfirmed', keys: ['\r', '\r'] })
  })

  test('is applied when another menu follows it', async () => {
    const menu = fake()
    menu.afterConfirm = () => menu.show(menuOf(['Next', 'Back']))
    expect(await choose(menu, 'Yes')).toMatchObject({ result: 'applied' })
  })
})

describe('the delay before the first key', () => {
  const firstKeyAfter = async (age: { visible: number; quiet: number }) => {
    const menu = fake()
    const port = Object.assign(menu, { age: () => age })
    let first: number | null = null
    menu.onKey = () => {
      first ??= clock.now()
    }
    const started = clock.now()
    await choose(port, 'Yes')
    return first! - started
  }

  test('is zero for a menu on a quiet screen', async () => {
    expect(await firstKeyAfter({ visible: 60_000, quiet: 5_000 })).toBe(0)
  })

  test('ends after 50 ms on a changing screen, and the menu is read again', async () => {
    expect(await firstKeyAfter({ visible: 60_000, quiet: 20 })).toBe(50)
  })

  test('lasts until a new menu accepts keys', async () => {
    expect(await firstKeyAfter({ visible: 120, quiet: 120 })).toBe(180)
  })
})

describe('the instance of a menu that was decided', () => {
  test('is the only one that gets keys; a later equal menu gets none', async () => {
    const menu = Object.assign(fake(), { instance: () => '9:2' })
    expect(await choose(menu, 'Yes', { wanted: { instance: '3:1' } })).toEqual({
      result: 'stale',
      reason: 'changed',
      keys: [],
    })
    expect(await choose(menu, 'Yes', { wanted: { instance: '9:2' } })).toMatchObject({ result: 'applied' })
  })

  test('gets Enter, but not an identical menu with another instance', async () => {
    let instance = '3:1'
    const menu = Object.assign(fake(), { instance: () => instance })
    menu.afterConfirm = () => {
      instance = '3:2'
      menu.show(menuOf(LABELS))
    }
    expect(await choose(menu, 'Yes', { wanted: { instance: '3:1' } })).toMatchObject({
      result: 'applied',
      keys: ['\r'],
    })
  })

  test('gets one Enter if an identical menu follows within one frame, because the screen changed', async () => {
    let drawn = 0
    const menu = Object.assign(fake(), { picture: () => `drawn ${drawn}` })
    menu.afterConfirm = () => {
      drawn++
      menu.show(menuOf(LABELS))
    }
    expect(await choose(menu, 'Yes')).toMatchObject({ result: 'stale', reason: 'unconfirmed', keys: ['\r'] })
  })
})

describe('choosing an option on a slow machine', () => {
  /** The effect of arrows is drawn only after this long. */
  function slow(ms: number): FakeMenu & { drawn: number } {
    const menu = Object.assign(fake(), { drawn: 0 })
    const enter = menu.press.bind(menu)
    menu.press = async key => {
      if (key === '\r') return enter(key)
      menu.keys.push(key)
      menu.later(ms, () => {
        menu.drawn++
        menu.select((menu.now?.selected ?? 0) + (key === DOWN ? 1 : -1))
      })
    }
    return Object.assign(menu, { picture: () => `drawn ${menu.drawn}` })
  }

  test.each([600, 2_000, 4_500])('waits for a move that is visible after %i ms and does not repeat it', async ms => {
    const menu = slow(ms)
    expect(await choose(menu, 'No')).toEqual({ result: 'applied', keys: [DOWN, DOWN, '\r'] })
    expect(menu.confirmed).toEqual([{ hash: MENU_HASH, label: 'No' }])
  })

  test('gives up after one key if the move is never visible', async () => {
    const started = clock.now()
    expect(await choose(slow(60_000), 'No')).toEqual({ result: 'stale', reason: 'ambiguous', keys: [DOWN] })
    expect(clock.now() - started).toBeLessThan(6_000)
  })

  test('does not wait for the move after a redraw without it', async () => {
    const menu = slow(60_000)
    menu.later(700, () => {
      menu.drawn++
      menu.show(menu.now)
    })
    const started = clock.now()
    expect(await choose(menu, 'No')).toEqual({ result: 'stale', reason: 'ambiguous', keys: [DOWN] })
    expect(clock.now() - started).toBeLessThan(2_500)
  })

  test('waits for a menu that is drawn in two steps', async () => {
    const menu = slow(300)
    const press = menu.press
    menu.press = async key => {
      const shown = menu.now
      if (key === DOWN) menu.later(10, () => menu.show(null))
      if (key === DOWN) menu.later(40, () => menu.show(shown))
      await press(key)
    }
    expect(await choose(menu, 'No')).toEqual({ result: 'applied', keys: [DOWN, DOWN, '\r'] })
    expect(menu.confirmed).toEqual([{ hash: MENU_HASH, label: 'No' }])
  })

  test('presses no further key if the menu disappears or changes during a move', async () => {
    for (const [next, reason] of [
      [null, 'gone'],
      [menuOf(['Delete everything', 'Keep']), 'changed'],
    ] as const) {
      const menu = slow(60_000)
      menu.later(2_000, () => {
        menu.drawn++
        menu.show(next)
      })
      expect(await choose(menu, 'No')).toEqual({ result: 'stale', reason, keys: [DOWN] })
      expect(menu.confirmed).toEqual([])
    }
  })
})

describe('choosing an option, after Enter', () => {
  test('repeats an Enter that was lost, once', async () => {
    const menu = fake()
    menu.ignoredEnters = 1
    expect(await choose(menu, 'No')).toMatchObject({ result: 'applied', keys: [DOWN, DOWN, '\r', '\r'] })
    expect(menu.confirmed.map(({ label }) => label)).toEqual(['No', 'No'])
  })

  test('repeats the Enter that a survey consumed, once and on the same row', async () => {
    const menu = fake()
    menu.ignoredEnters = 1
    const survey = menuOf(['Bad', 'Fine', 'Good'], { kind: 'survey' })
    let isFirst = true
    menu.onKey = key => {
      if (key !== '\r' || !isFirst) return
      isFirst = false
      menu.later(10, () => menu.show(survey))
      menu.later(900, () => menu.show(menuOf(LABELS)))
    }
    expect(await choose(menu, 'Yes')).toEqual({ result: 'applied', keys: ['\r', '\r'] })
    expect(menu.confirmed).toEqual([
      { hash: MENU_HASH, label: 'Yes' },
      { hash: MENU_HASH, label: 'Yes' },
    ])
  })

  test('sends no key to a survey that stays, and the decision is unconfirmed', async () => {
    const menu = fake()
    menu.afterConfirm = () => menu.show(menuOf(['Bad', 'Fine'], { kind: 'survey' }))
    expect(await choose(menu, 'Yes')).toEqual({ result: 'stale', reason: 'unconfirmed', keys: ['\r'] })
  })

  test('reports a menu that was replaced before Enter arrived as overtaken', async () => {
    const menu = fake()
    menu.afterConfirm = () => undefined
    menu.onKey = key => {
      if (key !== '\r') return
      menu.show(menuOf(['Delete everything', 'Keep']))
      menu.later(30, () => menu.show(null))
    }
    expect(await choose(menu, 'Yes')).toEqual({ result: 'stale', reason: 'overtaken', keys: ['\r'] })
  })

  test('does not accept a single frame without the menu as proof', async () => {
    const menu = fake()
    menu.ignoredEnters = 9
    menu.onKey = key => {
      if (key !== '\r') return
      menu.later(10, () => menu.show(null))
      menu.later(40, () => menu.show(menuOf(LABELS)))
    }
    expect(await choose(menu, 'Yes')).toMatchObject({ result: 'stale', reason: 'unconfirmed' })
  })
})

test.each([['No, exit'], ['Update now']])(
  'a menu with the default row "%s" confirms the chosen row, never the default',
  async first => {
    const labels = [first, 'Yes, I trust this folder']
    const menu = fake(labels)
    expect(await choose(menu, labels[1]!, { hash: menu.now!.hash })).toMatchObject({
      result: 'applied',
      keys: [DOWN, '\r'],
    })
    expect(menu.confirmed).toMatchObject([{ label: labels[1] }])
  },
)

test('an option that widens permissions is not chosen for a person who has not seen it', async () => {
  const options = menuOf(LABELS).options.map((option, index) => ({ ...option, danger: index === 1 }))
  const menu = fake(LABELS, { options })
  expect(await choose(menu, 'Yes, always', { wanted: { mayWiden: false } })).toEqual({
    result: 'stale',
    reason: 'changed',
    keys: [],
  })
  expect(await choose(menu, 'Yes, always', { wanted: { mayWiden: true } })).toMatchObject({ result: 'applied' })
})
