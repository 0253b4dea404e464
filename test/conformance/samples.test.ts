import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { simulatedSteps } from '../../src/engine/graph/handlers/simulated.js'
import { GraphBench } from '../../src/engine/graph/testing/graph-bench.js'
import { drawDot, drawPlain, lintParsed, parseDot } from '../../src/graph/index.js'

// Graphs of this project, and those that others wrote where they are at hand: read, checked, drawn, and walked with simulated agents.
const ROOT = join(import.meta.dirname, '../..')
const files = [join(ROOT, 'examples'), join(ROOT, '../shared/data/dot-samples')]
  .filter(folder => existsSync(folder))
  .flatMap(folder => readdirSync(folder).map(name => join(folder, name)))
  .filter(file => file.endsWith('.dot'))

let bench: GraphBench
beforeAll(async () => {
  bench = await GraphBench.open()
})
afterAll(() => bench.close())

/** Ends that a walk may come to when every agent says yes. */
const STATED = ['max_visits', 'max_steps', 'goal_unmet', 'no_route', 'restarted', 'done']

describe('graphs of every kind', () => {
  test.each(files.map(file => [file.split('/').slice(-2).join('/'), file]))('%s', async (_, file) => {
    const dot = readFileSync(file, 'utf8')
    const parsed = parseDot(dot, { file })
    const errors = lintParsed(parsed).filter(({ severity }) => severity === 'error')
    for (const error of errors)
      expect([error.rule, error.line, error.message]).toEqual([
        expect.any(String),
        expect.any(Number),
        expect.any(String),
      ])
    if (parsed.problems.length > 0) return
    expect(drawDot(parsed.graph)).toContain('digraph')
    expect(drawPlain(parsed.graph)).toMatch(/^<svg[\s\S]*<\/svg>\n$/)
    if (errors.length > 0) return
    const id = await bench.create(dot, { dryRun: {} })
    await bench.drive(id, simulatedSteps)
    const { status, reason } = await bench.look(id)
    expect([status, STATED.includes(reason ?? '')], `${status}: ${reason}`).toEqual([
      expect.stringMatching(/completed|failed/),
      true,
    ])
  })
})
