import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Graph, parseDot, printDot, textOf } from '../../graph/index.js'
import { lookForPrompt } from './load-graph.js'
import { checkInputs, limitsOf, transformGraph } from './prepare-graph.js'

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-prepare-'))
  mkdirSync(join(directory, 'project'))
  writeFileSync(join(directory, 'project/plan.md'), 'Plan it well.')
  writeFileSync(join(directory, 'secret.md'), 'x')
  symlinkSync('../secret.md', join(directory, 'project/link.md'))
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const attributeOf = (graph: Graph, key: string) => textOf(graph.nodes.get('n')!.attributes, key)

test('transforms apply in order: prompt files, stylesheet, own transforms; the parsed graph is not changed', () => {
  const { graph } = parseDot('digraph { graph [model_stylesheet="* { llm_model: sheet }"]; n [prompt="@plan.md"] }')
  const before = printDot(graph)
  const seen: string[] = []
  const look = (name: string) => (given: Graph) => {
    seen.push(`${name}: ${attributeOf(given, 'prompt')} ${attributeOf(given, 'llm_model')}`)
    const node = given.nodes.get('n')!
    const model = { value: name, isQuoted: true, place: null, origin: 'transform' as const }
    return {
      ...given,
      nodes: new Map([['n', { ...node, attributes: new Map(node.attributes).set('llm_model', model) }]]),
    }
  }
  const made = transformGraph(graph, join(directory, 'project'), [look('first'), look('second')])
  expect(seen).toEqual(['first: Plan it well. sheet', 'second: Plan it well. first'])
  expect(attributeOf(made, 'llm_model')).toBe('second')
  expect(printDot(graph)).toBe(before)
})

test.each([
  ['plan.md', 'ok'],
  ['gone.md', 'missing'],
  ['../secret.md', 'outside'],
  ['link.md', 'outside'],
])('a prompt in %s is %s', (file, expected) => {
  const project = join(directory, 'project')
  expect(lookForPrompt(file, project, project)).toBe(expected)
})

test('declared inputs are required; limits that are given replace those of the graph', () => {
  const { graph } = parseDot('digraph { graph [inputs="ticket, who", max_cost=5, max_time=2m]; a }')
  expect(() => checkInputs(graph, { ticket: '1' })).toThrow('the graph needs who')
  expect(checkInputs(graph, { ticket: '1', who: 'me' })).toEqual({ ticket: '1', who: 'me' })
  expect(limitsOf(graph, { costUsd: 1 })).toEqual({ costUsd: 1, timeMs: 120_000 })
})
