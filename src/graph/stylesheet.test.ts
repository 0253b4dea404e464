import { describe, expect, test } from 'vitest'
import { textOf } from './graph.js'
import { lintParsed } from './lint/index.js'
import { parseDot } from './parse-dot.js'
import { applyStylesheet } from './stylesheet.js'

const styled = (sheet: string, nodes: string) =>
  applyStylesheet(parseDot(`digraph { graph [model_stylesheet="${sheet}"]; ${nodes} }`).graph)
const model = (sheet: string, node: string) =>
  textOf(styled(sheet, `n ${node}`).nodes.get('n')!.attributes, 'llm_model')

describe('a stylesheet', () => {
  test.each([
    ['universal', '* { llm_model: a }', '', 'a'],
    ['shape beats universal', 'box { llm_model: b } * { llm_model: a }', '', 'b'],
    ['class beats shape', '.c { llm_model: c } box { llm_model: b }', '[class="x c"]', 'c'],
    ['id beats class', '#n { llm_model: d; } .c { llm_model: c; }', '[class=c]', 'd'],
    ['later wins at the same weight', '* { llm_model: a } * { llm_model: z }', '', 'z'],
    ['several selectors', '#other, .c { llm_model: c }', '[class=c]', 'c'],
    ['comments', '/* x { } */ * { /* y */ llm_model: a }', '', 'a'],
    ['the node itself wins', '#n { llm_model: d }', '[llm_model=own]', 'own'],
    ['the node itself wins by an alias', '#n { llm_model: d }', '[model=own]', null],
    ['nothing matches', '#m { llm_model: d }', '', null],
  ])('sets the model of a node: %s', (_, sheet, node, expected) => {
    expect(model(sheet, node)).toBe(expected)
  })

  test('does not change the given graph, and records the origin of each value', () => {
    const { graph } = parseDot('digraph { graph [model_stylesheet="* { llm_model: a }"]; n }')
    const made = applyStylesheet(graph)
    expect(graph.nodes.get('n')!.attributes.has('llm_model')).toBe(false)
    expect(made.nodes.get('n')!.attributes.get('llm_model')!.origin).toBe('stylesheet')
  })

  test('reports errors at their position inside the string', () => {
    const dot =
      'digraph {\n graph [model_stylesheet="* { llm_model: a }\n ? { }"]\n start [shape=Mdiamond]; exit [shape=Msquare]; start -> exit }'
    const found = lintParsed(parseDot(dot)).find(({ rule }) => rule === 'stylesheet_syntax')!
    expect([found.line, found.column]).toEqual([3, 2])
  })
})
