import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { drawDot, drawPlain, lintParsed, PARSE_LIMITS, parseDot, printDot } from '../../src/graph/index.js'

// Graphs that are damaged on purpose. Cases are numbered: a number gives the same text on every
// machine, and SIGNALBOX_DOT_FUZZ_CASE=<n> runs the one that a failure named.
const EXAMPLES = join(import.meta.dirname, '../../examples')
const ORIGINALS = readdirSync(EXAMPLES)
  .filter(name => name.endsWith('.dot'))
  .sort()
  .map(name => readFileSync(join(EXAMPLES, name), 'utf8'))

const CASES = Number(process.env.SIGNALBOX_DOT_FUZZ_CASES ?? 300)
const ONLY = process.env.SIGNALBOX_DOT_FUZZ_CASE

/**
 * What parsers fail on: punctuation of the language, unfinished strings and comments, unusual
 * characters.
 */
const PIECES = [
  ...[
    '{',
    '}',
    '[',
    ']',
    '"',
    '\\',
    '=',
    ';',
    ',',
    '->',
    '--',
    ':',
    '+',
    '<',
    '>',
    '#',
    '//',
    '/*',
    '*/',
    '\n',
    '\r',
    '\t',
  ],
  ...['digraph', 'graph', 'subgraph', 'node', 'edge', 'strict', '"a" + "b"', 'a:b', '{a b} -> c', '<b>x</b>', '\\"'],
  ...[
    '\u0000',
    '\ufeff',
    '\ud800',
    '\u202e',
    '💥',
    '9'.repeat(400),
    '-1',
    '1e999',
    '12parsecs',
    '__proto__',
    'constructor',
  ],
  ...['[condition="a == b || c"]', '[condition="a=1 && "]', '[shape=Mdiamond]', '[type="parallel"]', '[label=""]'],
  ...['[model_stylesheet="* { llm_model: x"]', '[retry_target=nowhere]', '[timeout=-5s]', '[max_retries=many]'],
]

/** A generator with a seed: the same numbers on every machine. */
function numbers(seed: number): (below: number) => number {
  let state = (seed * 2_654_435_761) >>> 0
  return below => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

function damaged(seed: number): string {
  const pick = numbers(seed + 1)
  const of = <T>(list: readonly T[]): T => list[pick(list.length)]!
  let text = of(ORIGINALS)
  for (let blows = 1 + pick(6); blows > 0; blows--) {
    const at = pick(text.length + 1)
    const end = Math.min(text.length, at + 1 + pick(40))
    const other = of(ORIGINALS)
    const from = pick(other.length)
    const blow = of([
      () => text.slice(0, at) + text.slice(end),
      () => text.slice(0, at) + of(PIECES) + text.slice(at),
      () => text.slice(0, at) + of(PIECES) + text.slice(end),
      () => text.slice(0, end) + text.slice(at),
      () => text.slice(0, at) + other.slice(from, from + 1 + pick(200)) + text.slice(at),
      () => text.slice(0, at),
      () => text.slice(0, at) + String.fromCharCode(pick(0x10000)) + text.slice(at + 1),
    ])
    text = blow()
  }
  return text
}

/**
 * Does everything that is done with a graph before it runs. Nothing may throw, and every finding
 * has a place in the text.
 */
function examine(text: string): { hasProblems: boolean } {
  const parsed = parseDot(text)
  const lines = text.split(/\r\n|\n|\r/).length
  // Filtered first: an expectation for each of a thousand findings takes longer than finding them.
  const wrong = lintParsed(parsed).filter(
    ({ rule, severity, message, line, column }) =>
      !/^[a-z_]+$/.test(rule) ||
      message.trim() === '' ||
      !['error', 'warning', 'info'].includes(severity) ||
      (line !== null && !(line >= 1 && line <= lines + 1 && (column ?? 1) >= 1)),
  )
  expect(wrong).toEqual([])
  expect(drawDot(parsed.graph)).toContain('digraph')
  expect(drawPlain(parsed.graph)).toContain('<svg')
  if (parsed.problems.length > 0) return { hasProblems: true }
  const again = parseDot(printDot(parsed.graph))
  expect(again.problems).toEqual([])
  // Nodes that only edges name come last in the print.
  expect([...again.graph.nodes.keys()].sort()).toEqual([...parsed.graph.nodes.keys()].sort())
  expect(again.graph.edges.map(({ id }) => id)).toEqual(parsed.graph.edges.map(({ id }) => id))
  return { hasProblems: false }
}

describe('malformed DOT', () => {
  test('is reported with its place and never throws, and a graph that still parses prints as itself', () => {
    const counts = { broken: 0, whole: 0 }
    const seeds = ONLY === undefined ? Array.from({ length: CASES }, (_, seed) => seed) : [Number(ONLY)]
    for (const seed of seeds) {
      const text = damaged(seed)
      try {
        counts[examine(text).hasProblems ? 'broken' : 'whole'] += 1
      } catch (error) {
        throw new Error(`case ${seed}: SIGNALBOX_DOT_FUZZ_CASE=${seed}\n${text.slice(0, 2_000)}`, { cause: error })
      }
    }
    // Cases that are all valid, or all invalid, would not test much.
    if (ONLY === undefined) expect(Math.min(counts.broken, counts.whole)).toBeGreaterThan(CASES / 20)
  })

  const LARGE = PARSE_LIMITS.bytes - 100
  test.each([
    ['subgraphs in subgraphs', `digraph { ${'subgraph { '.repeat(80_000)}`],
    ['closed subgraphs in subgraphs', `digraph { ${'{'.repeat(100_000)}${'}'.repeat(100_000)} }`],
    ['only opening brackets', `digraph { a ${'['.repeat(LARGE)}`],
    ['a string without an end', `digraph { a [label="${'x'.repeat(LARGE - 50)}`],
    ['a comment without an end', `digraph { /*${'*'.repeat(LARGE - 50)}`],
    ['one long chain', `digraph { ${'a -> '.repeat(150_000)}a }`],
    ['thousands of joined strings', `digraph { a [label=${'"x" + '.repeat(100_000)}"x"] }`],
    ['only mistakes', `digraph { ${'= ; '.repeat(100_000)} }`],
    ['only stray characters', '\u0001'.repeat(200_000)],
    ['conditions without an end', `digraph { a -> b [condition="${'a=1 && '.repeat(140)}"] }`],
    ['nested stylesheet', `digraph { graph [model_stylesheet="${'* { '.repeat(10_000)}"] a }`],
  ])('is reported if it is very large: %s', (_, text) => {
    expect(examine(text).hasProblems || lintParsed(parseDot(text)).length > 0).toBe(true)
  })

  test('has one finding if it exceeds the size limit', () => {
    const { problems, graph } = parseDot('x'.repeat(PARSE_LIMITS.bytes + 1))
    expect([problems.length, graph.nodes.size]).toEqual([1, 0])
  })
})
