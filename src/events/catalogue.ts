import type { z } from 'zod'
import { SignalboxError } from '../errors/index.js'

/**
 * What one type of event carries. Schemas check and never change: no defaults, no transforms. So what was written is what is read,
 * and fields that a newer version added survive.
 */
export interface EventDefinition<Schema extends z.ZodObject = z.ZodObject> {
  /** One line for the generated reference. */
  description: string
  data: Schema
}

export type EventDefinitions = Readonly<Record<string, EventDefinition>>

/** The data of an event of this catalogue. */
export type DataOf<D extends EventDefinitions, T extends keyof D> = z.output<D[T]['data']>

/** The parts of a stored event that matter here; `store/` has the rest. */
export interface AnyEvent {
  type: string
  data: Record<string, unknown>
}

/**
 * How an event reads to this version of the program. A log outlives programs, so a reader meets types it does not know yet and data
 * that do not fit any more; both come back as they are, and it is for the reader to pass over them.
 */
export type Reading<Known, E extends AnyEvent> =
  | { status: 'known'; event: Known }
  | { status: 'unknown'; event: E }
  | { status: 'misfit'; event: E; problem: string }

export interface EventTypeInfo {
  type: string
  description: string
}

const EVENT_TYPE = /^[a-z]+(\.[a-z]+(-[a-z]+)*)+$/

/** Declares event types: `{ 'room.happened': { description, data: z.object({…}) } }`. */
export function defineEvents<const D extends EventDefinitions>(definitions: D): D {
  for (const [type, { description }] of Object.entries(definitions)) {
    if (!EVENT_TYPE.test(type)) throw new SignalboxError('E_INTERNAL', `'${type}' is not a name for an event.`)
    if (!description || description.includes('\n'))
      throw new SignalboxError('E_INTERNAL', `${type} needs a description of one line.`)
  }
  return definitions
}

/** What is wrong with the data, as one line, or null. */
export function findMisfit(definition: EventDefinition, data: unknown): string | null {
  const result = definition.data.safeParse(data)
  if (result.success) return null
  return result.error.issues.map(issue => `${issue.path.join('.') || 'data'}: ${issue.message}`).join('; ')
}
