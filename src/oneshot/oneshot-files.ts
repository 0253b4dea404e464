import { appendFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Activity } from '../activity/index.js'
import { runStream } from '../engine/index.js'
import type { EventData } from '../events/index.js'
import type { EventStore, StoredEvent } from '../store/index.js'
import type { OneshotWork } from './oneshot-workflow.js'
import { oneshotWorkflow } from './oneshot-workflow.js'

const STATE_FILE = 'oneshot.json'
const LOG_FILE = 'oneshot-log.json'
const PAGE = 1_000

/**
 * `oneshot.json` and `oneshot-log.json` of one run: projections of its events, replaced or appended
 * as they happen, and never read back. They are first rebuilt from the journal when writing starts,
 * so that they are complete after any crash.
 */
export class OneshotFiles {
  readonly #directories: readonly string[]
  readonly #id: string
  #work: OneshotWork | null = null
  #createdAt = 0
  #version = 0

  constructor(directories: readonly string[], id: string) {
    this.#directories = directories
    this.#id = id
    for (const directory of directories) mkdirSync(directory, { recursive: true, mode: 0o700 })
  }

  /** Rebuilds both files from the journal and from the logged activities. */
  async rebuild(store: EventStore, activities: (step: string) => AsyncIterable<Activity>): Promise<void> {
    const lines: object[] = []
    const open = new Set<string>()
    const add = async (step: string) => {
      open.delete(step)
      for await (const activity of activities(step)) lines.push(activityLine(activity))
    }
    this.#work = null
    this.#version = 0
    for (let events = await this.#nextPage(store); events.length > 0; events = await this.#nextPage(store)) {
      for (const event of events) {
        const { step } = event.data as { step?: string }
        if (event.type === 'step.started' && step !== undefined) open.add(step)
        if ((event.type === 'step.ended' || event.type === 'step.lost') && step !== undefined) await add(step)
        if (event.type === 'run.paused') for (const cut of [...open]) await add(cut)
        lines.push(...this.#fold(event))
      }
    }
    for (const step of [...open]) await add(step)
    for (const directory of this.#directories)
      replace(join(directory, LOG_FILE), lines.map(line => `${JSON.stringify(line)}\n`).join(''))
    this.#write()
  }

  /** Takes events written to the run since. */
  async catchUp(store: EventStore): Promise<void> {
    for (let events = await this.#nextPage(store); events.length > 0; events = await this.#nextPage(store))
      for (const event of events) this.addEvent(event)
  }

  /** Takes events of the run, in order; a repeated one changes nothing. */
  addEvent(event: StoredEvent): void {
    if (event.version <= this.#version) return
    const before = this.#work?.history.length
    const lines = this.#fold(event)
    if (this.#work && (this.#work.history.length !== before || event.type === 'step.spawned')) this.#write()
    this.#append(lines)
  }

  activity(activity: Activity): void {
    this.#append([activityLine(activity)])
  }

  #fold(event: StoredEvent): object[] {
    this.#version = event.version
    const before = this.#work?.state
    if (event.type === 'run.created') {
      this.#createdAt = event.at
      this.#work = oneshotWorkflow.begin(event.data as EventData<'run.created'>, { id: this.#id, at: event.at })
    } else if (this.#work) this.#work = oneshotWorkflow.evolve(this.#work, event)
    const to = this.#work?.state
    return before === undefined || before === to
      ? []
      : [{ ts: seconds(event.at), type: 'state_change', from: before, to }]
  }

  #nextPage(store: EventStore): Promise<StoredEvent[]> {
    return store.readStream(runStream(this.#id), { fromVersion: this.#version + 1, limit: PAGE })
  }

  #write(): void {
    const work = this.#work
    if (!work) return
    const last = work.history.at(-1)!.ts * 1000
    const state = {
      oneshot_id: this.#id,
      state: work.state,
      iteration_count: work.iteration,
      max_iterations: work.input.maxIterations,
      created_at: new Date(this.#createdAt).toISOString(),
      updated_at: new Date(last).toISOString(),
      history: work.history.map(({ state: name, ts, ...entry }) => ({ state: name, ts: seconds(ts * 1000), ...entry })),
    }
    for (const directory of this.#directories)
      replace(join(directory, STATE_FILE), `${JSON.stringify(state, null, 2)}\n`)
  }

  #append(lines: readonly object[]): void {
    if (lines.length === 0) return
    const text = lines.map(line => `${JSON.stringify(line)}\n`).join('')
    for (const directory of this.#directories) appendFileSync(join(directory, LOG_FILE), text, { mode: 0o600 })
  }
}

/** Atomic: a reader never sees a partial file. */
function replace(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

function activityLine({ agent, at, step: _step, ...data }: Activity): object {
  return { ts: seconds(at), type: 'activity', executor: agent, data }
}

function seconds(ms: number): number {
  return Math.round(ms) / 1000
}
