import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { menuOf } from '../../approvals/testing/fixtures.js'
import { choose, clock, DOWN, FakeMenu, fake, LABELS, MENU_HASH, useMenuStage } from '../testing/menu-stage.js'

useMenuStage()

describe('choosing an option, before the first key', () => {
  test.each<[string, () => FakeMenu, string, string]>([
    ['the menu is gone', () => new FakeMenu(clock, null), 'Yes', 'gone'],
    ['another menu is open', () => fake(['Yes', 'No']), 'Yes', 'changed'],
    ['no option has the label', () => fake(), 'Perhaps', 'changed'],
    ['two options have the label', () => fake(['Yes', 'No', 'Yes'], { hash: MENU_HASH }), 'Yes', 'changed'],
    ['another label differs only in case', () => fake(['Yes', 'YES', 'No'], { hash: MENU_HASH }), 'Yes', 'changed'],
    [
      'another label differs only in its code points',
      () => fake(['Yes', 'Ｙｅｓ', 'No'], { hash: MENU_HASH }),
      'Yes',
      'changed',
    ],
    ['no row is selected', () => fake(LABELS, { selected: null }), 'Yes', 'ambiguous'],
    [
      'the option is a check box',
      () => fake(LABELS, { options: menuOf(LABELS).options.map(option => ({ ...option, checked: false })) }),
      'Yes',
      'ambiguous',
    ],
  ])('presses no key when %s', async (_, make, label, reason) => {
    const menu = make()
    expect(await choose(menu, label)).toEqual({ result: 'stale', reason, keys: [] })
    expect(menu.keys).toEqual([])
  })

  test('presses no key when the ledger reports that the decision is closed', async () => {
    const menu = fake()
    await expect(choose(menu, 'No', { onStep: () => Promise.reject(new Error('closed')) })).rejects.toThrow('closed')
    expect(menu.keys).toEqual([])
  })

  test('presses no key when the menu disappears or changes while it settles', async () => {
    for (const [next, reason] of [
      [null, 'gone'],
      [menuOf(['Delete', 'Keep']), 'changed'],
    ] as const) {
      const menu = fake()
      menu.later(100, () => menu.show(next))
      expect(await choose(menu, 'No')).toEqual({ result: 'stale', reason, keys: [] })
    }
  })
})

describe('choosing an option, before Enter', () => {
  test('does not confirm when the menu disappears or changes after a move', async () => {
    for (const [next, reason] of [
      [null, 'gone'],
      [menuOf(['Delete everything', 'Keep']), 'changed'],
    ] as const) {
      const menu = fake()
      menu.onKey = key => key === DOWN && menu.later(5, () => menu.show(next))
      expect(await choose(menu, 'No')).toMatchObject({ result: 'stale', reason })
      expect(menu.confirmed).toEqual([])
    }
  })

  test('does not confirm when the menu disappears or changes between the last move and Enter', async () => {
    for (const [next, reason] of [
      [null, 'gone'],
      [menuOf(['Delete everything', 'Keep']), 'changed'],
    ] as const) {
      const menu = fake()
      const onStep = async (step: string) => {
        if (step === 'confirm') menu.show(next)
      }
      expect(await choose(menu, 'Yes', { onStep })).toEqual({ result: 'stale', reason, keys: [] })
      expect(menu.confirmed).toEqual([])
    }
  })

  test('does not confirm when the selection changes', async () => {
    const menu = fake()
    const onStep = async (step: string) => {
      if (step === 'confirm') menu.select(2)
    }
    expect(await choose(menu, 'Yes', { onStep })).toEqual({ result: 'stale', reason: 'changed', keys: [] })
  })

  test('does not confirm when arrows have no effect or an unexpected one', async () => {
    const deaf = fake()
    deaf.ignoresArrows = true
    expect(await choose(deaf, 'No')).toEqual({ result: 'stale', reason: 'ambiguous', keys: [DOWN] })
    const jumpy = fake()
    jumpy.stride = 2
    expect(await choose(jumpy, 'Yes, always')).toEqual({ result: 'stale', reason: 'ambiguous', keys: [DOWN] })
  })

  test('does not confirm again when the selection moved after a lost Enter', async () => {
    const menu = fake()
    menu.ignoredEnters = 9
    menu.onKey = key => key === '\r' && menu.later(1000, () => menu.select(2))
    expect(await choose(menu, 'Yes')).toEqual({ result: 'stale', reason: 'unconfirmed', keys: ['\r'] })
  })

  test('finds the option by its label when the order of the options changed', async () => {
    const menu = fake()
    menu.later(100, () => menu.show(menuOf([...LABELS].reverse(), { hash: MENU_HASH, selected: 0 })))
    expect(await choose(menu, 'Yes')).toMatchObject({ result: 'applied', keys: [DOWN, DOWN, DOWN, '\r'] })
    expect(menu.confirmed).toEqual([{ hash: MENU_HASH, label: 'Yes' }])
  })
})

test('Enter only confirms the wanted option of the wanted menu, whatever the screen shows in between', async () => {
  const disturbance = fc.record({
    at: fc.nat(1500),
    what: fc.constantFrom('gone', 'other', 'reversed', 'slip', 'back'),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...LABELS),
      fc.nat(3),
      fc.array(disturbance, { maxLength: 4 }),
      fc.nat(2),
      async (label, selected, events, ignored) => {
        const menu = fake(LABELS, { selected })
        menu.ignoredEnters = ignored
        for (const { at, what } of events) {
          menu.later(at, () => {
            if (what === 'gone') menu.show(null)
            else if (what === 'other') menu.show(menuOf(['Delete everything', label]))
            else if (what === 'reversed') menu.show(menuOf([...LABELS].reverse(), { hash: MENU_HASH, selected }))
            else if (what === 'slip') menu.select((selected + 1) % 4)
            else menu.show(menuOf(LABELS, { selected }))
          })
        }
        const outcome = await choose(menu, label)
        for (const hit of menu.confirmed) expect(hit).toEqual({ hash: MENU_HASH, label })
        expect(menu.confirmed.length).toBeLessThanOrEqual(2)
        if (outcome.result === 'applied') expect(menu.confirmed.length).toBeGreaterThan(0)
      },
    ),
    { numRuns: 300 },
  )
})
