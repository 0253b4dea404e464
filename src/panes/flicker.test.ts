import { describe, expect, it } from 'vitest'
import { FlickerWatch } from './flicker.js'
import { Bench, END, START } from './testing/bench.js'

describe('flicker (§4 flicker_max, flicker_window_s)', () => {
  const toAndFro = (watch: FlickerWatch, from: number, times: number) =>
    Array.from({ length: times }, (_, n) => watch.see(n % 2 === 0, from + n / 10)).filter(Boolean).length

  it('is more changes than the limit, the first status not counted', () => {
    expect(toAndFro(new FlickerWatch({ max: 3, windowS: 60 }), 0, 4)).toBe(0)
    expect(toAndFro(new FlickerWatch({ max: 3, windowS: 60 }), 0, 5)).toBe(1)
  })

  it('work that begins after a person acted starts the count anew, work by itself does not', () => {
    const turns = (acts: boolean) => {
      const watch = new FlickerWatch({ max: 3, windowS: 60 })
      for (let t = 0; t < 20; t += 4) {
        if (acts) watch.acted(t)
        watch.see(true, t + 1)
        watch.see(false, t + 2)
      }
      return watch.count
    }
    expect([turns(true), turns(false)]).toEqual([0, 2])
  })

  it('a person who acts while it works excuses nothing', () => {
    const watch = new FlickerWatch({ max: 3, windowS: 60 })
    for (let t = 0; t < 20; t += 4) {
      watch.see(true, t + 1)
      watch.acted(t + 1.5)
      watch.see(false, t + 2)
    }
    expect(watch.count).toBe(2)
  })

  it('commands that somebody types one after the other are none, whoever passes the keys on', () => {
    const typed = (type: (bench: Bench) => void) => {
      const bench = new Bench().print('$ ').advance(1)
      for (let n = 0; n < 6; n++) {
        type(bench)
        bench.print(START).advance(0.5).print('\r\n').print(END(0)).print('$ ').advance(1)
      }
      return bench.supervisor.state(bench.t).flicker
    }
    expect(typed(bench => void bench.print('ls').advance(0.2))).toBe(0)
    expect(typed(bench => bench.pane.noteInput(bench.t, Buffer.from('\r')))).toBe(0)
    expect(typed(() => undefined)).toBeGreaterThan(0)
  })
})
