import { type Clock, delay } from '../clock/index.js'
import { getRunIfKnown, isEnded, readRun, runsOnWorker, type Workflow } from '../engine/index.js'
import type { EventStore } from '../store/index.js'
import {
  differencesOf,
  type LoggedItem,
  type WorkerDifference,
  type WorkerInventory,
  type WorkerLog,
  workerInventory,
} from './inventory.js'
import { stepKey } from './protocol.js'

/** What starts or ends at the moment is different for a moment. */
const SETTLE_MS = 2_000

export interface CompareOptions {
  store: EventStore
  clock: Clock
  workflows: readonly Workflow<never>[]
  /** Asks the worker what it has. */
  ask(): Promise<unknown>
  /** These sessions, and those that run on the worker, according to the log. */
  sessionsOf(ids: readonly string[]): Promise<ReadonlyMap<string, LoggedItem>>
  /** Effects that the server performs itself. */
  isLocal(effect: string): boolean
}

export interface ComparedWorker {
  sessions: number
  steps: number
  differences: WorkerDifference[]
}

/** Compares what a connected worker has with the log. A difference counts if it lasts. */
export async function compareWorker(worker: string, options: CompareOptions): Promise<ComparedWorker> {
  const first = await compareOnce(worker, options)
  if (first.differences.length === 0) return first
  await delay(options.clock, SETTLE_MS)
  const second = await compareOnce(worker, options)
  const nameOf = ({ what, id, is }: WorkerDifference) => `${what} ${id} ${is}`
  const before = new Set(first.differences.map(nameOf))
  return { ...second, differences: second.differences.filter(difference => before.has(nameOf(difference))) }
}

async function compareOnce(worker: string, options: CompareOptions): Promise<ComparedWorker> {
  const inventory = workerInventory.parse(await options.ask())
  const differences = differencesOf(inventory, await logOf(worker, inventory, options))
  return { sessions: inventory.sessions.length, steps: inventory.steps.length, differences }
}

async function logOf(worker: string, inventory: WorkerInventory, options: CompareOptions): Promise<WorkerLog> {
  const { store, workflows, sessionsOf, isLocal } = options
  const runs = new Map<string, LoggedItem>()
  for (const id of new Set([...inventory.workspaces, ...inventory.steps.map(({ run }) => run)])) {
    const record = await getRunIfKnown(store, id)
    if (record) runs.set(id, { worker: record.worker, isOpen: !isEnded(record.status) })
  }
  const steps: { run: string; step: string; key: string }[] = []
  for (const { id, kind, status } of await runsOnWorker(store, worker)) {
    const workflow = workflows.find(candidate => candidate.kind === kind)
    if (status !== 'running' || !workflow) continue
    const { run } = await readRun(store, id, workflow)
    for (const [step, { effect, version }] of run.steps)
      if (!isLocal(effect)) steps.push({ run: id, step, key: stepKey(step, version) })
  }
  return { worker, runs, steps, sessions: await sessionsOf([...inventory.sessions, ...inventory.recordings]) }
}
