import type { z } from 'zod'
import { SignalboxError } from '../errors/index.js'

/**
 * The data of one type of event. Schemas only check: they have no defaults and no transforms, so
 * that readers get what was written, with fields that a newer version added.
 */
export interface EventDefinition<Schema extends z.ZodObject = z.ZodObject> {
  /** One line for the generated reference. */
  description: string
  data: Schema
}

export type EventDefinitions = Readonly<Record<string, EventDefinition>>

export type DataOf<D extends EventDefinitions, T extends keyof D> = z.output<D[T]['data']>

/** The part of a stored event that the catalogue needs. */
interface AnyEvent {
  type: string
  data: Record<string, unknown>
}

/**
 * An event as this version of the program reads it. A log outlives programs: a reader meets types
 * that a newer version wrote, and data that no longer fit. Both are returned unchanged, and the
 * reader skips them.
 */
export type EventReading<Known, E extends AnyEvent> =
  | { status: 'known'; event: Known }
  | { status: 'unknown'; event: E }
  | { status: 'misfit'; event: E; problem: string }

const EVENT_TYPE = /^[a-z]+(\.[a-z]+(-[a-z]+)*)+$/

/** Declares event types: `{ 'room.happened': { description, data: z.object({…}) } }`. */
export function defineEvents<const D extends EventDefinitions>(definitions: D): D {
  for (const [type, { description }] of Object.entries(definitions)) {
    if (!EVENT_TYPE.test(type)) throw new SignalboxError('E_INTERNAL', `'${type}' is not a valid event name`)
    if (!description || description.includes('\n'))
      throw new SignalboxError('E_INTERNAL', `${type} needs a description of one line`)
  }
  return definitions
}

/** What is wrong with the data, as one line, or null. */
export function findDataProblem(definition: EventDefinition, data: unknown): string | null {
  const result = definition.data.safeParse(data)
  if (result.success) return null
  return result.error.issues.map(issue => `${issue.path.join('.') || 'data'}: ${issue.message}`).join('; ')
}
