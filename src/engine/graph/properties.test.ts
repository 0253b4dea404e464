import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { evaluate, parseCondition, parseDot, textOf } from '../../graph/index.js'
import { GraphBench, Script } from './testing/graph-bench.js'
import { cutOff, Named, toTheEnd, waysOf } from './testing/resume-anywhere.js'

let bench: GraphBench
beforeEach(async () => {
  bench = await GraphBench.open()
})
afterEach(() => bench.close())

const STATUSES = ['success', 'fail', 'partial_success', 'retry'] as const
const CONDITIONS = [
  '',
  '',
  'outcome=success',
  'outcome=fail',
  'outcome!=success',
  'colour=red',
  'colour!=red && outcome=success',
]
const SHAPES = ['box', 'box', 'box', 'diamond', 'parallelogram']

/** Graphs of any form: edges anywhere, conditions, weights, retries. */
const graphs = fc
  .record({
    nodes: fc.array(fc.record({ shape: fc.constantFrom(...SHAPES), retries: fc.nat(2) }), {
      minLength: 2,
      maxLength: 8,
    }),
    edges: fc.array(
      fc.record({ from: fc.nat(7), to: fc.nat(8), condition: fc.constantFrom(...CONDITIONS), weight: fc.nat(3) }),
      { minLength: 3, maxLength: 20 },
    ),
  })
  .map(({ nodes, edges }) => {
    const name = (at: number) => (at >= nodes.length ? 'exit' : `n${at}`)
    const lines = [
      'graph [max_steps=40]',
      ...nodes.map(({ shape, retries }, at) => `n${at} [shape=${shape}, max_retries=${retries}, tool_command=x]`),
      'start -> n0',
      ...edges.map(
        ({ from, to, condition, weight }) =>
          `n${from % nodes.length} -> ${name(to)} [weight=${weight}${condition && `, condition="${condition}"`}]`,
      ),
    ]
    return lines.join('\n')
  })
const outcomes = fc.array(fc.record({ status: fc.constantFrom(...STATUSES), colour: fc.constantFrom('red', 'blue') }), {
  minLength: 1,
  maxLength: 12,
})

const LIMITS = ['max_steps', 'max_visits', 'no_route', 'failed', 'failure_repeated', 'bad_route']

/** The n-th step that begins says the n-th outcome, over and over. */
function scripted(said: { status: (typeof STATUSES)[number]; colour: string }[]): Script {
  const script = new Script()
  const begin = script.run.bind(script)
  script.run = async call => {
    await begin(call)
    const { status, colour } = said[(script.begun.length - 1) % said.length]!
    return { status: 'ok', result: { status, context_updates: { colour } } }
  }
  return script
}

test('any graph with any outcomes ends, or says which limit it hit, and never takes an edge whose condition is false', async () => {
  await fc.assert(
    fc.asyncProperty(graphs, outcomes, async (dot, said) => {
      const ran = await bench.run(dot, scripted(said))
      expect(ran.status === 'completed' || (ran.status === 'failed' && LIMITS.includes(ran.reason!))).toBe(true)
      const { graph } = parseDot(ran.work.input.dot)
      let colour = ''
      let outcome = ''
      for (const { type, data } of ran.events) {
        if (type === 'step.ended')
          colour = String((data.result as { context_updates: { colour: string } }).context_updates.colour)
        if (type === 'node.finished') outcome = String(data.outcome ?? data.status)
        if (type !== 'edge.selected' || data.edge === null) continue
        const edge = graph.edges.find(({ id }) => id === data.edge)!
        const parsed = parseCondition(textOf(edge.attributes, 'condition') ?? '')
        if ('problem' in parsed) throw new Error('unreadable')
        expect(evaluate(parsed.condition, { outcome, preferredLabel: '', context: { colour } }).isTrue).toBe(true)
      }
    }),
    { numRuns: 40 },
  )
})

/** Says of a step what its name comes to: the same whenever it is asked. */
function byName(said: { status: (typeof STATUSES)[number]; colour: string }[]): Named {
  return new Named(step => {
    const sum = [...step].reduce((total, character) => (total * 31 + character.codePointAt(0)!) % 9_973, 7)
    const { status, colour } = said[sum % said.length]!
    return { status, context_updates: { colour } }
  })
}

test('a run that is cut off after any event goes the same way to the same end', async () => {
  await fc.assert(
    fc.asyncProperty(
      graphs,
      outcomes,
      fc.array(fc.nat(1_000), { minLength: 3, maxLength: 3 }),
      async (dot, said, cuts) => {
        const whole = await bench.create(`digraph g { start [shape=Mdiamond] exit [shape=Msquare] ${dot} }`)
        await toTheEnd(bench, whole, byName(said))
        const first = await bench.look(whole)
        for (const cut of cuts) {
          const at = 1 + (cut % (first.events.length - 1))
          const id = await cutOff(bench, first.events, at)
          await toTheEnd(bench, id, byName(said))
          const again = await bench.look(id)
          expect([again.status, again.reason, waysOf(again.events)], `cut after ${first.events[at - 1]!.type}`).toEqual(
            [first.status, first.reason, waysOf(first.events)],
          )
        }
      },
    ),
    { numRuns: 25 },
  )
}, 60_000)
