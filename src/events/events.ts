import { SignalboxError } from '../errors/index.js'
import { accessEvents } from './access-events.js'
import { approvalEvents } from './approval-events.js'
import { type DataOf, type EventDefinition, type EventReading, findDataProblem } from './catalogue.js'
import { grantEvents } from './grant-events.js'
import { graphEvents } from './graph-events.js'
import { hostEvents } from './host-events.js'
import { pipelineEvents } from './pipeline-events.js'
import { runEvents } from './run-events.js'
import { scheduleEvents } from './schedule-events.js'
import { serverEvents } from './server-events.js'
import { sessionEvents } from './session-events.js'
import type { NewEvent, StoredEvent } from './stored-event.js'
import { telegramEvents } from './telegram-events.js'
import { trustEvents } from './trust-events.js'
import { webhookEvents } from './webhook-events.js'
import { workerEvents } from './worker-events.js'

/** Every type of event, by subject, with the streams that hold them. */
export const EVENT_GROUPS = [
  { title: 'Sessions', streams: 'In streams `session/<id>`.', types: sessionEvents },
  { title: 'Approvals', streams: 'In streams `approval/<id>`.', types: approvalEvents },
  {
    title: 'Grants',
    streams: 'In streams `grant/<id>`; pausing and resuming all of them in `grant/all`.',
    types: grantEvents,
  },
  { title: 'Webhooks', streams: 'In streams `webhook/<name>`.', types: webhookEvents },
  { title: 'The host', streams: 'In the stream `host`, or in the stream of their subject.', types: hostEvents },
  {
    title: 'Logins',
    streams: 'In the stream `host`. Failed logins are counted and logged, but not stored.',
    types: accessEvents,
  },
  { title: 'Runs', streams: 'In streams `run/<id>`. The state of a run is computed from them.', types: runEvents },
  { title: 'Graphs', streams: 'In streams `run/<id>`, in addition to the events of every run.', types: graphEvents },
  {
    title: 'Pipelines',
    streams: 'In streams `run/<id>`, in addition to the events of every graph.',
    types: pipelineEvents,
  },
  { title: 'Schedules', streams: 'In streams `schedule/<id>`.', types: scheduleEvents },
  { title: 'Telegram', streams: 'In streams `telegram/…`. None of them decides anything.', types: telegramEvents },
  {
    title: 'Workers',
    streams: 'In streams `worker/<id>`; invitations in `invite/<hash of the token>`.',
    types: workerEvents,
  },
  { title: 'Servers', streams: 'In streams `server/<id>` of a shared store.', types: serverEvents },
  { title: 'Trust', streams: 'In streams `project/<hash of its path>`.', types: trustEvents },
] as const

type Merged<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never
type Catalogue = Merged<(typeof EVENT_GROUPS)[number]['types']>

const CATALOGUE = Object.assign({}, ...EVENT_GROUPS.map(({ types }) => types)) as Catalogue

export type EventType = keyof Catalogue
export type EventData<T extends EventType> = DataOf<Catalogue, T>

/** A stored event whose data fit its schema: `EventOf<'session.started'>`. */
export type EventOf<T extends EventType> = {
  [K in T]: Omit<StoredEvent, 'type' | 'data'> & { type: K; data: EventData<K> }
}[T]
export type KnownEvent = EventOf<EventType>

/** An event to append, checked by the compiler. */
export function newEvent<T extends EventType>(type: T, data: EventData<T>, at?: number): NewEvent {
  return at === undefined ? { type, data } : { type, data, at }
}

/**
 * Never throws: an event of an unknown type, or with data that do not fit, is returned unchanged.
 */
export function parseEvent(stored: StoredEvent): EventReading<KnownEvent, StoredEvent> {
  const definition = definitionOf(stored.type)
  if (!definition) return { status: 'unknown', event: stored }
  const problem = findDataProblem(definition, stored.data)
  if (problem) return { status: 'misfit', event: stored, problem }
  return { status: 'known', event: stored as unknown as KnownEvent }
}

/** Whether the event is of this type and its data fit. Projections use it. */
export function isEvent<T extends EventType, S extends Omit<StoredEvent, 'position'>>(
  stored: S,
  type: T,
): stored is S & Omit<EventOf<T>, 'position'> {
  return stored.type === type && findDataProblem(CATALOGUE[type], stored.data) === null
}

/** For the store's `validate`: rejects events that readers could not parse. */
export function validateEvent(type: string, data: Record<string, unknown>): void {
  const definition = definitionOf(type)
  const problem = definition ? findDataProblem(definition, data) : 'the catalogue has no such type'
  if (problem)
    throw new SignalboxError('E_EVENT', `the event ${type} cannot be written: ${problem}`, { details: { type } })
}

function definitionOf(type: string): EventDefinition | undefined {
  return Object.hasOwn(CATALOGUE, type) ? CATALOGUE[type as EventType] : undefined
}

export function eventSchema<T extends EventType>(type: T): Catalogue[T]['data'] {
  return CATALOGUE[type].data
}
