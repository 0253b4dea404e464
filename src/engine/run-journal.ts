import { SignalboxError } from '../errors/index.js'
import {
  type AppendOptions,
  type EventStore,
  type Fence,
  isVersionConflict,
  type NewEvent,
  type StoredEvent,
  type StreamAppend,
} from '../store/index.js'
import { foldEvents, type GateRefusal, type IsProven } from './fold-events.js'
import { evolveRun, loadRun, type RunState, saveRun } from './run-state.js'
import type { Workflow } from './workflow.js'

export function runStream(id: string): string {
  return `run/${id}`
}

/** Take a snapshot after this many events. */
const SNAPSHOT_EVERY = 500
const PAGE = 2_000

/** Lists show only the number of steps: the projection of these events may lag. */
const MINOR: ReadonlySet<string> = new Set(['step.started', 'step.spawned', 'step.ended'])

/**
 * The journal of one run, and the state folded from it. Events are folded when proposed and written
 * as one batch; if another process wrote in between, the batch is dropped and the state is read
 * again.
 */
export class RunJournal<Work> {
  readonly id: string
  readonly #store: EventStore
  readonly #workflow: Workflow<Work>
  readonly #durability: NonNullable<AppendOptions['durability']>
  #run: RunState<Work>
  #proposed: NewEvent[] = []
  #otherAppends: StreamAppend[] = []
  #snapshotAt: number
  readonly #isProven: IsProven | null
  #refusals: GateRefusal[]

  /**
   * @param isProven checks the answers of gates that no driver has acted on yet.
   * @throws SignalboxError `E_UNKNOWN` if there is no such run, `E_RUN_BROKEN` if its events do not
   * fold.
   */
  static async open<Work>(
    store: EventStore,
    id: string,
    workflow: Workflow<Work>,
    durability: NonNullable<AppendOptions['durability']> = 'full',
    isProven: IsProven | null = null,
  ): Promise<RunJournal<Work>> {
    return new RunJournal(store, id, workflow, durability, isProven, await readRun(store, id, workflow, isProven))
  }

  private constructor(
    store: EventStore,
    id: string,
    workflow: Workflow<Work>,
    durability: NonNullable<AppendOptions['durability']>,
    isProven: IsProven | null,
    { run, snapshotAt, refusals }: ReadRun<Work>,
  ) {
    this.#store = store
    this.id = id
    this.#workflow = workflow
    this.#durability = durability
    this.#isProven = isProven
    this.#run = run
    this.#snapshotAt = snapshotAt
    this.#refusals = refusals
  }

  get run(): RunState<Work> {
    return this.#run
  }

  get hasProposals(): boolean {
    return this.#proposed.length > 0 || this.#otherAppends.length > 0
  }

  /** Folds events now; the next commit writes them. */
  propose(events: readonly NewEvent[], at: number): void {
    for (const { type, data, at: own = at } of events) {
      this.#proposed.push({ type, data, at: own })
      this.#fold({ type, data, at: own, position: 0, stream: runStream(this.id), version: this.#run.version + 1 })
    }
  }

  /** The answers of gates that were not folded, because nothing proves that a person gave them. */
  takeRefusals(): GateRefusal[] {
    const refusals = this.#refusals
    this.#refusals = []
    return refusals
  }

  /** An append to another stream, in the same transaction. */
  proposeAlongside(append: StreamAppend): void {
    this.#otherAppends.push(append)
  }

  /**
   * Writes the proposed events. False: another process wrote to the run first, nothing was written,
   * and the state now includes its events.
   * @throws SignalboxError `E_FENCED`
   */
  async commit(fence: Fence): Promise<boolean> {
    if (!this.hasProposals) return true
    const events = this.#proposed
    const otherAppends = this.#otherAppends
    this.#proposed = []
    this.#otherAppends = []
    const isMinor = otherAppends.length === 0 && events.every(({ type }) => MINOR.has(type))
    try {
      const expected = this.#run.version - events.length
      const own: StreamAppend = { stream: runStream(this.id), expected, events }
      await this.#store.appendAll(events.length > 0 ? [own, ...otherAppends] : otherAppends, {
        durability: this.#durability,
        fence,
        ...(isMinor && { documents: 'later' as const }),
      })
    } catch (error) {
      if (!isVersionConflict(error)) throw error
      await this.reload()
      return false
    }
    await this.#saveSnapshot()
    return true
  }

  /** Folds what other processes have written. True if there was something. */
  async catchUp(): Promise<boolean> {
    const before = this.#run.version
    const events = await eventsOf(this.#store, this.id, before + 1)
    const folded = await foldEvents(this.#run, events, this.#workflow, this.#isProven, { isDriving: true })
    this.#refusals.push(...folded.refusals)
    return this.#run.version > before
  }

  async reload(): Promise<void> {
    this.#proposed = []
    this.#otherAppends = []
    const { run, snapshotAt, refusals } = await readRun(this.#store, this.id, this.#workflow, this.#isProven)
    this.#run = run
    this.#snapshotAt = snapshotAt
    this.#refusals = refusals
  }

  #fold(event: StoredEvent): void {
    evolveRun(this.#run, event, this.#workflow)
  }

  async #saveSnapshot(): Promise<void> {
    if (this.#run.version - this.#snapshotAt < SNAPSHOT_EVERY) return
    this.#snapshotAt = this.#run.version
    const state = saveRun(this.#run, this.#workflow)
    await this.#store.saveSnapshot(runStream(this.id), { version: this.#run.version, state })
  }
}

interface ReadRun<Work> {
  run: RunState<Work>
  snapshotAt: number
  refusals: GateRefusal[]
}

/** Reads the state of a run from its journal. */
export async function readRun<Work>(
  store: EventStore,
  id: string,
  workflow: Workflow<Work>,
  isProven: IsProven | null = null,
): Promise<ReadRun<Work>> {
  const snapshot = await store.loadSnapshot(runStream(id))
  const saved = snapshot && loadRun(snapshot.state, workflow)
  const snapshotAt = saved?.version ?? 0
  try {
    const events = await eventsOf(store, id, snapshotAt + 1)
    const { run, refusals } = await foldEvents(saved, events, workflow, isProven)
    if (run) return { run, snapshotAt, refusals }
  } catch (error) {
    throw new SignalboxError('E_RUN_BROKEN', `cannot read the journal of run ${id}: ${(error as Error).message}`, {
      next: `signalbox show ${id} --events prints its events; other runs are not affected`,
      cause: error,
    })
  }
  throw new SignalboxError('E_UNKNOWN', `unknown run "${id}"`, { next: 'signalbox runs lists all runs' })
}

async function eventsOf(store: EventStore, id: string, from: number): Promise<StoredEvent[]> {
  const events: StoredEvent[] = []
  for (;;) {
    const page = await store.readStream(runStream(id), { fromVersion: from + events.length, limit: PAGE })
    events.push(...page)
    if (page.length < PAGE) return events
  }
}
