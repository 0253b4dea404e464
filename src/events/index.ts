export { defineEvents, type EventDefinition, type Reading } from './catalogue.js'
export {
  EVENT_GROUPS,
  type EventData,
  type EventOf,
  type EventType,
  eventSchema,
  isEvent,
  type KnownEvent,
  newEvent,
  parseEvent,
  validateEvent,
} from './events.js'
export type { NewEvent, StoredEvent } from './stored-event.js'
