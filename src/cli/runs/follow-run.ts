import { type Activity, readSegment, segmentPath } from '../../activity/index.js'
import { delay, systemClock } from '../../clock/index.js'
import { getRun, isEnded, type RunRecord } from '../../engine/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { Home } from '../../host/home/index.js'
import { isPipelineRun } from '../../pipelines/index.js'
import { runDirectory } from '../../runs/index.js'
import type { EventStore, StoredEvent } from '../../store/index.js'
import type { CommandContext } from '../context.js'
import { PipelineProgress } from '../pipelines/pipeline-progress.js'
import { onInterrupt } from './drive-here.js'
import { GraphProgress } from './graph-progress.js'
import { OneshotProgress } from './oneshot-progress.js'

export interface FollowOptions {
  /** Only this step. */
  step: string | null
  /** Goes on with what comes, until the run ends or rests. */
  isFollowing: boolean
  isJson: boolean
}

/** How often the activities of a step that goes on in another process are looked at. */
const LOOK_MS = 200

/** Prints what happened in a run, and with `isFollowing` what happens, whoever drives it. ctrl-C only stops the looking. */
export async function followRun(
  context: CommandContext,
  store: EventStore,
  home: Home,
  record: RunRecord,
  options: FollowOptions,
): Promise<RunRecord> {
  const printer = new Printer(context, isPipelineRun(record) ? 'pipeline' : record.kind, options)
  const segments = new Segments(runDirectory(home.settings.dataDirectory, record.id), printer)
  let version = 0
  let isLeaving = false
  const restore = onInterrupt(async () => {
    isLeaving = true
    context.note(`run ${record.id} goes on; signalbox cancel ${record.id} ends it`)
  })
  const readEvents = async () => {
    const events = await store.readStream(`run/${record.id}`, { fromVersion: version + 1 })
    for (const event of events) {
      version = event.version
      await segments.before(event)
      printer.event(event)
    }
  }
  try {
    for (;;) {
      await readEvents()
      const current = await getRun(store, record.id)
      await segments.read()
      if (!options.isFollowing || isLeaving) return check(current, printer, options)
      if (isEnded(current.status) || current.status === 'paused') {
        await readEvents()
        return check(current, printer, options)
      }
      await delay(systemClock, LOOK_MS)
    }
  } finally {
    restore()
  }
}

function check(record: RunRecord, { hasStep }: Printer, { step }: FollowOptions): RunRecord {
  if (step === null || hasStep) return record
  throw new SignalboxError('E_UNKNOWN', `run ${record.id} has no step "${step}"`, {
    next: `signalbox show ${record.id} lists them`,
  })
}

class Printer {
  readonly #context: CommandContext
  readonly #options: FollowOptions
  readonly #progress: OneshotProgress | GraphProgress | PipelineProgress
  hasStep = false

  constructor(context: CommandContext, kind: string, options: FollowOptions) {
    this.#context = context
    this.#options = options
    this.#progress =
      kind === 'oneshot'
        ? new OneshotProgress(context)
        : kind === 'pipeline'
          ? new PipelineProgress(context)
          : new GraphProgress(context)
  }

  event(event: StoredEvent): void {
    if (!this.#isMeant((event.data as { step?: string }).step)) return
    if (this.#options.isJson) this.#context.json(event)
    else this.#progress.event(event)
  }

  activity(step: string, activity: Activity): void {
    if (!this.#isMeant(step)) return
    if (this.#options.isJson) this.#context.json({ type: 'activity', data: activity })
    else this.#progress.activity(activity)
  }

  #isMeant(step: string | undefined): boolean {
    const { step: wanted } = this.#options
    const isMeant = wanted === null || step === wanted
    if (isMeant && step !== undefined) this.hasStep = true
    return isMeant
  }
}

/** Activities lie in a file for each step; those of steps that are open are read as they grow. */
class Segments {
  readonly #directory: string
  readonly #printer: Printer
  readonly #read = new Map<string, number>()

  constructor(directory: string, printer: Printer) {
    this.#directory = directory
    this.#printer = printer
  }

  /** What a step said comes before what came of it. */
  async before(event: StoredEvent): Promise<void> {
    const { step } = event.data as { step?: string }
    if (event.type === 'step.started' && step !== undefined) this.#read.set(step, 0)
    if ((event.type === 'step.ended' || event.type === 'step.lost') && step !== undefined) await this.#news(step)
    if (event.type === 'run.paused') await this.read()
  }

  async read(): Promise<void> {
    for (const step of this.#read.keys()) await this.#news(step)
  }

  async #news(step: string): Promise<void> {
    let seen = this.#read.get(step) ?? 0
    for await (const activity of readSegment(segmentPath(this.#directory, step))) {
      if (activity.seq <= seen) continue
      seen = activity.seq
      this.#printer.activity(step, activity)
    }
    this.#read.set(step, seen)
  }
}
