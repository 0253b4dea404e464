import { readSegment, segmentPath } from '../activity/index.js'
import { type ApprovalRecord, approvalsProjection, isOpen } from '../approvals/index.js'
import { delay } from '../clock/index.js'
import { getRun, isEnded, LOST_WORKER_GATE, RunDrivers, type RunRecord, runStream } from '../engine/index.js'
import { SignalboxError } from '../errors/index.js'
import { isEvent } from '../events/index.js'
import type { EventStore, StoredEvent } from '../store/index.js'
import type { RunListener } from './drive-run.js'
import { runDirectory } from './run-directory.js'
import type { StartContext } from './start-context.js'

export interface FollowOptions {
  /** Only this step. */
  step: string | null
  /**
   * Continues until the run ends or is paused, its driver dies, or the signal aborts; else reports
   * what there is.
   */
  isFollowing: boolean
  /** Reports nothing before its last resumption. */
  isResumed?: boolean
  /** Ends when the run only waits for a person: none is here to answer. */
  endsAtGates?: boolean
  signal: AbortSignal
}

type FollowListener = Pick<RunListener, 'event' | 'activity' | 'asks'>

/** How often the store and the activities of open steps are read. */
const POLL_MS = 200

/**
 * Reports what happened in a run and, with `isFollowing`, what happens, whichever process drives
 * it.
 * @throws SignalboxError `E_UNKNOWN` for a step that the run does not have.
 */
export async function followRun(
  { store, home, clock }: Pick<StartContext, 'store' | 'home' | 'clock'>,
  record: RunRecord,
  listener: FollowListener,
  { step, isFollowing, isResumed = false, endsAtGates = false, signal }: FollowOptions,
): Promise<RunRecord> {
  const filter = new StepFilter(listener, step)
  const activities = new StepActivities(runDirectory(home.settings.dataDirectory, record.id), filter)
  const drivers = new RunDrivers(store, clock)
  const requests = new AgentRequests(store, record.id)
  let version = isResumed ? await versionBefore(store, record.id) : 0
  const readEvents = async () => {
    for (const event of await store.readStream(runStream(record.id), { fromVersion: version + 1 })) {
      version = event.version
      requests.addEvent(event)
      await activities.before(event)
      filter.event(event)
    }
  }
  for (;;) {
    await readEvents()
    const current = await getRun(store, record.id)
    await activities.read()
    if (isFollowing) for (const request of await requests.open()) listener.asks?.(request)
    const isOver =
      isEnded(current.status) ||
      current.status === 'paused' ||
      (endsAtGates && waitsForPerson(current)) ||
      (await drivers.isUndriven(current))
    if (isFollowing && isOver) await readEvents()
    if (isFollowing && !isOver && !signal.aborted) {
      await delay(clock, POLL_MS)
      continue
    }
    if (step === null || filter.hasStep) return current
    throw new SignalboxError('E_UNKNOWN', `run ${record.id} has no step "${step}"`, {
      next: `signalbox show ${record.id} lists them`,
    })
  }
}

const RESUMING: ReadonlySet<string> = new Set(['gate.answered', 'run.resumed', 'run.taken-over'])

/** Of the events that made the run continue last, the version before the first. */
async function versionBefore(store: EventStore, run: string): Promise<number> {
  const events = await store.readStream(runStream(run))
  const last = events.findLastIndex(({ type }) => RESUMING.has(type))
  if (last < 0) return 0
  return events.slice(0, last).findLast(({ type }) => !RESUMING.has(type))?.version ?? 0
}

/** A gate with a default answers itself after a time; only a person knows about lost files. */
function waitsForPerson({ status, gates, wakeAt }: RunRecord): boolean {
  const isWaiting = status === 'waiting' && Object.keys(gates).length > 0
  return isWaiting && (wakeAt === null || LOST_WORKER_GATE in gates)
}

/**
 * The requests of the run's agents: those of its sessions name the session, those of agents without
 * a terminal name the run. Gates are events of the run itself.
 */
class AgentRequests {
  readonly #store: EventStore
  readonly #run: string
  readonly #sessions = new Set<string>()
  #position: number | null = null

  constructor(store: EventStore, run: string) {
    this.#store = store
    this.#run = run
  }

  addEvent(event: StoredEvent): void {
    this.#position ??= event.position
    if (isEvent(event, 'step.spawned') && event.data.session !== undefined) this.#sessions.add(event.data.session)
  }

  /** Those that were made since the last call and still wait. */
  async open(): Promise<ApprovalRecord[]> {
    if (this.#position === null) return []
    const made = await this.#store.readAll({ after: this.#position, limit: PAGE, types: ['approval.requested'] })
    const found: ApprovalRecord[] = []
    for (const { stream, position } of made) {
      this.#position = position
      const id = stream.slice('approval/'.length)
      const request = (await this.#store.document<ApprovalRecord>(approvalsProjection.name, id))?.state
      if (request && isOpen(request) && this.#isOurs(request)) found.push(request)
    }
    return found
  }

  #isOurs({ source, subject }: ApprovalRecord): boolean {
    if (subject.session !== undefined) return this.#sessions.has(subject.session)
    return subject.run === this.#run && source.channel !== 'run'
  }
}

const PAGE = 200

/** Passes on what belongs to the wanted step; everything if none is named. */
class StepFilter {
  readonly #listener: Pick<RunListener, 'event' | 'activity'>
  readonly #wanted: string | null
  hasStep = false

  constructor(listener: Pick<RunListener, 'event' | 'activity'>, wanted: string | null) {
    this.#listener = listener
    this.#wanted = wanted
  }

  event(event: StoredEvent): void {
    if (this.#isWanted((event.data as { step?: string }).step)) this.#listener.event(event)
  }

  activity(step: string, ...[activity]: Parameters<RunListener['activity']>): void {
    if (this.#isWanted(step)) this.#listener.activity(activity)
  }

  #isWanted(step: string | undefined): boolean {
    const isPassed = this.#wanted === null || step === this.#wanted
    if (isPassed && step !== undefined) this.hasStep = true
    return isPassed
  }
}

/** Each step has a file of activities; those of open steps are read as they grow. */
class StepActivities {
  readonly #directory: string
  readonly #filter: StepFilter
  readonly #lastSeq = new Map<string, number>()

  constructor(directory: string, filter: StepFilter) {
    this.#directory = directory
    this.#filter = filter
  }

  /** The activities of a step come before the event of its end. */
  async before(event: StoredEvent): Promise<void> {
    const { step } = event.data as { step?: string }
    if (event.type === 'step.started' && step !== undefined) this.#lastSeq.set(step, 0)
    if ((event.type === 'step.ended' || event.type === 'step.lost') && step !== undefined) await this.#readStep(step)
    if (event.type === 'run.paused') await this.read()
  }

  async read(): Promise<void> {
    for (const step of this.#lastSeq.keys()) await this.#readStep(step)
  }

  async #readStep(step: string): Promise<void> {
    let last = this.#lastSeq.get(step) ?? 0
    for await (const activity of readSegment(segmentPath(this.#directory, step))) {
      if (activity.seq <= last) continue
      last = activity.seq
      this.#filter.activity(step, activity)
    }
    this.#lastSeq.set(step, last)
  }
}
