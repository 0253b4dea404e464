import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readCheckpoint } from '../../src/engine/graph/checkpoint.js'
import { graphWorkflow } from '../../src/engine/graph/graph-workflow.js'
import { simulatedSteps } from '../../src/engine/graph/handlers/simulated.js'
import { GraphFixture } from '../../src/engine/graph/testing/graph-fixture.js'
import { beginRun, evolveRun } from '../../src/engine/run-state.js'
import type { StoredEvent } from '../../src/store/index.js'

// A case is a folder: graph.dot, script.json (the results of its nodes, as for --dry-run),
// expected.json, and checkpoint.json if it starts at a checkpoint. Adding a folder adds a test.
const GOLDEN = join(import.meta.dirname, 'golden')
let fixture: GraphFixture

beforeAll(async () => {
  fixture = await GraphFixture.open()
})
afterAll(() => fixture.close())

interface Expected {
  status: string
  reason?: string
  trace: string[]
}

function traceOf(events: readonly StoredEvent[]): string[] {
  return events.flatMap(({ type, data }) => {
    if (type === 'node.finished') return [`${String(data.node)} ${String(data.outcome ?? data.status)}`]
    if (type === 'node.retrying') return [`retry ${String(data.node)}#${String(data.attempt)}`]
    return type === 'edge.selected' ? [`${String(data.reason)} ${String(data.edge)}`] : []
  })
}

function fromOf(name: string) {
  if (!readdirSync(join(GOLDEN, name)).includes('checkpoint.json')) return null
  const found = readCheckpoint(readFileSync(join(GOLDEN, name, 'checkpoint.json'), 'utf8'), name)
  return {
    node: found.next_node!,
    context: found.context,
    outcomes: found.node_outcomes,
    visits: found.node_visits,
    threads: found.threads,
  }
}

describe('golden cases', () => {
  test.each(readdirSync(GOLDEN))('the case %s', async name => {
    const read = (file: string) => readFileSync(join(GOLDEN, name, file), 'utf8')
    const dryRun = JSON.parse(read('script.json')) as Record<string, Record<string, unknown>>
    const expected = JSON.parse(read('expected.json')) as Expected
    const id = await fixture.create(read('graph.dot'), { dryRun, from: fromOf(name) })
    await fixture.drive(id, simulatedSteps)
    const ran = await fixture.read(id)
    expect([ran.status, traceOf(ran.events)]).toEqual([expected.status, expected.trace])
    if (expected.reason !== undefined) expect(ran.reason).toBe(expected.reason)

    // Folding the events again, without a store, gives the same state.
    const [created, ...rest] = ran.events
    const again = beginRun(graphWorkflow, created!)
    for (const event of rest) evolveRun(again, event, graphWorkflow)
    expect([...again.work.outcomes]).toEqual([...ran.work.outcomes])
    expect(again.work.cursors.get('')!.context).toEqual(ran.context)
  })
})
