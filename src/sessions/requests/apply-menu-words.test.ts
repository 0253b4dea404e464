import { describe, expect, test } from 'vitest'
import { menuOf } from '../../approvals/testing/fixtures.js'
import type { Menu } from '../../screen/index.js'
import { choose, clock, DOWN, FakeMenu, fake, LABELS, useMenuStage } from '../testing/menu-stage.js'

useMenuStage()

describe('an option that takes text', () => {
  const FIELD = { option: 3, value: '', placeholder: 'No, tell me why', secret: false }

  function withField(echo: (value: string) => string): FakeMenu {
    const menu = fake(LABELS, { text: FIELD, selected: 3 })
    const arrows = menu.press.bind(menu)
    menu.press = async key => {
      if (key === '\r' || key.startsWith('\u001b')) return arrows(key)
      menu.keys.push(key)
      const value = key === '\u0015' ? '' : echo(key)
      menu.later(20, () => menu.now && menu.show({ ...menu.now, text: { ...FIELD, value } }))
    }
    return menu
  }

  test('is filled in, verified and confirmed; control characters become blanks', async () => {
    const menu = withField(value => value)
    const outcome = await choose(menu, LABELS[3]!, { wanted: { text: 'use\nthe \u001bother\tbranch\r' } })
    expect(outcome).toEqual({ result: 'applied', keys: ['use the other branch', '\r'] })
  })

  test('is cleared and chosen without its text if it does not show the text', async () => {
    const menu = withField(value => value.slice(0, 3))
    const outcome = await choose(menu, LABELS[3]!, { wanted: { text: 'use the other branch' } })
    expect(outcome).toEqual({ result: 'applied', textLeftOut: true, keys: ['use the other branch', '\u0015', '\r'] })
  })

  test('is not confirmed if it cannot be cleared', async () => {
    const menu = withField(value => value.slice(0, 3))
    const press = menu.press
    menu.press = async key => (key === '\u0015' ? void menu.keys.push(key) : press(key))
    const outcome = await choose(menu, LABELS[3]!, { wanted: { text: 'use the other branch' } })
    expect(outcome).toMatchObject({ result: 'stale', reason: 'ambiguous' })
    expect(menu.confirmed).toEqual([])
  })
})

describe('an option whose Enter needs a reason', () => {
  const ESC = '\u001b'
  const reasoned = () => {
    const keys = { choose: 'arrows' as const, confirm: '\r', toggle: ' ', unreasoned: ESC }
    const menu = fake(['Yes', 'No, tell me why'], { keys })
    menu.now!.options[1]!.meaning = 'deny-with-text'
    menu.onKey = key => key === ESC && menu.later(20, () => menu.show(null))
    return menu
  }
  const hash = () => reasoned().now!.hash

  test('is chosen with the key of its pack after it is selected', async () => {
    const menu = reasoned()
    expect(await choose(menu, 'No, tell me why', { hash: hash() })).toMatchObject({ result: 'applied' })
    expect(menu.keys).toEqual([DOWN, ESC])
  })

  test('leaves other options of its menu to Enter', async () => {
    const menu = reasoned()
    expect(await choose(menu, 'Yes', { hash: hash() })).toMatchObject({ result: 'applied' })
    expect(menu.keys).toEqual(['\r'])
  })
})

describe('a form of several questions', () => {
  const TABS = (current: number) =>
    ['Colour', 'Size', 'Submit'].map((label, index) => ({
      label,
      state: index === 2 ? ('submit' as const) : index < current ? ('answered' as const) : ('open' as const),
      current: index === current,
    }))
  const colour = menuOf(['Red', 'Blue'], {
    kind: 'question',
    question: 'Which colour?',
    tabs: TABS(0),
    hash: 'colour',
  })
  const size = menuOf(['Small', 'Large'], { kind: 'question', question: 'Which size?', tabs: TABS(1), hash: 'size' })
  const summary = (...answers: string[]) =>
    menuOf(['Submit answers', 'Cancel'], {
      kind: 'question',
      question: 'Ready to submit?',
      body: answers,
      tabs: TABS(2),
      hash: 'summary',
    })
  const PAGES = [
    { question: 'Which colour?', labels: ['Blue'] },
    { question: 'Which size?', labels: ['Large'] },
  ]

  function form(last: Menu): FakeMenu {
    const menu = new FakeMenu(clock, colour)
    const next = [size, last, null]
    menu.afterConfirm = () => menu.show(next.shift() ?? null)
    return menu
  }

  test('is filled in page by page, and submitted when the summary names every answer', async () => {
    const menu = form(summary('Colour: Blue', 'Size: Large'))
    expect(await choose(menu, '', { hash: 'colour', wanted: { pages: PAGES } })).toEqual({
      result: 'applied',
      keys: [DOWN, '\r', DOWN, '\r', '\r'],
    })
    expect(menu.confirmed.map(({ label }) => label)).toEqual(['Blue', 'Large', 'Submit answers'])
  })

  test('is not submitted when the summary differs', async () => {
    const menu = form(summary('Colour: Blue', 'Size: Small'))
    expect(await choose(menu, '', { hash: 'colour', wanted: { pages: PAGES } })).toMatchObject({
      result: 'stale',
      reason: 'ambiguous',
    })
    expect(menu.confirmed.map(({ label }) => label)).toEqual(['Blue', 'Large'])
  })

  test('gets no key if its questions differ', async () => {
    const pages = [{ question: 'Which shape?', labels: ['Blue'] }]
    expect(await choose(form(summary()), '', { hash: 'colour', wanted: { pages } })).toEqual({
      result: 'stale',
      reason: 'changed',
      keys: [],
    })
  })
})
