import { z } from 'zod'
import { defineEvents } from './catalogue.js'

/** What a person let a project run, in streams `project/<hash of its path>`. */
export const trustEvents = defineEvents({
  'project.trusted': {
    description: 'A person let files of a project be run as they were then.',
    data: z.object({
      path: z.string(),
      commonDirectory: z.string().nullable(),
      by: z.string(),
      /** How they said so: asked at a terminal or on a page, or by naming the hash. */
      how: z.enum(['asked', 'hash']),
      hash: z.string(),
      files: z.record(z.string(), z.string()),
    }),
  },
  'project.distrusted': {
    description: 'Nothing of a project is run unasked any more.',
    data: z.object({ path: z.string(), by: z.string() }),
  },
})
