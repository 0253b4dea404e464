import { z } from 'zod'
import { defineEvents } from './catalogue.js'

export const trustEvents = defineEvents({
  'project.trusted': {
    description: 'A person allowed files of a project, with these hashes, to be run.',
    data: z.object({
      path: z.string(),
      commonDirectory: z.string().nullable(),
      by: z.string(),
      /** How they agreed: when asked on a surface, or by naming the hash. */
      how: z.enum(['asked', 'hash']),
      hash: z.string(),
      files: z.record(z.string(), z.string()),
    }),
  },
  'project.distrusted': {
    description: 'The trust in a project was revoked.',
    data: z.object({ path: z.string(), by: z.string() }),
  },
})
