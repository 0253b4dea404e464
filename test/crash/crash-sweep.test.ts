import { afterAll, expect, it } from 'vitest'
import { describeNeeding } from '../support/requirements.js'
import { KINDS, LOSSES, Sweep } from './sweep.js'

/*
 * A sample: the same few points each time, spread over the whole workload. `npm run prove` kills at
 * every call.
 */
const SAMPLES = 2

describeNeeding('cc', 'a process that dies at any call that changes a file', () => {
  for (const kind of KINDS) {
    it(`loses nothing acknowledged, repeats nothing and allows nothing undecided: ${kind}`, async () => {
      const sweep = new Sweep(kind)
      afterAll(() => sweep.close())
      const points = await sweep.points()
      expect(points).toBeGreaterThan(50)
      const step = Math.floor(points / SAMPLES)
      const trials: (() => Promise<void>)[] = []
      for (const [index, loss] of LOSSES.entries())
        for (let at = 1 + Math.floor((index * step) / LOSSES.length); at <= points; at += step)
          trials.push(() => sweep.trial(at, loss))
      const violations: string[] = []
      const work = async () => {
        for (let next = trials.shift(); next; next = trials.shift())
          await next().catch((error: Error) => violations.push(error.message))
      }
      await Promise.all([work(), work()])
      expect(violations).toEqual([])
    })
  }
})
