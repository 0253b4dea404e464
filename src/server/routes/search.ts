import { z } from 'zod'
import { ENTRY_KINDS } from '../../search/index.js'
import { type Route, route } from '../route.js'
import { answer } from '../schemas/common.js'
import { searchResults } from '../schemas/search.js'

const query = z.strictObject({
  q: z.string().min(1).max(400).describe('words; "words in quotes" occur together, `word*` is a beginning'),
  kind: z.array(z.enum(ENTRY_KINDS)).default([]),
  session: z.string().max(64).optional(),
  run: z.string().max(64).optional(),
  project: z.string().max(4096).optional().describe('its directory'),
  since: z.coerce.number().int().min(0).optional().describe('milliseconds since 1970; not older than this'),
  before: z.coerce.number().int().min(1).optional().describe('`next` of the previous page'),
  limit: z.coerce.number().int().min(1).max(100).default(20),
})

export const searchRoutes: readonly Route[] = [
  route({
    id: 'search.find',
    method: 'GET',
    path: '/search',
    summary: 'Searches prompts, messages, commands, file names, requests, sessions and runs; newest first.',
    access: 'viewer',
    query,
    answers: { 200: answer('what was found', searchResults) },
    handle: async ({ parts, query: { q, kind, ...rest }, json }) => {
      await parts.search.caughtUp()
      const items = parts.search.find({ words: q, kinds: kind, ...rest })
      return json({ items, next: items.length < rest.limit ? null : (items.at(-1)?.id ?? null) })
    },
  }),
]
