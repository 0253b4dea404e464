import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { drawDot } from './draw-dot.js'
import { type Graph, textOf } from './graph.js'
import { lintParsed } from './lint/index.js'
import { parseDot } from './parse-dot.js'
import { printDot } from './print-dot.js'
import { classesOf } from './stylesheet.js'

const read = (dot: string): Graph => {
  const { graph, problems } = parseDot(dot)
  expect(problems).toEqual([])
  return graph
}
const attribute = (graph: Graph, node: string, key: string) => textOf(graph.nodes.get(node)!.attributes, key)
/** What a graph says, without places and origins. */
const meaning = (graph: Graph) => ({
  name: graph.name,
  attributes: [...graph.attributes].map(([key, { value }]) => [key, value]),
  nodes: [...graph.nodes.values()].map(node => [
    node.id,
    classesOf(node),
    [...node.attributes].filter(([key]) => key !== 'class').map(([key, { value }]) => [key, value]),
  ]),
  edges: graph.edges.map(({ id, attributes }) => [id, [...attributes].map(([key, { value }]) => [key, value])]),
})

describe('reading DOT', () => {
  test('a linear graph', () => {
    const graph = read('digraph x { start -> a -> exit }')
    expect([graph.name, [...graph.nodes.keys()], graph.edges.map(({ id }) => id)]).toEqual([
      'x',
      ['start', 'a', 'exit'],
      ['start->a#1', 'a->exit#1'],
    ])
  })
  test('attributes of the graph, both ways, dots in keys', () => {
    const graph = read(
      'digraph { graph [goal="Do it", model_stylesheet="* { }"]; label="Mine"; stack.child_dotfile="c.dot" }',
    )
    expect(
      ['goal', 'label', 'model_stylesheet', 'stack.child_dotfile'].map(key => textOf(graph.attributes, key)),
    ).toEqual(['Do it', 'Mine', '* { }', 'c.dot'])
  })
  test('attributes over several lines, with commas, semicolons or nothing between them, in several lists', () => {
    const graph = read(
      'digraph { a [\n  shape=box\n  prompt="one\ntwo"; timeout=900s,\n] [max_retries=2 llm_model=gpt-5.4] }',
    )
    expect(['shape', 'prompt', 'timeout', 'max_retries', 'llm_model'].map(key => attribute(graph, 'a', key))).toEqual([
      'box',
      'one\ntwo',
      '900s',
      '2',
      'gpt-5.4',
    ])
  })
  test('chains give every pair the same attributes', () => {
    const graph = read('digraph { a -> b -> c [weight=3 condition="x=1"] }')
    expect(
      graph.edges.map(({ attributes }) => [textOf(attributes, 'weight'), textOf(attributes, 'condition')]),
    ).toEqual([
      ['3', 'x=1'],
      ['3', 'x=1'],
    ])
  })
  test('defaults apply to what follows in their scope; subgraphs inherit and do not leak', () => {
    const graph = read(
      'digraph { early; node [timeout=1s]; subgraph s { label="Loop A!"; node [timeout=2s]; inner } late }',
    )
    expect(['early', 'inner', 'late'].map(id => attribute(graph, id, 'timeout'))).toEqual([null, '2s', '1s'])
    expect(classesOf(graph.nodes.get('inner')!)).toEqual(['loop-a'])
    expect(graph.nodes.size).toBe(3)
  })
  test('attributes of edges, quoted and bare', () => {
    const { graph } = parseDot(
      'digraph { a -> b [label="Go on", condition="x=1", weight=3, loop_restart=true, fidelity=full] }',
    )
    const [edge] = graph.edges
    expect([...edge!.attributes].map(([key, { value, isQuoted }]) => [key, value, isQuoted])).toEqual([
      ['label', 'Go on', true],
      ['condition', 'x=1', true],
      ['weight', '3', false],
      ['loop_restart', 'true', false],
      ['fidelity', 'full', false],
    ])
  })

  test('subgraphs are flattened, and their labels become classes', () => {
    const { graph } = parseDot(
      'digraph { subgraph cluster_x { label="Loop A (fast!)"; node [timeout=5s]; a -> b } c -> a }',
    )
    expect([...graph.nodes.keys()]).toEqual(['a', 'b', 'c'])
    expect(['a', 'b', 'c'].map(id => classesOf(graph.nodes.get(id)!))).toEqual([['loop-a-fast'], ['loop-a-fast'], []])
  })

  test('escapes, joined strings, comments of all kinds, a BOM and CRLF', () => {
    const graph = read(
      '\ufeffdigraph {\r\n# line\r\n// line\r\n/* block\r\n*/ a [prompt="q\\"\\\\ \\n\\t \\d" + "more", label="é"] }\r\n',
    )
    expect([attribute(graph, 'a', 'prompt'), attribute(graph, 'a', 'label')]).toEqual(['q"\\ \n\t \\dmore', 'é'])
  })
  test('edges between the same two nodes are distinct', () => {
    expect(read('digraph { a -> b; a -> b }').edges.map(({ id }) => id)).toEqual(['a->b#1', 'a->b#2'])
  })
  test.each([
    ['strict digraph { a }', 'strict'],
    ['graph { a }', 'undirected'],
    ['digraph { a -- b }', '--'],
    ['digraph { a } digraph { b }', 'one graph'],
    ['digraph { a:b -> c }', 'ports'],
    ['digraph { "a b" }', 'not a name'],
    ['digraph { a [label=<b>] }', 'HTML'],
    ['digraph { {a b} -> c }', 'group'],
    ['digraph { a [label="x }', 'not closed'],
    ['', 'expected digraph'],
  ])('refuses %s with a place', (dot, says) => {
    const { problems } = parseDot(dot)
    expect(problems.map(({ message }) => message).join('\n')).toContain(says)
    expect(problems[0]!.place.line).toBe(1)
  })
  test('reports several mistakes of one file at their places', () => {
    const { problems } = parseDot('digraph {\n a -> \n b [x=]\n c\n d -- e\n}')
    expect(new Set(problems.map(({ place }) => place.line)).size).toBeGreaterThanOrEqual(2)
  })
})

