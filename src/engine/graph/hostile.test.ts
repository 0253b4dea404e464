import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readRun } from '../run-journal.js'
import { graphWorkflow } from './graph-workflow.js'
import { type CustomHandler, customSteps } from './handlers/custom.js'
import { NodeSteps, StallDetector } from './node-steps.js'
import { GraphFixture, Script } from './testing/graph-fixture.js'

let fixture: GraphFixture
beforeEach(async () => {
  fixture = await GraphFixture.open()
})
afterEach(() => fixture.close())

/** Runs a graph whose node `a` uses this handler; whatever it does, the journal must fold. */
async function withHandler(handler: CustomHandler, body: string) {
  const stallDetector = new StallDetector(fixture.clock)
  const directory = (name: string) => {
    const path = join(fixture.directory, name)
    mkdirSync(path, { recursive: true })
    return path
  }
  const steps = new NodeSteps(
    customSteps(handler, () => directory('step')),
    { clock: fixture.clock, runDirectory: () => directory('run') },
    stallDetector,
  )
  const id = await fixture.create(`digraph g { start [shape=Mdiamond] exit [shape=Msquare] ${body} }`, {
    handlers: { file: 'x', types: ['custom'] },
  })
  await fixture.drive(id, steps)
  // Read from scratch, as the next host would.
  expect((await readRun(fixture.store, id, graphWorkflow)).run.id).toBe(id)
  return fixture.read(id)
}

const ROUTED = 'a [type=custom]; f [shape=diamond]; start -> a -> exit; a -> f [condition="outcome=fail"]; f -> exit'

describe('a handler that misbehaves', () => {
  test('fails its node if it throws, and the failure is routed', async () => {
    const ran = await withHandler(() => {
      throw new Error('boom')
    }, ROUTED)
    expect([ran.status, ran.path]).toEqual(['completed', ['start', 'a', 'f', 'exit']])
    expect(ran.context._last_error).toBe('boom')
  })

  test('fails its node also if it throws something other than an Error', async () => {
    const ran = await withHandler(() => Promise.reject('just text'), ROUTED)
    expect(ran.path).toContain('f')
  })

  test('ends the run after the stall timeout if it hangs', async () => {
    const ran = await withHandler(
      () => new Promise(() => undefined),
      'graph [stall_timeout=90s]; a [type=custom]; start -> a -> exit',
    )
    expect([ran.status, ran.reason]).toEqual(['failed', 'stalled'])
  })

  const circular: Record<string, unknown> = {}
  circular.self = circular
  test.each<[string, unknown, string]>([
    ['an unknown status', { status: 'splendid' }, 'completed'],
    ['a number', 5, 'completed'],
    ['a list', ['success'], 'completed'],
    ['a status that is not a word', { status: 7 }, 'completed'],
    ['updates that are not an object', { status: 'success', context_updates: 'x' }, 'completed'],
    [
      'updates that are not JSON',
      { status: 'success', context_updates: { a: () => 1, b: 1n, c: circular } },
      'completed',
    ],
    ['an unknown node', { status: 'success', next_node: 'nowhere' }, 'failed'],
    ['suggestions of unknown nodes', { status: 'success', suggested_next_ids: ['nowhere', 3] }, 'completed'],
    ['keys of the engine', { status: 'success', context_updates: { _x: 1, 'internal.run_id': 'y' } }, 'completed'],
  ])('is handled if it returns %s', async (_, said, status) => {
    const ran = await withHandler(() => said as never, ROUTED)
    expect(ran.status).toBe(status)
    expect(ran.context['internal.run_id']).toBe(ran.id)
    expect(ran.context._x).toBeUndefined()
  })

  test('leaves a run that ends and a journal that folds for any JSON that it returns', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.jsonValue({ maxDepth: 3 }),
        fc.constantFrom('success', 'fail', 'x'),
        async (value, status) => {
          const said =
            typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value, status } : value
          const ran = await withHandler(() => said as never, ROUTED)
          expect(['completed', 'failed']).toContain(ran.status)
        },
      ),
      { numRuns: 25 },
    )
  })
})

describe('a graph that never ends', () => {
  test.each([
    ['a cycle without an exit', 'a; b; start -> a -> b -> a', 'max_visits'],
    ['a diamond to itself', 'd [shape=diamond]; start -> d; d -> d', 'max_visits'],
    [
      'a goal that is never met',
      'a [goal_gate=true, retry_target=a, auto_status=true]; start -> a -> exit [condition="outcome=success"]; a -> exit [condition="outcome=fail"]',
      'max_visits',
    ],
    ['a restart that never stops', 'a; start -> a; a -> a [loop_restart=true]', 'restarted'],
  ])('%s stops at a stated limit', async (name, dot, reason) => {
    const script = new Script(name.includes('goal') ? { a: async () => ({ status: 'fail' }) } : {})
    const ran = await fixture.run(`graph [max_node_visits=7] ${dot}`, script)
    expect(ran.reason).toBe(reason)
    expect(ran.path.length).toBeLessThan(40)
  })
})

describe('large or missing values in a graph', () => {
  test('a prompt of one megabyte is stored, folded and passed on unchanged', async () => {
    const prompt = 'word '.repeat(210_000)
    let seen = 0
    const script = new Script({
      a: async call => {
        const { graph } = call.work() as {
          graph: { nodes: Map<string, { attributes: Map<string, { value: string }> }> }
        }
        seen = graph.nodes.get('a')!.attributes.get('prompt')!.value.length
        return {}
      },
    })
    const ran = await fixture.run(`a [prompt="${prompt}"]; start -> a -> exit`, script)
    expect([ran.status, seen]).toEqual(['completed', prompt.length])
  })

  test('conditions on keys that were never set have no value, and that is reported', async () => {
    const none = await fixture.run('a; start -> a; a -> exit [condition="ghost="]; a -> a [condition="ghost=1"]')
    expect(none.status).toBe('failed')
    const empty = await fixture.run('a; b; start -> a; a -> b [condition="ghost=\'\'"]; a -> exit; b -> exit')
    expect(empty.path).toContain('b')
    const missing = await fixture.run('a; start -> a; a -> exit [condition="ghost.deep=1"]')
    expect([missing.reason, missing.text]).toEqual(['no_route', expect.stringContaining('ghost.deep is ""')])
    const other = await fixture.run('a; b; start -> a; a -> b [condition="ghost!=1"]; b -> exit')
    expect(other.status).toBe('completed')
  })
})
