import { type EventData, isEvent } from '../events/index.js'
import type { ProjectedEvent, Projection } from '../store/index.js'

export interface ScheduleRecord extends EventData<'schedule.added'> {
  id: string
  version: number
  madeAt: number
  isPaused: boolean
  /**
   * Times up to this one are done: they fired, or passed before the schedule was added or during a
   * pause.
   */
  doneUntil: number
  last?: ScheduleResult
}

interface ScheduleResult {
  dueAt: number
  /** If it stays `starting`, the daemon stopped during the start. */
  outcome: 'starting' | 'started' | 'failed'
  run?: string | undefined
  session?: string | undefined
  problem?: string
}

const PREFIX = 'schedule/'

export const scheduleStream = (id: string) => `${PREFIX}${id}`

const idOf = ({ stream }: ProjectedEvent) => stream.slice(PREFIX.length)

export const schedulesProjection: Projection<ScheduleRecord> = {
  name: 'schedules',
  version: 1,
  types: [
    'schedule.added',
    'schedule.fired',
    'schedule.started',
    'schedule.failed',
    'schedule.paused',
    'schedule.resumed',
    'schedule.removed',
  ],
  key: idOf,
  evolve: (known, event) => {
    const next = evolve(known, event)
    return next && { ...next, version: event.version }
  },
}

function evolve(known: ScheduleRecord | null, event: ProjectedEvent): ScheduleRecord | null {
  const { at, version } = event
  if (isEvent(event, 'schedule.added'))
    return { ...event.data, id: idOf(event), version, madeAt: at, isPaused: false, doneUntil: at }
  if (!known || isEvent(event, 'schedule.removed')) return null
  if (isEvent(event, 'schedule.fired')) {
    const { dueAt, by } = event.data
    // A start by hand leaves the times of the schedule as they are.
    return { ...known, doneUntil: by ? known.doneUntil : at, last: { dueAt, outcome: 'starting' } }
  }
  if (isEvent(event, 'schedule.started')) return { ...known, last: { ...event.data, outcome: 'started' } }
  if (isEvent(event, 'schedule.failed')) return { ...known, last: { ...event.data, outcome: 'failed' } }
  if (isEvent(event, 'schedule.paused')) return { ...known, isPaused: true }
  if (isEvent(event, 'schedule.resumed')) return { ...known, isPaused: false, doneUntil: at }
  return known
}
