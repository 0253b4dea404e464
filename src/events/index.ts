export { defineEvents, type EventDefinition, type EventTypeInfo, type Reading } from './catalogue.js'
export {
  type EventData,
  type EventOf,
  type EventType,
  eventSchema,
  isEvent,
  type KnownEvent,
  listEventTypes,
  newEvent,
  parseEvent,
  validateEvent,
} from './events.js'
export type { NewEvent, StoredEvent } from './stored-event.js'
