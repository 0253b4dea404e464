import { z } from 'zod'
import { moment } from './common.js'

export const searchResult = z
  .object({
    id: z.int(),
    kind: z.enum(['prompt', 'message', 'request', 'session', 'run']),
    session: z.string().nullable(),
    run: z.string().nullable(),
    approval: z.string().nullable().describe('the request, if it is one'),
    project: z.string().nullable(),
    at: moment,
    title: z.string(),
    excerpt: z.string().describe('the text around the first word that was found'),
  })
  .meta({ id: 'SearchResult' })

export const searchResults = z.object({
  items: z.array(searchResult),
  next: z.int().nullable().describe('`before` of the next page'),
})
