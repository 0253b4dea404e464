import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { EventStore } from '../../store/index.js'
import { getRun } from '../control.js'
import { beginRun, evolveRun, loadRun, saveRun } from '../run-state.js'
import { storeKilledAt } from '../testing/killable-store.js'
import { decideGraph } from './graph-decide.js'
import { graphWorkflow } from './graph-workflow.js'
import { GraphFixture, Script } from './testing/graph-fixture.js'
import { NamedScript, pathsOf, truncatedRun, driveToEnd as wholly } from './testing/resume-anywhere.js'

let fixture: GraphFixture
beforeEach(async () => {
  fixture = await GraphFixture.open()
})
afterEach(() => fixture.close())

/** Twelve nodes with branches, a gate and retries. */
const DOT = `digraph {
  start [shape=Mdiamond]; plan; ok [shape=hexagon]; p [shape=component]; a [max_retries=2]; b; c; j [shape=tripleoctagon];
  test [max_retries=1]; d [shape=diamond]; fix; exit [shape=Msquare];
  start -> plan -> ok; ok -> p [label="[Y] Yes"]; ok -> plan [label="[N] No"]
  p -> a; p -> b; p -> c; a -> j; b -> j; c -> j; j -> test -> d
  d -> exit [condition="outcome=success"]; d -> fix [condition="outcome!=success"]; fix -> test
}`

/**
 * A node's result depends on its name alone, so a second attempt of the same step gives the same.
 */
class StepScript extends Script {
  override async run(call: Parameters<Script['run']>[0]) {
    this.started.push(call.step)
    const failing: Record<string, object> = {
      'p@1.1/a@1#1': { status: 'retry' },
      'test@1#1': { status: 'fail' },
      'test@1#2': { status: 'fail', failure_class: 'deterministic' },
    }
    return { status: 'ok' as const, result: { status: 'success', ...failing[call.step] } }
  }
}

/** Drives to the end and answers the gate, restarting the host as often as needed. */
async function driveToEnd(id: string, script: Script, first?: EventStore): Promise<boolean> {
  let hasDied = false
  for (let life = 0; life < 20; life++) {
    // Use the dying store until it has died, also after the gate.
    const store = hasDied ? undefined : first
    try {
      const end = await fixture.drive(id, script, { park: true, ...(store && { store }) })
      if (end.state === 'ended') return hasDied
    } catch {
      hasDied = true
    }
    const { gates, status } = await getRun(fixture.store, id)
    if (Object.keys(gates).length > 0 && status === 'waiting') await fixture.answer(id, 'Y')
    if (status === 'waiting') fixture.clock.advance(120_000)
  }
  return hasDied
}

describe('a twelve-node run with branches, a gate and retries, whose host dies', () => {
  // Each turn is one transaction: the whole run takes twelve.
  const cases = Array.from({ length: 12 }, (_, at) => [[at + 1, 'before'] as const, [at + 1, 'after'] as const]).flat()

  test.each(cases)(
    'at append %i, %s it is written, has the same end and answer and repeats no finished step',
    async (at, when) => {
      const id = await fixture.create(DOT)
      const script = new StepScript()
      script.recovers = 'success'
      expect(await driveToEnd(id, script, storeKilledAt(fixture.store, at, when))).toBe(true)
      const ran = await fixture.read(id, script)
      expect(ran.status).toBe('completed')
      const visited = [...new Set(ran.path)].sort()
      expect(visited).toEqual(expect.arrayContaining(['a', 'b', 'c', 'exit', 'j', 'ok', 'p', 'plan', 'start', 'test']))
      const ended = ran.events.filter(({ type }) => type === 'step.ended').map(({ data }) => String(data.step))
      expect(new Set(ended).size).toBe(ended.length)
      const endedAt = new Map(
        ran.events.flatMap(({ type, data, version }) =>
          type === 'step.ended' ? [[String(data.step), version] as const] : [],
        ),
      )
      for (const { type, data, version } of ran.events)
        if (type === 'step.started')
          expect(endedAt.get(String(data.step)) ?? Number.POSITIVE_INFINITY).toBeGreaterThan(version)
      expect(ran.events.filter(({ type }) => type === 'gate.answered')).toHaveLength(1)
    },
  )
})

describe('the journal of that run, cut at any event', () => {
  const SAID: Record<string, object> = {
    'p@1.1/a@1#1': { status: 'retry' },
    'test@1#1': { status: 'fail' },
    'test@1#2': { status: 'fail', failure_class: 'deterministic' },
  }

  test('resumes to the same path and end with one answer, and no ended step runs twice', async () => {
    const script = () => new NamedScript(step => SAID[step] ?? {})
    const first = await fixture.create(DOT)
    await wholly(fixture, first, script())
    const { events, status } = await fixture.read(first)
    expect(status).toBe('completed')
    const ways = pathsOf(events)
    for (let cut = 1; cut < events.length; cut++) {
      const id = await truncatedRun(fixture, events, cut)
      const again = script()
      await wholly(fixture, id, again)
      const ran = await fixture.read(id, again)
      expect([ran.status, pathsOf(ran.events)], `cut after ${events[cut - 1]!.type}`).toEqual(['completed', ways])
      const had = events.slice(0, cut).filter(({ type }) => type === 'step.ended')
      for (const { data } of had) expect(again.started).not.toContain(data.step)
      expect(ran.events.filter(({ type }) => type === 'gate.answered')).toHaveLength(1)
    }
  })
})

describe('the journal of a graph run', () => {
  test('folds to the same state from any snapshot, and leads to the same decisions', async () => {
    const id = await fixture.create(DOT)
    await driveToEnd(id, new StepScript())
    const { events, path } = await fixture.read(id)
    expect(path.length).toBeGreaterThanOrEqual(12)
    const [created, ...rest] = events
    for (let cut = 0; cut < rest.length; cut++) {
      const whole = beginRun(graphWorkflow, created!)
      for (const event of rest.slice(0, cut)) evolveRun(whole, event, graphWorkflow)
      const loaded = loadRun(JSON.parse(JSON.stringify(saveRun(whole, graphWorkflow))), graphWorkflow)!
      const before = JSON.stringify(saveRun(whole, graphWorkflow))
      expect(decideGraph(loaded.work)).toEqual(decideGraph(whole.work))
      // Deciding changes nothing.
      expect(JSON.stringify(saveRun(whole, graphWorkflow))).toBe(before)
    }
  })
})
