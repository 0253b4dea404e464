import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { SimulatedClock } from '../clock/index.js'
import { runThrough } from '../clock/testing/run-through.js'
import type { Menu } from '../screen/index.js'
import { type ApplyOutcome, chooseOption, type MenuPort, type WantedAnswer } from './apply-menu.js'
import { menuOf } from './testing/fixtures.js'

const UP = '\u001b[A'
const DOWN = '\u001b[B'
const LABELS = ['Yes', 'Yes, always', 'No', 'No, tell me why']

/** A menu on a screen: arrows move it, Enter confirms. What Enter hit is kept, for that is what must be right. */
class FakeMenu implements MenuPort {
  now: Menu | null
  readonly keys: string[] = []
  readonly confirmed: { print: string; label: string | null }[] = []
  readonly #clock: SimulatedClock
  readonly #waiting = new Set<() => void>()
  ignoredEnters = 0
  ignoresArrows = false
  /** Rows each arrow moves by. */
  stride = 1
  onKey: (key: string, menu: FakeMenu) => void = () => undefined
  afterConfirm: () => void = () => this.show(null)

  constructor(clock: SimulatedClock, menu: Menu | null) {
    this.#clock = clock
    this.now = menu
  }

  menu(): Menu | null {
    return this.now
  }

  async press(key: string): Promise<void> {
    this.keys.push(key)
    const { now } = this
    if (key === '\r') {
      this.confirmed.push({ print: now?.print ?? 'nothing', label: now?.options[now.selected ?? -1]?.label ?? null })
      if (this.ignoredEnters-- <= 0) this.later(40, () => this.afterConfirm())
    } else if (now && !this.ignoresArrows) {
      const step = (key === DOWN || key === '\u001b[C' ? 1 : -1) * this.stride
      this.later(
        20,
        () => this.now && this.select(((this.now.selected ?? 0) + step + now.options.length) % now.options.length),
      )
    }
    this.onKey(key, this)
  }

  nextFrame(ms: number): Promise<void> {
    return new Promise(resolve => {
      const done = () => {
        timer.cancel()
        this.#waiting.delete(done)
        resolve()
      }
      const timer = this.#clock.setTimer(ms, done)
      this.#waiting.add(done)
    })
  }

