import { appendFileSync, existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Activity } from '../activity/index.js'
import { readRun, runStream } from '../engine/index.js'
import type { EventData } from '../events/index.js'
import type { EventStore, StoredEvent } from '../store/index.js'
import type { OneshotWork } from './oneshot-workflow.js'
import { oneshotWorkflow } from './oneshot-workflow.js'

/**
 * `oneshot.json` and `oneshot-log.json` of one run, in the form of the seed: projections of its events, replaced or appended as they happen,
 * and never read back.
 */
export class OneshotFiles {
  readonly #directory: string
  readonly #id: string
  #work: OneshotWork | null = null
  #createdAt = 0

  constructor(directory: string, id: string) {
    this.#directory = directory
    this.#id = id
    mkdirSync(directory, { recursive: true, mode: 0o700 })
  }

  /** Events of the run, in order from the first. */
  take(event: StoredEvent): void {
    const before = this.#work?.state
    if (event.type === 'run.created') {
      this.#createdAt = event.at
      this.#work = oneshotWorkflow.begin(event.data as EventData<'run.created'>, { id: this.#id, at: event.at })
    } else if (this.#work) this.#work = oneshotWorkflow.evolve(this.#work, event)
    const work = this.#work
    if (!work || (work.state === before && event.type !== 'step.spawned')) return
    this.#replace(work, event.at)
    if (before !== undefined && before !== work.state)
      this.#append({ ts: seconds(event.at), type: 'state_change', from: before, to: work.state })
  }

  activity(activity: Activity): void {
    const { agent, at, step: _step, ...data } = activity
    this.#append({ ts: seconds(at), type: 'activity', executor: agent, data })
  }

  #replace(work: OneshotWork, at: number): void {
    const state = {
      oneshot_id: this.#id,
      state: work.state,
      iteration_count: work.iteration,
      max_iterations: work.input.maxIterations,
      created_at: new Date(this.#createdAt).toISOString(),
      updated_at: new Date(at).toISOString(),
      history: work.history.map(({ ts, ...entry }) => ({ ...entry, ts: seconds(ts * 1000) })),
    }
    const file = join(this.#directory, 'oneshot.json')
    writeFileSync(`${file}.new`, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 })
    renameSync(`${file}.new`, file)
  }

  #append(line: object): void {
    appendFileSync(join(this.#directory, 'oneshot-log.json'), `${JSON.stringify(line)}\n`, { mode: 0o600 })
  }
}

/** Writes both files anew from the journal and the activities that were kept. */
export async function exportOneshot(
  store: EventStore,
  id: string,
  directory: string,
  activities: (step: string) => AsyncIterable<Activity>,
): Promise<void> {
  await readRun(store, id, oneshotWorkflow)
  const log = join(directory, 'oneshot-log.json')
  if (existsSync(log)) writeFileSync(log, '')
  const files = new OneshotFiles(directory, id)
  for (const event of await store.readStream(runStream(id))) {
    if (event.type === 'step.ended' || event.type === 'step.lost') {
      const { step } = event.data as { step: string }
      for await (const activity of activities(step)) files.activity(activity)
    }
    files.take(event)
  }
}

function seconds(ms: number): number {
  return Math.round(ms) / 1000
}
