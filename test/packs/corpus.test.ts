import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { REPOSITORY } from '../support/compiled.js'
import { CORPUS, describeNeeding } from '../support/requirements.js'

/** Every n-th recording. `npm run eval:screen` evaluates all of them. */
const STRIDE = process.env.SIGNALBOX_CORPUS_ALL ? 1 : 6

interface Result {
  t: number
  label: string
  got: string
}

async function importScript<T>(name: string): Promise<T> {
  return (await import(pathToFileURL(join(REPOSITORY, 'scripts', name)).href)) as T
}

describeNeeding('corpus', 'labelled recordings of real agents', () => {
  test('are read with the required accuracy and no false request', { timeout: 900_000 }, async () => {
    // The same scoring as `npm run eval:screen`, on the build.
    const { evaluateMoments, missedBars } = await importScript<{
      evaluateMoments(cast: string, labels: object): Promise<{ agent: string; results: Result[] }>
      missedBars(byAgent: Map<string, Result[]>): string[]
    }>('score-moments.mjs')
    const { recordings } = await importScript<{ recordings(directory: string): Iterable<string> }>(
      'labelled-recordings.mjs',
    )
    const sample = [...recordings(CORPUS)].filter((_, index) => index % STRIDE === 0)
    const byAgent = new Map<string, Result[]>()
    for (const cast of sample) {
      const labels = JSON.parse(readFileSync(cast.replace(/\.cast$/, '.json'), 'utf8'))
      const { agent, results } = await evaluateMoments(cast, labels)
      const named = results.map(result => ({ ...result, cast: `${basename(dirname(cast))}/${basename(cast)}` }))
      byAgent.set(agent, [...(byAgent.get(agent) ?? []), ...named])
    }
    expect([...byAgent.values()].flat().length).toBeGreaterThan(200)
    expect(missedBars(byAgent)).toEqual([])
  })
})
