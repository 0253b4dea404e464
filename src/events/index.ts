/*
 * The types of all events in the log, by topic: <topic>-events.ts. An event is a sentence about
 * what happened and a zod schema of its data. `newEvent` creates one, `isEvent` narrows a stored
 * one.
 *
 * To add an event: an entry in the file of its topic. Shipped events only ever gain optional
 * fields, because stores keep them forever.
 *
 * checkpoint-file.ts: the state of a graph run after a node, as a file.
 */

export { defineEvents } from './catalogue.js'
export { checkpointFile } from './checkpoint-file.js'
export {
  EVENT_GROUPS,
  type EventData,
  type EventOf,
  type EventType,
  eventSchema,
  isEvent,
  newEvent,
  parseEvent,
  validateEvent,
} from './events.js'
export { judgedPullItem, PULL_VERDICTS, pipelineEvents } from './pipeline-events.js'
export { sessionSandbox } from './session-events.js'
export type { NewEvent, StoredEvent } from './stored-event.js'
