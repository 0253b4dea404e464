import { describe, expect, it } from 'vitest'
import { FlickerDetector } from './flicker.js'
import { END, START, SupervisionFixture } from './testing/supervision-fixture.js'

describe('FlickerDetector', () => {
  const toAndFro = (watch: FlickerDetector, from: number, times: number) =>
    Array.from({ length: times }, (_, n) => watch.observe(n % 2 === 0, from + n / 10)).filter(Boolean).length

  it('detects more changes than the limit, without the first status', () => {
    expect(toAndFro(new FlickerDetector({ max: 3, windowS: 60 }), 0, 4)).toBe(0)
    expect(toAndFro(new FlickerDetector({ max: 3, windowS: 60 }), 0, 5)).toBe(1)
  })

  it('restarts its count for work that follows a person’s action, and not for other work', () => {
    const turns = (acts: boolean) => {
      const watch = new FlickerDetector({ max: 3, windowS: 60 })
      for (let t = 0; t < 20; t += 4) {
        if (acts) watch.acted(t)
        watch.observe(true, t + 1)
        watch.observe(false, t + 2)
      }
      return watch.count
    }
    expect([turns(true), turns(false)]).toEqual([0, 2])
  })

  it('counts changes although a person acts during work', () => {
    const watch = new FlickerDetector({ max: 3, windowS: 60 })
    for (let t = 0; t < 20; t += 4) {
      watch.observe(true, t + 1)
      watch.acted(t + 1.5)
      watch.observe(false, t + 2)
    }
    expect(watch.count).toBe(2)
  })

  it('ignores commands that a person types one after the other, through any program', () => {
    const typed = (type: (fixture: SupervisionFixture) => void) => {
      const fixture = new SupervisionFixture().print('$ ').advance(1)
      for (let n = 0; n < 6; n++) {
        type(fixture)
        fixture.print(START).advance(0.5).print('\r\n').print(END(0)).print('$ ').advance(1)
      }
      return fixture.supervisor.state(fixture.t).flicker
    }
    expect(typed(fixture => void fixture.print('ls').advance(0.2))).toBe(0)
    expect(typed(fixture => fixture.pane.recordInput(fixture.t, Buffer.from('\r')))).toBe(0)
    expect(typed(() => undefined)).toBeGreaterThan(0)
  })
})

describe('flicker of a pane', () => {
  it('needs more changes than allowed within the window, and lasts for five minutes', () => {
    const flicker = new FlickerDetector({ max: 3, windowS: 60 })
    flicker.observe(false, 0)
    const found = [1, 2, 3, 4].map((t, index) => flicker.observe(index % 2 === 0, t))
    expect(found).toEqual([false, false, false, true])
    expect([flicker.isStrict(303.9), flicker.isStrict(304), flicker.count]).toEqual([true, false, 1])
  })

  it('does not follow from the same number of changes over a longer time', () => {
    const flicker = new FlickerDetector({ max: 3, windowS: 60 })
    flicker.observe(false, 0)
    expect([0, 25, 50, 75, 100].map((t, index) => flicker.observe(index % 2 === 0, t)).some(Boolean)).toBe(false)
  })
})
