import { isAbsolute } from 'node:path'
import { type Clock, matchingIds, newId, type Timer } from '../clock/index.js'
import { SignalboxError } from '../errors/index.js'
import { type EventData, type NewEvent, newEvent } from '../events/index.js'
import { type EventStore, isVersionConflict, type Subscription } from '../store/index.js'
import { nextTime, parseCron } from './cron.js'
import { type ScheduleRecord, scheduleStream, schedulesProjection } from './schedule-record.js'

/**
 * What may be scheduled: commands that start work. None of them decides a request, and none runs a
 * program of its own choice.
 */
const SCHEDULED_COMMANDS = ['oneshot', 'run', 'implement', 'review', 'start', 'send'] as const

/**
 * The wall clock may jump, and the machine may sleep, so due schedules are checked at least this
 * often.
 */
const CHECK_MS = 60_000

type Actor = EventData<'schedule.added'>['by']

/** Starts the command of a schedule. @throws if it started nothing */
export type Launch = (schedule: ScheduleRecord) => Promise<{ run?: string; session?: string }>

interface SchedulesOptions {
  store: EventStore
  clock: Clock
  /** Only schedules of this home directory fire here. */
  home: string
  launch: Launch
  onError(error: unknown): void
}

/**
 * The schedules of a home directory, in its store. Each time starts its command once: the event is
 * written before the start, and of several daemons one can write it. For times that were missed
 * because no daemon ran, the next daemon starts the command once.
 */
export class Schedules {
  readonly #options: SchedulesOptions
  #timer: Timer | null = null
  #following: Subscription | null = null
  #isClosed = false
  #checking: Promise<void> = Promise.resolve()

  constructor(options: SchedulesOptions) {
    this.#options = options
  }

  async start(): Promise<void> {
    const { store, onError } = this.#options
    const types = ['schedule.added', 'schedule.resumed', 'schedule.removed']
    const after = await store.head()
    this.#following = store.subscribe({ after, types, onError }, () => this.#checkDue())
    this.#checkDue()
    await this.#checking
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#timer?.cancel()
    this.#following?.close()
    await this.#checking
  }

  /** Newest first. */
  async list(): Promise<ScheduleRecord[]> {
    const documents = await this.#options.store.documents<ScheduleRecord>(schedulesProjection.name)
    return documents.map(({ state }) => state).sort((a, b) => b.madeAt - a.madeAt)
  }

  /** By id or by a unique prefix of it. @throws SignalboxError `E_UNKNOWN`, `E_ID_AMBIGUOUS` */
  async find(word: string): Promise<ScheduleRecord> {
    const found = matchingIds('sch', await this.list(), word)
    if (found.length === 1) return found[0]!
    if (found.length === 0)
      throw new SignalboxError('E_UNKNOWN', `unknown schedule "${word}"`, { next: 'signalbox schedule lists them' })
    throw new SignalboxError('E_ID_AMBIGUOUS', `"${word}" matches ${found.map(({ id }) => id).join(', ')}`)
  }

  /** @throws SignalboxError `E_INPUT` */
  async add(given: Omit<EventData<'schedule.added'>, 'home'>): Promise<ScheduleRecord> {
    parseCron(given.cron)
    const [command = ''] = given.command
    if (!(SCHEDULED_COMMANDS as readonly string[]).includes(command))
      throw new SignalboxError('E_INPUT', `"${command}" cannot be scheduled`, {
        next: `one of: ${SCHEDULED_COMMANDS.join(', ')}`,
      })
    if (!isAbsolute(given.directory))
      throw new SignalboxError('E_INPUT', `"${given.directory}" is not an absolute path`)
    const id = newId('sch')
    const { store, home } = this.#options
    await store.append(scheduleStream(id), 0, [newEvent('schedule.added', { ...given, home })])
    return this.find(id)
  }

  async remove(record: ScheduleRecord, by: Actor): Promise<void> {
    await this.#write(record, newEvent('schedule.removed', { by }))
  }

  async setPaused(record: ScheduleRecord, isPaused: boolean, by: Actor): Promise<ScheduleRecord> {
    if (record.isPaused !== isPaused)
      await this.#write(record, isPaused ? newEvent('schedule.paused', { by }) : newEvent('schedule.resumed', { by }))
    return this.find(record.id)
  }

  /** Starts it now, apart from its times. */
  async startNow(record: ScheduleRecord, by: Actor): Promise<ScheduleRecord> {
    await this.#fire(record, { dueAt: this.#options.clock.now(), by })
    return this.find(record.id)
  }

  /** When it fires next; null while it is paused. */
  nextAt({ cron, isPaused, doneUntil }: ScheduleRecord): number | null {
    return isPaused ? null : nextTime(parseCron(cron), doneUntil)
  }

  isHere({ home }: ScheduleRecord): boolean {
    return home === this.#options.home
  }

  #checkDue(): void {
    this.#checking = this.#checking.then(() => this.#fireDue()).catch(this.#options.onError)
  }

  async #fireDue(): Promise<void> {
    if (this.#isClosed) return
    const { clock, onError } = this.#options
    this.#timer?.cancel()
    const own = (await this.list()).filter(record => this.isHere(record))
    for (const record of own) {
      const dueAt = this.nextAt(record)
      // A start may take long, and the next one does not wait for it.
      if (dueAt !== null && dueAt <= clock.now()) void this.#fire(record, { dueAt }).catch(onError)
    }
    const times = own.map(record => this.nextAt(record)).filter(at => at !== null)
    const waitMs = Math.max(0, Math.min(CHECK_MS, ...times.map(at => at - clock.now())))
    // Its own start may not be written yet: a time that is due is not looked at again at once.
    this.#timer = clock.setTimer(Math.max(waitMs, 1_000), () => this.#checkDue())
  }

  async #fire(record: ScheduleRecord, fired: EventData<'schedule.fired'>): Promise<void> {
    const { launch } = this.#options
    if (!(await this.#write(record, newEvent('schedule.fired', fired)))) return
    const { dueAt } = fired
    try {
      await this.#append(record.id, newEvent('schedule.started', { dueAt, ...(await launch(record)) }))
    } catch (error) {
      await this.#append(record.id, newEvent('schedule.failed', { dueAt, problem: (error as Error).message }))
    }
  }

  /** @returns false if the schedule changed meanwhile, or another daemon was first. */
  async #write({ id, version }: ScheduleRecord, event: NewEvent): Promise<boolean> {
    try {
      await this.#options.store.append(scheduleStream(id), version, [event])
      return true
    } catch (error) {
      if (isVersionConflict(error)) return false
      throw error
    }
  }

  async #append(id: string, event: NewEvent): Promise<void> {
    await this.#options.store.append(scheduleStream(id), 'any', [event])
  }
}
