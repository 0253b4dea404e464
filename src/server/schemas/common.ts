import { z } from 'zod'

/** What comes back: JSON of a schema, or another media type. */
export interface Answer {
  description: string
  schema?: z.ZodType
  /** Other media types than JSON that it may have. */
  media?: string | readonly string[]
}

/** A moment: milliseconds inside the program, RFC 3339 over HTTP (`wire/time-fields.ts`). */
export const moment = z.iso.datetime().describe('RFC 3339, UTC, milliseconds')

export const position = z.string().describe('position in the log; a stream resumes from it')

export const role = z.enum(['viewer', 'approver', 'owner'])

export const listQuery = {
  limit: z.coerce.number().int().min(1).max(200).optional().describe('maximum number of items (default 50)'),
  cursor: z.string().max(200).optional().describe('`next` of the previous page'),
}

export const apiError = z.object({
  code: z.string(),
  message: z.string().describe('one sentence for a person'),
  next: z.string().describe('what to do'),
  place: z.object({ file: z.string(), line: z.int().optional(), column: z.int().optional() }).optional(),
  fields: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  first: z
    .object({
      state: z.string(),
      by: z.string().optional(),
      surface: z.string().optional(),
      option: z.string().nullable().optional(),
      at: moment.optional(),
    })
    .optional()
    .describe('the decision that was made first'),
  details: z.record(z.string(), z.unknown()).optional(),
  requestId: z.string(),
})

export const errorAnswer = z.object({ error: apiError })

export const ok = z.object({ ok: z.literal(true) })

export const okAnswer = answer('done', ok)

export function page<S extends z.ZodType>(item: S) {
  return z.object({ items: z.array(item), next: z.string().nullable(), position })
}

export function answer<S extends z.ZodType>(description: string, schema: S): { description: string; schema: S } {
  return { description, schema }
}

export function listAnswer<S extends z.ZodType>(item: S) {
  return answer('a page', page(item))
}
