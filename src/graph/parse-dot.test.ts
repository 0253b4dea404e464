import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DOT_SAMPLES, describeNeeding } from '../../test/support/requirements.js'
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
/** The content of a graph, without positions and origins. */
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

describe('parseDot', () => {
  test('parses a linear graph', () => {
    const graph = read('digraph x { start -> a -> exit }')
    expect([graph.name, [...graph.nodes.keys()], graph.edges.map(({ id }) => id)]).toEqual([
      'x',
      ['start', 'a', 'exit'],
      ['start->a#1', 'a->exit#1'],
    ])
  })
  test('parses graph attributes in both forms, and dots in keys', () => {
    const graph = read(
      'digraph { graph [goal="Do it", model_stylesheet="* { }"]; label="Mine"; stack.child_dotfile="c.dot" }',
    )
    expect(
      ['goal', 'label', 'model_stylesheet', 'stack.child_dotfile'].map(key => textOf(graph.attributes, key)),
    ).toEqual(['Do it', 'Mine', '* { }', 'c.dot'])
  })
  test('parses attributes over several lines and lists, with commas, semicolons or nothing in between', () => {
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
  test('gives every pair of a chain the same attributes', () => {
    const graph = read('digraph { a -> b -> c [weight=3 condition="x=1"] }')
    expect(
      graph.edges.map(({ attributes }) => [textOf(attributes, 'weight'), textOf(attributes, 'condition')]),
    ).toEqual([
      ['3', 'x=1'],
      ['3', 'x=1'],
    ])
  })
  test('applies defaults to the rest of their scope; subgraphs inherit them and do not leak theirs', () => {
    const graph = read(
      'digraph { early; node [timeout=1s]; subgraph s { label="Loop A!"; node [timeout=2s]; inner } late }',
    )
    expect(['early', 'inner', 'late'].map(id => attribute(graph, id, 'timeout'))).toEqual([null, '2s', '1s'])
    expect(classesOf(graph.nodes.get('inner')!)).toEqual(['loop-a'])
    expect(graph.nodes.size).toBe(3)
  })
  test('parses edge attributes, quoted and unquoted', () => {
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

  test('flattens subgraphs, and turns their labels into classes', () => {
    const { graph } = parseDot(
      'digraph { subgraph cluster_x { label="Loop A (fast!)"; node [timeout=5s]; a -> b } c -> a }',
    )
    expect([...graph.nodes.keys()]).toEqual(['a', 'b', 'c'])
    expect(['a', 'b', 'c'].map(id => classesOf(graph.nodes.get(id)!))).toEqual([['loop-a-fast'], ['loop-a-fast'], []])
  })

  test('parses escapes, joined strings, comments of all kinds, a BOM and CRLF', () => {
    const graph = read(
      '\ufeffdigraph {\r\n# line\r\n// line\r\n/* block\r\n*/ a [prompt="q\\"\\\\ \\n\\t \\d" + "more", label="é"] }\r\n',
    )
    expect([attribute(graph, 'a', 'prompt'), attribute(graph, 'a', 'label')]).toEqual(['q"\\ \n\t \\dmore', 'é'])
  })
  test('keeps parallel edges between two nodes apart', () => {
    expect(read('digraph { a -> b; a -> b }').edges.map(({ id }) => id)).toEqual(['a->b#1', 'a->b#2'])
  })
  test.each([
    ['strict digraph { a }', 'strict'],
    ['graph { a }', 'undirected'],
    ['digraph { a -- b }', '--'],
    ['digraph { a } digraph { b }', 'one graph'],
    ['digraph { a:b -> c }', 'ports'],
    ['digraph { "a b" }', 'not a valid node name'],
    ['digraph { a [label=<b>] }', 'HTML'],
    ['digraph { {a b} -> c }', 'group'],
    ['digraph { a [label="x }', 'not closed'],
    ['', 'expected digraph'],
  ])('rejects %s with a position', (dot, says) => {
    const { problems } = parseDot(dot)
    expect(problems.map(({ message }) => message).join('\n')).toContain(says)
    expect(problems[0]!.position.line).toBe(1)
  })
  test('reports several errors of one file at their positions', () => {
    const { problems } = parseDot('digraph {\n a -> \n b [x=]\n c\n d -- e\n}')
    expect(new Set(problems.map(({ position }) => position.line)).size).toBeGreaterThanOrEqual(2)
  })
})

describe('printDot', () => {
  const values = fc.string({ maxLength: 30 }).filter(text => !/[\r\u0000]/.test(text))
  test('prints DOT that parses to the same graph', () => {
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

describe('parsing a hostile file', () => {
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
  test('does not throw, and reports the position of the error', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { maxLength: 60 }), pieces => {
        const parsed = parseDot(`digraph { ${pieces.join(' ')}`)
        for (const { position } of parsed.problems) expect(position.line).toBeGreaterThan(0)
        lintParsed(parsed)
      }),
      { numRuns: 400 },
    )
  })
  test('does not throw for arbitrary bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), text => void lintParsed(parseDot(text))),
      { numRuns: 300 },
    )
  })
  test('reports an error for a file that is cut off anywhere', () => {
    const whole =
      'digraph g { graph [goal="x"]; a [shape=box, prompt="two\nlines" + "b"]; subgraph { label=L; b } a -> b -> c [condition="x=1 && y"] }'
    for (let at = 0; at < whole.length; at++) {
      const errors = lintParsed(parseDot(whole.slice(0, at))).filter(({ rule }) => rule === 'syntax')
      expect([at, errors.length > 0]).toEqual([at, true])
    }
  })
  test('reports a bounded list for a huge prompt, deep nesting, or only odd characters', () => {
    const big = `digraph { a [prompt="${'x'.repeat(1_000_000)}"] }`
    expect(parseDot(big).problems).toEqual([])
    expect(parseDot(`digraph { ${'{'.repeat(20_000)}`).problems.length).toBeGreaterThan(0)
    expect(parseDot(`digraph { ${'@'.repeat(100_000)} }`).problems.length).toBeLessThanOrEqual(101)
  })
})

// How long that takes is measured by `npm run bench:graph`.
test('a graph of ten thousand nodes is parsed and linted', () => {
  const names = Array.from({ length: 10_000 }, (_, at) => `n${at}`)
  const dot = `digraph { start [shape=Mdiamond]; exit [shape=Msquare]\n${names.map(name => `${name} [prompt="do ${name}"]`).join('\n')}\nstart -> ${names.join('\n -> ')} -> exit }`
  const parsed = parseDot(dot, { limits: { bytes: 1e8, nodes: 20_000, edges: 100_000, label: 4_096 } })
  expect(parsed.graph.nodes.size).toBe(10_002)
  expect(lintParsed(parsed).filter(({ severity }) => severity === 'error')).toEqual([])
})

describeNeeding('dot samples', 'a graph from another project', () => {
  const NOT_DOT = 'kilroy-docs_strongdm_dot_specs_simple_example_integration_smoke_test.dot'
  const files = existsSync(DOT_SAMPLES) ? readdirSync(DOT_SAMPLES).filter(file => file.endsWith('.dot')) : []
  test('is one of at least 26 samples', () => expect(files.length).toBeGreaterThanOrEqual(26))
  test('has a syntax error in its first line if it is not DOT', () => {
    const { problems } = parseDot(readFileSync(join(DOT_SAMPLES, NOT_DOT), 'utf8'))
    expect(problems.map(({ position }) => position.line)).toEqual([1])
  })
  test.each(files.filter(file => file !== NOT_DOT))('%s is parsed, linted and printed', file => {
    const parsed = parseDot(readFileSync(join(DOT_SAMPLES, file), 'utf8'), { file })
    expect(parsed.problems).toEqual([])
    expect(lintParsed(parsed).filter(finding => finding.file !== file)).toEqual([])
    expect(meaning(parseDot(printDot(parsed.graph)).graph)).toEqual(meaning(parsed.graph))
  })
})
