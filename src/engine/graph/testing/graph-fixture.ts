import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { approvalsProjection } from '../../../approvals/index.js'
import { SimulatedClock } from '../../../clock/index.js'
import { validateEvent } from '../../../events/index.js'
import type { EventStore, StoredEvent } from '../../../store/index.js'
import { openTestStore, storeSettled } from '../../../store/testing/open-test-store.js'
import { createRun, getRun } from '../../control.js'
import { type DriveEnd, Driver } from '../../drive.js'
import { readRun, runStream } from '../../run-journal.js'
import { runsProjection } from '../../runs-projection.js'
import { TestGates } from '../../testing/test-gates.js'
import type { Performer, StepCall, StepEnd } from '../../workflow.js'
import { type GraphInput, type NodeOutcome, plainInput } from '../graph-run.js'
import { type GraphWork, MAIN } from '../graph-work.js'
import { graphWorkflow } from '../graph-workflow.js'
import { FanInSteps } from '../handlers/fan-in.js'

export type ScriptedOutcome = Partial<NodeOutcome> | ((call: StepCall) => Promise<Partial<NodeOutcome>>)

/** Returns results by `node@visit`, `node`, or success; records the steps it started. */
export class Script implements Performer {
  readonly started: string[] = []
  readonly answers: Record<string, ScriptedOutcome[] | ScriptedOutcome>
  recovers: 'success' | 'partial' | 'nothing' = 'nothing'

  constructor(answers: Script['answers'] = {}) {
    this.answers = answers
  }

  async run(call: StepCall): Promise<StepEnd> {
    this.started.push(call.step)
    const { node, visit } = call.input as { node: string; visit: number }
    const given = this.answers[`${node}@${visit}`] ?? this.answers[node]
    const answer = Array.isArray(given) ? (given.shift() ?? {}) : (given ?? {})
    const outcome = typeof answer === 'function' ? await answer(call) : answer
    return { status: 'ok', result: { status: 'success', ...outcome } }
  }

  async recover() {
    return { verdict: this.recovers, evidence: [] }
  }
}

export interface RunTrace {
  id: string
  path: string[]
  events: StoredEvent[]
  types: string[]
  status: string
  reason: string | null
  text: string
  script: Script
  work: GraphWork
  context: Record<string, unknown>
}

/** In memory where possible: no test here is about power failures. */
const TEMPORARY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** A store, a simulated clock, and graph runs on them. */
export class GraphFixture {
  readonly directory = mkdtempSync(join(TEMPORARY, 'signalbox-graph-'))
  readonly clock = new SimulatedClock(1_000_000)
  store!: EventStore

  static async open(): Promise<GraphFixture> {
    const fixture = new GraphFixture()
    fixture.store = await openTestStore({
      path: join(fixture.directory, 'store.db'),
      clock: fixture.clock,
      projections: [runsProjection, approvalsProjection] as never,
      validate: validateEvent,
    })
    return fixture
  }

  async close(): Promise<void> {
    await this.store.close()
    rmSync(this.directory, { recursive: true, force: true })
  }

  create(dot: string, input: Partial<GraphInput> = {}): Promise<string> {
    const whole: GraphInput = {
      ...plainInput(dot, this.directory),
      ...input,
    }
    const about = { kind: 'graph', title: 'a graph', project: this.directory, cwd: this.directory, person: 'someone' }
    return createRun(this.store, { ...about, input: whole }, this.clock.now())
  }

  async driver(id: string, script: Performer, { park = false, store = this.store } = {}): Promise<Driver<GraphWork>> {
    const lease = await this.store.acquireLease(runStream(id), 'host', { ttlMs: 10_000, isGone: () => true })
    if (!lease.isAcquired) throw new Error('held')
    const kinds = ['codergen', 'tool', 'prompt', 'custom', 'child_source', 'child_look', 'child_steer', 'child_stop']
    return new Driver({
      store,
      run: id,
      workflow: graphWorkflow,
      performers: {
        ...Object.fromEntries(kinds.map(kind => [`graph.${kind}`, script])),
        'graph.simulated': script,
        'graph.parallel.fan_in': new FanInSteps({
          run: call => script.run(call),
          runWith: call => script.run(call),
          recover: async call => (await script.recover?.(call)) ?? { verdict: 'nothing', evidence: [] },
          directory: call => join(this.directory, call.step),
        }),
      },
      lease,
      clock: this.clock,
      random: () => 0.5,
      park,
      durability: 'normal',
      gates: new TestGates(store),
      onError: () => undefined,
    })
  }

  /** Drives and advances the clock until the run ends or cannot make progress. */
  async drive(id: string, script: Performer, options: { park?: boolean; store?: EventStore } = {}): Promise<DriveEnd> {
    const done = (await this.driver(id, script, options)).drive()
    let isOver = false
    done.finally(() => (isOver = true)).catch(() => undefined)
    for (let turn = 0; turn < 4_000 && !isOver; turn++) {
      await storeSettled(1)
      this.clock.advance(1_000)
    }
    return done
  }

  async run(dot: string, script = new Script(), input: Partial<GraphInput> = {}): Promise<RunTrace> {
    const id = await this.create(`digraph g { start [shape=Mdiamond] exit [shape=Msquare] ${dot} }`, input)
    await this.drive(id, script)
    return this.read(id, script)
  }

  async read(id: string, script = new Script()): Promise<RunTrace> {
    const events = await this.store.readStream(runStream(id))
    const { status, reason } = await getRun(this.store, id)
    const { work } = (await readRun(this.store, id, graphWorkflow)).run
    return {
      id,
      path: events.filter(({ type }) => type === 'node.started').map(({ data }) => String(data.node)),
      events,
      types: events.map(({ type }) => type),
      status,
      reason,
      text: String(events.find(({ type }) => type === 'run.failed')?.data.text ?? ''),
      script,
      work,
      context: work.cursors.get(MAIN)!.context,
    }
  }

  /** Answers the only open gate, with the event that the ledger would write. */
  async answer(id: string, option: string, extra: Record<string, unknown> = {}): Promise<void> {
    const [[gate, approval]] = Object.entries((await getRun(this.store, id)).gates) as [[string, string]]
    const data = { gate, approval, option, by: 'someone', ...extra }
    await this.store.append(runStream(id), 'any', [{ type: 'gate.answered', data }])
  }
}
