import type { StoredEvent } from '../../../store/index.js'
import { createRun, getRun } from '../../control.js'
import { runStream } from '../../run-journal.js'
import type { StepCall, StepEnd } from '../../workflow.js'
import type { NodeOutcome } from '../graph-run.js'
import { type GraphFixture, Script } from './graph-fixture.js'

/** The result of a step depends on its name alone, whether it runs or is recovered. */
export class NamedScript extends Script {
  readonly #say: (step: string) => Partial<NodeOutcome>

  constructor(say: (step: string) => Partial<NodeOutcome>) {
    super()
    this.#say = say
  }

  override async run(call: StepCall): Promise<StepEnd> {
    this.started.push(call.step)
    return { status: 'ok', result: { status: 'success', ...this.#say(call.step) } }
  }

  override async recover(call?: StepCall) {
    const result = { status: 'success', ...this.#say(call?.step ?? '') }
    return { verdict: 'success' as const, evidence: [], result }
  }
}

/** Drives to the end and answers every gate with Y, restarting the host as often as needed. */
export async function driveToEnd(fixture: GraphFixture, id: string, script: Script): Promise<void> {
  for (let life = 0; life < 500; life++) {
    const end = await fixture.drive(id, script, { park: true })
    if (end.state === 'ended') return
    const { gates, status } = await getRun(fixture.store, id)
    if (Object.keys(gates).length > 0) await fixture.answer(id, 'Y')
    else if (status === 'waiting') fixture.clock.advance(120_000)
  }
  throw new Error(`run ${id} does not end`)
}

/** A run whose host died right after this event: its journal ends there. */
export async function truncatedRun(
  fixture: GraphFixture,
  events: readonly StoredEvent[],
  cut: number,
): Promise<string> {
  const [created, ...rest] = events.slice(0, cut)
  const id = await createRun(fixture.store, created!.data as never, created!.at)
  if (rest.length > 0)
    await fixture.store.append(
      runStream(id),
      1,
      rest.map(({ type, data, at }) => ({ type, data, at })),
    )
  return id
}

/** The path through the graph, by branch: parallel branches may interleave in any order. */
export function pathsOf(events: readonly StoredEvent[]): Record<string, string[]> {
  const ways: Record<string, string[]> = {}
  for (const { type, data } of events) {
    const way = (ways[String(data.branch ?? '')] ??= [])
    if (type === 'node.started') way.push(`${String(data.node)}@${String(data.visit)}`)
    if (type === 'node.finished') way.push(String(data.outcome ?? data.status))
    if (type === 'edge.selected') way.push(`${String(data.reason)} ${String(data.edge)}`)
  }
  return Object.fromEntries(Object.entries(ways).filter(([, way]) => way.length > 0))
}
