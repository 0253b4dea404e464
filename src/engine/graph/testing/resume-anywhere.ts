import type { StoredEvent } from '../../../store/index.js'
import { createRun, getRun } from '../../control.js'
import { runStream } from '../../run-journal.js'
import type { StepCall, StepEnd } from '../../workflow.js'
import type { NodeOutcome } from '../graph-run.js'
import { type GraphBench, Script } from './graph-bench.js'

/** Says of every step what its name says, whether it is asked while the step runs or when its remains are examined. */
export class Named extends Script {
  readonly #say: (step: string) => Partial<NodeOutcome>

  constructor(say: (step: string) => Partial<NodeOutcome>) {
    super()
    this.#say = say
  }

  override async run(call: StepCall): Promise<StepEnd> {
    this.begun.push(call.step)
    return { status: 'ok', result: { status: 'success', ...this.#say(call.step) } }
  }

  override async recover(call?: StepCall) {
    const result = { status: 'success', ...this.#say(call?.step ?? '') }
    return { verdict: 'success' as const, evidence: [], result }
  }
}

/** Drives to the end, answering every gate with Y, through as many lives as it takes. */
export async function toTheEnd(bench: GraphBench, id: string, script: Script): Promise<void> {
  for (let life = 0; life < 500; life++) {
    const end = await bench.drive(id, script, { park: true })
    if (end.state === 'ended') return
    const { gates, status } = await getRun(bench.store, id)
    if (Object.keys(gates).length > 0) await bench.answer(id, 'Y')
    else if (status === 'waiting') bench.clock.advance(120_000)
  }
  throw new Error(`run ${id} does not end`)
}

/** A run whose host died right after this event: a journal that ends there. */
export async function cutOff(bench: GraphBench, events: readonly StoredEvent[], cut: number): Promise<string> {
  const [created, ...rest] = events.slice(0, cut)
  const id = await createRun(bench.store, created!.data as never, created!.at)
  if (rest.length > 0)
    await bench.store.append(
      runStream(id),
      1,
      rest.map(({ type, data, at }) => ({ type, data, at })),
    )
  return id
}

/** The way through the graph, each branch by itself: side by side they may meet in any order. */
export function waysOf(events: readonly StoredEvent[]): Record<string, string[]> {
  const ways: Record<string, string[]> = {}
  for (const { type, data } of events) {
    const way = (ways[String(data.branch ?? '')] ??= [])
    if (type === 'node.started') way.push(`${String(data.node)}@${String(data.visit)}`)
    if (type === 'node.finished') way.push(String(data.outcome ?? data.status))
    if (type === 'edge.selected') way.push(`${String(data.reason)} ${String(data.edge)}`)
  }
  return Object.fromEntries(Object.entries(ways).filter(([, way]) => way.length > 0))
}
