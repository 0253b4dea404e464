import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'

/** The bars of the screen reading, over all labelled recordings. They lie beside the repository and may be missing: then this is skipped. */
const CORPUS = process.env.SIGNALBOX_CORPUS ?? join(import.meta.dirname, '../../../shared/corpus')

interface Judged {
  t: number
  label: string
  got: string
  isRight: boolean
  isCallRight: boolean
  gotCall: boolean
}

type Evaluate = (cast: string, side: { moments?: unknown[] }) => Promise<{ agent: string; results: Judged[] }>

async function evaluateAll(): Promise<Map<string, (Judged & { cast: string })[]>> {
  // The same scoring as `npm run eval:screen`, on what `npm test` has just built.
  const { evaluateMoments } = (await import(
    pathToFileURL(join(import.meta.dirname, '../../scripts/score-moments.mjs')).href
  )) as { evaluateMoments: Evaluate }
  const byAgent = new Map<string, (Judged & { cast: string })[]>()
  for (const name of readdirSync(CORPUS, { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.cast'))
    .sort()) {
    const cast = join(CORPUS, name)
    const sidecar = cast.replace(/\.cast$/, '.json')
    if (!existsSync(sidecar)) continue
    const { agent, results } = await evaluateMoments(
      cast,
      JSON.parse(readFileSync(sidecar, 'utf8')) as { moments?: unknown[] },
    )
    byAgent.set(agent, [...(byAgent.get(agent) ?? []), ...results.map(result => ({ ...result, cast: name }))])
  }
  return byAgent
}

describe.skipIf(!existsSync(CORPUS))('all labelled recordings', () => {
  test('meet the bars: views, calls for a person, no false call', { timeout: 900_000 }, async () => {
    const byAgent = await evaluateAll()
    const all = [...byAgent.values()].flat()
    const share = (moments: readonly Judged[], isRight: (one: Judged) => boolean) =>
      moments.filter(isRight).length / moments.length
    expect(share(all, one => one.isRight)).toBeGreaterThanOrEqual(0.97)
    for (const [agent, moments] of byAgent)
      if (moments.length >= 20) expect.soft([agent, share(moments, one => one.isRight) >= 0.93]).toEqual([agent, true])
    expect(share(all, one => one.isCallRight)).toBeGreaterThanOrEqual(0.99)
    expect(all.filter(one => one.gotCall && !one.isCallRight)).toEqual([])
  })
})
