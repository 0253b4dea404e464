import { afterAll, expect, it } from 'vitest'
import { describeNeeding } from '../support/requirements.js'
import { type Kind, type Loss, Sweep } from './sweep.js'

/*
 * `npm run prove` kills at every call; `npm test` at the same few points each
 * time, spread over the whole workload.
 */
const isWhole = process.env.SIGNALBOX_PROVE === 'whole'
const SAMPLES = 2
const TIMEOUT = isWhole ? { timeout: 4 * 3_600_000 } : {}
const KINDS: Kind[] = ['events', 'decisions', 'run']
const LOSSES: Loss[] = ['none', 'all', 'some']

describeNeeding('cc', 'a process that dies at any call that changes a file', () => {
  for (const kind of KINDS) {
    it(
      `loses nothing acknowledged, does nothing twice, allows nothing that was not allowed: ${kind}`,
      TIMEOUT,
      async () => {
        const sweep = new Sweep(kind)
        afterAll(() => sweep.close())
        const points = await sweep.points()
        expect(points).toBeGreaterThan(50)
        const step = isWhole ? 1 : Math.floor(points / SAMPLES)
        const trials: (() => Promise<void>)[] = []
        for (const [index, loss] of LOSSES.entries())
          for (let at = 1 + Math.floor((index * step) / LOSSES.length); at <= points; at += step)
            trials.push(() => sweep.trial(at, loss))
        const violations: string[] = []
        const work = async () => {
          for (let next = trials.shift(); next; next = trials.shift())
            await next().catch((error: Error) => violations.push(error.message))
        }
        const count = trials.length
        await Promise.all([work(), work()])
        if (isWhole) console.log(`${kind}: ${count} crashes at ${points} calls, ${violations.length} violations`)
        expect(violations).toEqual([])
      },
    )
  }

  it.runIf(isWhole)('is noticed when it loses what it acknowledged', TIMEOUT, async () => {
    // Events of normal durability may be lost with the power. A sweep that demands them must fail.
    const sweep = new Sweep('events', { demandsAll: true })
    afterAll(() => sweep.close())
    const points = await sweep.points()
    const lost: string[] = []
    for (let at = 1; at <= points && lost.length === 0; at++)
      await sweep.trial(at, 'all').catch((error: Error) => lost.push(error.message))
    expect(lost[0]).toContain('was acknowledged and is lost')
  })
})