  show(menu: Menu | null): void {
    this.now = menu
    for (const wake of [...this.#waiting]) wake()
  }

  select(index: number): void {
    this.show(this.now && { ...this.now, selected: index })
  }

  later(ms: number, action: () => void): void {
    this.#clock.setTimer(ms, action)
  }
}

let clock: SimulatedClock
let steps: string[]

beforeEach(() => {
  clock = new SimulatedClock()
  steps = []
})

function fake(labels: readonly string[] = LABELS, fields: Partial<Menu> = {}): FakeMenu {
  return new FakeMenu(clock, menuOf(labels, fields))
}

const PRINT = menuOf(LABELS).print

/** The outcome without the labels that were seen on the way. */
async function choose(
  menu: FakeMenu,
  label: string,
  options: { print?: string; onStep?(step: string): Promise<void>; wanted?: Partial<WantedAnswer> } = {},
): Promise<Omit<ApplyOutcome, 'seen'>> {
  const onStep = async (step: string) => {
    steps.push(`${step} after ${menu.keys.length}`)
    await options.onStep?.(step)
  }
  const wanted = { print: options.print ?? PRINT, label, ...options.wanted }
  const { seen: _, ...outcome } = await runThrough(clock, chooseOption(menu, wanted, { clock, onStep }))
  return outcome
}

describe('an option', () => {
  test.each(LABELS.flatMap((_, from) => LABELS.map((label, to) => [from, label, to] as const)))(
    'from row %i to "%s" is reached step by step and confirmed once',
    async (from, label, to) => {
      const menu = fake(LABELS, { selected: from })
      const moves = Array<string>(Math.abs(to - from)).fill(to > from ? DOWN : UP)
      expect(await choose(menu, label)).toEqual({ result: 'applied', keys: [...moves, '\r'] })
      expect(menu.confirmed).toEqual([{ print: PRINT, label }])
      expect(steps).toEqual(['move after 0', `confirm after ${moves.length}`])
    },
  )

  test('of a horizontal menu is reached sideways', async () => {
    const menu = fake(LABELS, { layout: 'horizontal' })
    expect(await choose(menu, 'No')).toMatchObject({ keys: ['\u001b[C', '\u001b[C', '\r'] })
  })

  test('is found by its label whatever its blanks', async () => {
    const menu = fake(['Yes', 'No,  tell\n me why'])
    expect(await choose(menu, ' No, tell me why', { print: menu.now!.print })).toMatchObject({ result: 'applied' })
  })

  test('gets no key in the first moments of its menu', async () => {
    const menu = fake()
    let first = 0
    menu.onKey = () => {
      first ||= clock.now()
    }
    await choose(menu, 'Yes')
    expect(first).toBeGreaterThanOrEqual(300)
  })

  test('is confirmed a second time when nothing at all happened, and never a third', async () => {
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

describe('time', () => {
  const firstKeyAfter = async (age: { stands: number; quiet: number }) => {
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

  test('a menu that has stood for long on a quiet screen gets its key at once', async () => {
    expect(await firstKeyAfter({ stands: 60_000, quiet: 5_000 })).toBe(0)
  })

  test('on a screen that moves it is read a second time, 50 ms later', async () => {
    expect(await firstKeyAfter({ stands: 60_000, quiet: 20 })).toBe(50)
  })

  test('a fresh one is left standing until it takes keys', async () => {
    expect(await firstKeyAfter({ stands: 120, quiet: 120 })).toBe(180)
  })
})

describe('the appearance that was decided', () => {
  test('is the only one that gets keys: an equal menu that came after it does not', async () => {
    const menu = Object.assign(fake(), { instance: () => '9:2' })
    expect(await choose(menu, 'Yes', { wanted: { instance: '3:1' } })).toEqual({
      result: 'stale',
      reason: 'changed',
      keys: [],
    })
    expect(await choose(menu, 'Yes', { wanted: { instance: '9:2' } })).toMatchObject({ result: 'applied' })
  })

  test('identical menu twice in a row: the second has an instance of its own, and gets no second Enter', async () => {
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

  test('identical menu twice, second within one frame of the first and the print equal: never typed twice, for the screen has changed', async () => {
    let drawn = 0
    const menu = Object.assign(fake(), { picture: () => `drawn ${drawn}` })
    menu.afterConfirm = () => {
      drawn++
      menu.show(menuOf(LABELS))
    }
    expect(await choose(menu, 'Yes')).toMatchObject({ result: 'stale', reason: 'unconfirmed', keys: ['\r'] })
  })
})

describe('on a slow machine', () => {
  /** Arrows are drawn only after so long; the picture is what is drawn. */
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

  test.each([600, 2_000, 4_500])('a move that shows after %i ms is waited for, and never made twice', async ms => {
    const menu = slow(ms)
    expect(await choose(menu, 'No')).toEqual({ result: 'applied', keys: [DOWN, DOWN, '\r'] })
    expect(menu.confirmed).toEqual([{ print: PRINT, label: 'No' }])
  })

  test('one that never shows is given up, with one key pressed', async () => {
    const started = clock.now()
    expect(await choose(slow(60_000), 'No')).toEqual({ result: 'stale', reason: 'ambiguous', keys: [DOWN] })
    expect(clock.now() - started).toBeLessThan(6_000)
  })

  test('a screen that was drawn since, and then stands without the move, is not waited for', async () => {
    const menu = slow(60_000)
    menu.later(700, () => {
      menu.drawn++
      menu.show(menu.now)
    })
    const started = clock.now()
    expect(await choose(menu, 'No')).toEqual({ result: 'stale', reason: 'ambiguous', keys: [DOWN] })
    expect(clock.now() - started).toBeLessThan(2_500)
  })

  test('a menu that goes or changes while its move is waited for gets no further key', async () => {
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

describe('after Enter', () => {
  test('Enter lost: once more, then applied', async () => {
    const menu = fake()
    menu.ignoredEnters = 1
    expect(await choose(menu, 'No')).toMatchObject({ result: 'applied', keys: [DOWN, DOWN, '\r', '\r'] })
    expect(menu.confirmed.map(({ label }) => label)).toEqual(['No', 'No'])
  })

  test('Enter swallowed by a survey: the survey is waited out, then Enter once more on the same row', async () => {
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
      { print: PRINT, label: 'Yes' },
      { print: PRINT, label: 'Yes' },
    ])
  })

  test('a survey that stays gets nothing, and the decision is unconfirmed', async () => {
    const menu = fake()
    menu.afterConfirm = () => menu.show(menuOf(['Bad', 'Fine'], { kind: 'survey' }))
    expect(await choose(menu, 'Yes')).toEqual({ result: 'stale', reason: 'unconfirmed', keys: ['\r'] })
  })

  test('menu swapped between the last look and Enter: the other menu goes by our key, and that is overtaken', async () => {
    const menu = fake()
    menu.afterConfirm = () => undefined
    menu.onKey = key => {
      if (key !== '\r') return
      menu.show(menuOf(['Delete everything', 'Keep']))
      menu.later(30, () => menu.show(null))
    }
    expect(await choose(menu, 'Yes')).toEqual({ result: 'stale', reason: 'overtaken', keys: ['\r'] })
  })

  test('a frame without the menu that comes back at once is no proof', async () => {
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
  'default row is "%s": the chosen one is moved to, never the default',
  async first => {
    const labels = [first, 'Yes, I trust this folder']
    const menu = fake(labels)
    expect(await choose(menu, labels[1]!, { print: menu.now!.print })).toMatchObject({
      result: 'applied',
      keys: [DOWN, '\r'],
    })
    expect(menu.confirmed).toMatchObject([{ label: labels[1] }])
  },
)

test('an option that widens what runs unasked is not chosen for anybody who has not seen it', async () => {
  const options = menuOf(LABELS).options.map((option, index) => ({ ...option, danger: index === 1 }))
  const menu = fake(LABELS, { options })
  expect(await choose(menu, 'Yes, always', { wanted: { mayWiden: false } })).toEqual({
    result: 'stale',
    reason: 'changed',
    keys: [],
  })
  expect(await choose(menu, 'Yes, always', { wanted: { mayWiden: true } })).toMatchObject({ result: 'applied' })
})

describe('an option with text', () => {
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

  test('is written into, seen to be written, and confirmed; line ends and keys in it are blanks', async () => {
    const menu = withField(value => value)
    const outcome = await choose(menu, LABELS[3]!, { wanted: { text: 'use\nthe \u001bother\tbranch\r' } })
    expect(outcome).toEqual({ result: 'applied', keys: ['use the other branch', '\r'] })
  })

  test('that does not show what was typed is emptied and chosen without it', async () => {
    const menu = withField(value => value.slice(0, 3))
    const outcome = await choose(menu, LABELS[3]!, { wanted: { text: 'use the other branch' } })
    expect(outcome).toEqual({ result: 'applied', textLeftOut: true, keys: ['use the other branch', '\u0015', '\r'] })
  })

  test('that cannot even be emptied is left alone', async () => {
    const menu = withField(value => value.slice(0, 3))
    const press = menu.press
    menu.press = async key => (key === '\u0015' ? void menu.keys.push(key) : press(key))
    const outcome = await choose(menu, LABELS[3]!, { wanted: { text: 'use the other branch' } })
    expect(outcome).toMatchObject({ result: 'stale', reason: 'ambiguous' })
    expect(menu.confirmed).toEqual([])
  })
})

describe('an option that takes a reason, where Enter does nothing without one', () => {
  const ESC = '\u001b'
  const reasoned = () => {
    const keys = { choose: 'arrows' as const, confirm: '\r', toggle: ' ', unreasoned: ESC }
    const menu = fake(['Yes', 'No, tell me why'], { keys })
    menu.now!.options[1]!.meaning = 'deny-with-text'
    menu.onKey = key => key === ESC && menu.later(20, () => menu.show(null))
    return menu
  }
  const print = () => reasoned().now!.print

  test('is chosen by the key that its pack names, once it is selected', async () => {
    const menu = reasoned()
    expect(await choose(menu, 'No, tell me why', { print: print() })).toMatchObject({ result: 'applied' })
    expect(menu.keys).toEqual([DOWN, ESC])
  })

  test('the others are confirmed as ever', async () => {
    const menu = reasoned()
    expect(await choose(menu, 'Yes', { print: print() })).toMatchObject({ result: 'applied' })
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
    print: 'colour',
  })
  const size = menuOf(['Small', 'Large'], { kind: 'question', question: 'Which size?', tabs: TABS(1), print: 'size' })
  const summary = (...answers: string[]) =>
    menuOf(['Submit answers', 'Cancel'], {
      kind: 'question',
      question: 'Ready to submit?',
      body: answers,
      tabs: TABS(2),
      print: 'summary',
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
    expect(await choose(menu, '', { print: 'colour', wanted: { pages: PAGES } })).toEqual({
      result: 'applied',
      keys: [DOWN, '\r', DOWN, '\r', '\r'],
    })
    expect(menu.confirmed.map(({ label }) => label)).toEqual(['Blue', 'Large', 'Submit answers'])
  })

  test('is not submitted when the summary says something else', async () => {
    const menu = form(summary('Colour: Blue', 'Size: Small'))
    expect(await choose(menu, '', { print: 'colour', wanted: { pages: PAGES } })).toMatchObject({
      result: 'stale',
      reason: 'ambiguous',
    })
    expect(menu.confirmed.map(({ label }) => label)).toEqual(['Blue', 'Large'])
  })

  test('of other questions gets no key', async () => {
    const pages = [{ question: 'Which shape?', labels: ['Blue'] }]
    expect(await choose(form(summary()), '', { print: 'colour', wanted: { pages } })).toEqual({
      result: 'stale',
      reason: 'changed',
      keys: [],
    })
  })
})

describe('nothing is pressed', () => {
  test.each<[string, () => FakeMenu, string, string]>([
    ['the menu is gone', () => new FakeMenu(clock, null), 'Yes', 'gone'],
    ['another menu is up', () => fake(['Yes', 'No']), 'Yes', 'changed'],
    ['the label is not there', () => fake(), 'Perhaps', 'changed'],
    ['the label is there twice', () => fake(['Yes', 'No', 'Yes'], { print: PRINT }), 'Yes', 'changed'],
    ['another label differs only in case', () => fake(['Yes', 'YES', 'No'], { print: PRINT }), 'Yes', 'changed'],
    [
      'another label only looks different to a computer',
      () => fake(['Yes', 'Ｙｅｓ', 'No'], { print: PRINT }),
      'Yes',
      'changed',
    ],
    ['there is no selection to see', () => fake(LABELS, { selected: null }), 'Yes', 'ambiguous'],
    [
      'the option is a check box',
      () => fake(LABELS, { options: menuOf(LABELS).options.map(option => ({ ...option, checked: false })) }),
      'Yes',
      'ambiguous',
    ],
  ])('when %s', async (_, make, label, reason) => {
    const menu = make()
    expect(await choose(menu, label)).toEqual({ result: 'stale', reason, keys: [] })
    expect(menu.keys).toEqual([])
  })

  test('when the ledger says that the decision no longer stands', async () => {
    const menu = fake()
    await expect(choose(menu, 'No', { onStep: () => Promise.reject(new Error('closed')) })).rejects.toThrow('closed')
    expect(menu.keys).toEqual([])
  })

  test('when the menu goes or changes while it settles', async () => {
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

describe('nothing is confirmed', () => {
  test('when the menu goes or changes after a move', async () => {
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

  test('when the menu goes or changes between the last move and Enter: that is not applied', async () => {
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

  test('when the selection slips away before Enter', async () => {
    const menu = fake()
    const onStep = async (step: string) => {
      if (step === 'confirm') menu.select(2)
    }
    expect(await choose(menu, 'Yes', { onStep })).toEqual({ result: 'stale', reason: 'changed', keys: [] })
  })

  test('when arrows have no effect, or another than expected', async () => {
    const deaf = fake()
    deaf.ignoresArrows = true
    expect(await choose(deaf, 'No')).toEqual({ result: 'stale', reason: 'ambiguous', keys: [DOWN] })
    const jumpy = fake()
    jumpy.stride = 2
    expect(await choose(jumpy, 'Yes, always')).toEqual({ result: 'stale', reason: 'ambiguous', keys: [DOWN] })
  })

  test('again when the selection moved after a swallowed Enter', async () => {
    const menu = fake()
    menu.ignoredEnters = 9
    menu.onKey = key => key === '\r' && menu.later(1000, () => menu.select(2))
    expect(await choose(menu, 'Yes')).toEqual({ result: 'stale', reason: 'unconfirmed', keys: ['\r'] })
  })

  test('when the options are in another order than before', async () => {
    const menu = fake()
    menu.later(100, () => menu.show(menuOf([...LABELS].reverse(), { print: PRINT, selected: 0 })))
    expect(await choose(menu, 'Yes')).toMatchObject({ result: 'applied', keys: [DOWN, DOWN, DOWN, '\r'] })
    expect(menu.confirmed).toEqual([{ print: PRINT, label: 'Yes' }])
  })
})

test('whatever happens to the screen at whatever moment, Enter only ever hits the wanted option of the wanted menu', async () => {
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
            else if (what === 'reversed') menu.show(menuOf([...LABELS].reverse(), { print: PRINT, selected }))
            else if (what === 'slip') menu.select((selected + 1) % 4)
            else menu.show(menuOf(LABELS, { selected }))
          })
        }
        const outcome = await choose(menu, label)
        for (const hit of menu.confirmed) expect(hit).toEqual({ print: PRINT, label })
        expect(menu.confirmed.length).toBeLessThanOrEqual(2)
        if (outcome.result === 'applied') expect(menu.confirmed.length).toBeGreaterThan(0)
      },
    ),
    { numRuns: 300 },
  )
})
