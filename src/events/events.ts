import { SignalboxError } from '../errors/index.js'
import { accessEvents } from './access-events.js'
import { approvalEvents } from './approval-events.js'
import { type DataOf, type EventDefinition, type EventTypeInfo, findMisfit, type Reading } from './catalogue.js'
import { grantEvents } from './grant-events.js'
import { graphEvents } from './graph-events.js'
import { hostEvents } from './host-events.js'
import { pipelineEvents } from './pipeline-events.js'
import { runEvents } from './run-events.js'
import { sessionEvents } from './session-events.js'
import type { NewEvent, StoredEvent } from './stored-event.js'
import { telegramEvents } from './telegram-events.js'
import { trustEvents } from './trust-events.js'

/** Every event type that this version writes. A room that adds events adds a file here, so that one page lists them all. */
const CATALOGUE = {
  ...sessionEvents,
  ...approvalEvents,
  ...grantEvents,
  ...hostEvents,
  ...accessEvents,
  ...runEvents,
  ...graphEvents,
  ...telegramEvents,
  ...pipelineEvents,
  ...trustEvents,
}

export type EventType = keyof typeof CATALOGUE
export type EventData<T extends EventType> = DataOf<typeof CATALOGUE, T>

/** A stored event whose data are known to fit: `EventOf<'session.started'>`. */
export type EventOf<T extends EventType> = {
  [K in T]: Omit<StoredEvent, 'type' | 'data'> & { type: K; data: EventData<K> }
}[T]
export type KnownEvent = EventOf<EventType>

/** An event to append, checked by the compiler. */
export function newEvent<T extends EventType>(type: T, data: EventData<T>, at?: number): NewEvent {
  return at === undefined ? { type, data } : { type, data, at }
}

/** Never throws: what this version does not know, or cannot make sense of, comes back as it is. */
export function parseEvent(stored: StoredEvent): Reading<KnownEvent, StoredEvent> {
  const definition = definitionOf(stored.type)
  if (!definition) return { status: 'unknown', event: stored }
  const problem = findMisfit(definition, stored.data)
  if (problem) return { status: 'misfit', event: stored, problem }
  return { status: 'known', event: stored as unknown as KnownEvent }
}

/** True when the event is of this type and its data fit: the way a projection asks. */
export function isEvent<T extends EventType>(stored: StoredEvent, type: T): stored is EventOf<T> & StoredEvent {
  return stored.type === type && findMisfit(CATALOGUE[type], stored.data) === null
}

/** For the store's `validate`: refuses what readers could not make sense of. */
export function validateEvent(type: string, data: Record<string, unknown>): void {
  const definition = definitionOf(type)
  const problem = definition ? findMisfit(definition, data) : 'the catalogue has no such type'
  if (problem)
    throw new SignalboxError('E_EVENT', `The event ${type} cannot be written: ${problem}.`, { details: { type } })
}

export function listEventTypes(): EventTypeInfo[] {
  return Object.entries(CATALOGUE).map(([type, { description }]) => ({ type, description }))
}

function definitionOf(type: string): EventDefinition | undefined {
  return Object.hasOwn(CATALOGUE, type) ? CATALOGUE[type as EventType] : undefined
}

/** The data of one type of event, for those who describe them to others. */
export function eventSchema<T extends EventType>(type: T): (typeof CATALOGUE)[T]['data'] {
  return CATALOGUE[type].data
}