describe('printing', () => {
  const values = fc.string({ maxLength: 30 }).filter(text => !/[\r\u0000]/.test(text))
  test('what is printed reads as the same graph', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ label: values, prompt: values, to: fc.nat(5) }), { minLength: 1, maxLength: 6 }),
        nodes => {
          const lines = nodes.map(({ label, prompt }, at) => {
            const quote = (text: string) =>
              `"${text.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n').replace(/\t/g, '\\t')}"`
            return `n${at} [label=${quote(label)}, prompt=${quote(prompt)}]`
          })
          const edges = nodes.map(({ to }, at) => `n${at} -> n${to % nodes.length} [weight=${to}]`)
          const graph = read(`digraph g { ${[...lines, ...edges].join('; ')} }`)
          expect(meaning(read(printDot(graph)))).toEqual(meaning(graph))
        },
      ),
    )
  })
})

describe('hostile files', () => {
  const words = [
    'digraph',
    '{',
    '}',
    '[',
    ']',
    '->',
    '--',
    '=',
    ';',
    ',',
    '"',
    '"a"',
    'a',
    'b1',
    'node',
    'subgraph',
    '<',
    '>',
    '/*',
    '//',
    '#',
    '\\',
    '+',
    ':',
    '.',
    '5m',
    '-1',
    '\n',
    'é',
    '\0',
  ]
  test('never throw, and say where the mistake is', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { maxLength: 60 }), pieces => {
        const parsed = parseDot(`digraph { ${pieces.join(' ')}`)
        for (const { place } of parsed.problems) expect(place.line).toBeGreaterThan(0)
        lintParsed(parsed)
      }),
      { numRuns: 400 },
    )
  })
  test('of any bytes never throw', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), text => void lintParsed(parseDot(text))),
      { numRuns: 300 },
    )
  })
  test('that are cut off anywhere never throw', () => {
    const whole =
      'digraph g { graph [goal="x"]; a [shape=box, prompt="two\nlines" + "b"]; subgraph { label=L; b } a -> b -> c [condition="x=1 && y"] }'
    for (let at = 0; at < whole.length; at++) lintParsed(parseDot(whole.slice(0, at)))
  })
  test('with a prompt of a megabyte, deep nesting, or nothing but odd characters', () => {
    const big = `digraph { a [prompt="${'x'.repeat(1_000_000)}"] }`
    expect(parseDot(big).problems).toEqual([])
    expect(parseDot(`digraph { ${'{'.repeat(20_000)}`).problems.length).toBeGreaterThan(0)
    expect(parseDot(`digraph { ${'@'.repeat(100_000)} }`).problems.length).toBeLessThanOrEqual(101)
  })
})

test('ten thousand nodes are read and checked within a second of work', () => {
  const names = Array.from({ length: 10_000 }, (_, at) => `n${at}`)
  const dot = `digraph { start [shape=Mdiamond]; exit [shape=Msquare]\n${names.map(name => `${name} [prompt="do ${name}"]`).join('\n')}\nstart -> ${names.join('\n -> ')} -> exit }`
  const limits = { bytes: 1e8, nodes: 20_000, edges: 100_000, label: 4_096 }
  const before = process.cpuUsage()
  const parsed = parseDot(dot, { limits })
  const found = lintParsed(parsed)
  const { user, system } = process.cpuUsage(before)
  expect(parsed.graph.nodes.size).toBe(10_002)
  expect(found.filter(({ severity }) => severity === 'error')).toEqual([])
  // Twice the bar: other tests share the machine and the collector.
  expect((user + system) / 1000).toBeLessThan(2_000)
})

const SAMPLES = join(import.meta.dirname, '../../../shared/data/dot-samples')
describe.skipIf(!existsSync(SAMPLES))('graphs that others wrote', () => {
  const files = existsSync(SAMPLES) ? readdirSync(SAMPLES).filter(file => file.endsWith('.dot')) : []
  test('are there', () => expect(files.length).toBeGreaterThanOrEqual(26))
  test('all parse but one, which is no DOT', () => {
    const bad = files.filter(file => parseDot(readFileSync(join(SAMPLES, file), 'utf8')).problems.length > 0)
    expect(bad).toHaveLength(1)
  })
  test.each(files)('%s is checked, drawn and printed', file => {
    const parsed = parseDot(readFileSync(join(SAMPLES, file), 'utf8'), { file })
    if (parsed.problems.length > 0) return
    for (const finding of lintParsed(parsed)) expect(finding.file).toBe(file)
    expect(drawDot(parsed.graph)).toContain('digraph')
    expect(meaning(parseDot(printDot(parsed.graph)).graph)).toEqual(meaning(parsed.graph))
  })
})
