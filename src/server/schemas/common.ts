import { z } from 'zod'
import type { Answer } from '../route.js'

/** A moment: milliseconds inside, RFC 3339 over HTTP (`wire/time-fields.ts`). */
export const moment = z.iso.datetime().describe('RFC 3339, UTC, milliseconds')

export const position = z.string().describe('where the log stands: a stream resumes from it')

export const listQuery = {
  limit: z.coerce.number().int().min(1).max(200).optional().describe('at most so many (50)'),
  cursor: z.string().max(200).optional().describe('`next` of the page before'),
}

export const errorAnswer = z.object({
  error: z.object({
    code: z.string(),
    message: z.string().describe('one sentence for a person'),
    next: z.string().describe('what to do'),
    place: z.object({ file: z.string(), line: z.int().optional(), column: z.int().optional() }).optional(),
    fields: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    first: z.record(z.string(), z.unknown()).optional().describe('of a decision that was faster'),
    details: z.record(z.string(), z.unknown()).optional(),
    requestId: z.string(),
  }),
})

export const okAnswer: Answer = { description: 'done', schema: z.object({ ok: z.literal(true) }) }

export function answer(description: string, schema: z.ZodType): Answer {
  return { description, schema }
}

export function listAnswer(item: z.ZodType): Answer {
  return {
    description: 'a page',
    schema: z.object({ items: z.array(item), next: z.string().nullable(), position }),
  }
}
