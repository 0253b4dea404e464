import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { evaluate, parseCondition, parseDot, textOf } from '../../graph/index.js'
import { GraphFixture, Script } from './testing/graph-fixture.js'
import { driveToEnd, NamedScript, pathsOf, truncatedRun } from './testing/resume-anywhere.js'

let fixture: GraphFixture
beforeEach(async () => {
  fixture = await GraphFixture.open()
})
afterEach(() => fixture.close())

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

/** Graphs of any form: arbitrary edges, conditions, weights, retries. */
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

/** The n-th step to start returns the n-th outcome, cyclically. */
function scripted(said: { status: (typeof STATUSES)[number]; colour: string }[]): Script {
  const script = new Script()
  const begin = script.run.bind(script)
  script.run = async call => {
    await begin(call)
    const { status, colour } = said[(script.started.length - 1) % said.length]!
    return { status: 'ok', result: { status, context_updates: { colour } } }
  }
  return script
}

test('any graph with any outcomes ends or reports its limit, and follows no edge with a false condition', async () => {
  await fc.assert(
    fc.asyncProperty(graphs, outcomes, async (dot, said) => {
      const ran = await fixture.run(dot, scripted(said))
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

/** Returns an outcome that depends on the step's name alone: the same at every call. */
function byName(said: { status: (typeof STATUSES)[number]; colour: string }[]): NamedScript {
  return new NamedScript(step => {
    const sum = [...step].reduce((total, character) => (total * 31 + character.codePointAt(0)!) % 9_973, 7)
    const { status, colour } = said[sum % said.length]!
    return { status, context_updates: { colour } }
  })
}

test('a run whose journal is cut after any event follows the same path to the same end', async () => {
  await fc.assert(
    fc.asyncProperty(
      graphs,
      outcomes,
      fc.array(fc.nat(1_000), { minLength: 3, maxLength: 3 }),
      async (dot, said, cuts) => {
        const whole = await fixture.create(`digraph g { start [shape=Mdiamond] exit [shape=Msquare] ${dot} }`)
        await driveToEnd(fixture, whole, byName(said))
        const first = await fixture.read(whole)
        for (const cut of cuts) {
          const at = 1 + (cut % (first.events.length - 1))
          const id = await truncatedRun(fixture, first.events, at)
          await driveToEnd(fixture, id, byName(said))
          const again = await fixture.read(id)
          expect(
            [again.status, again.reason, pathsOf(again.events)],
            `cut after ${first.events[at - 1]!.type}`,
          ).toEqual([first.status, first.reason, pathsOf(first.events)])
        }
      },
    ),
    { numRuns: 25 },
  )
})
