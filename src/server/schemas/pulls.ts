import { z } from 'zod'
import { judgedPullItem } from '../../events/index.js'
import { moment } from './common.js'

export const runPull = z.object({
  forge: z.enum(['github', 'gitlab']),
  number: z.int(),
  url: z.string(),
  title: z.string(),
  state: z.enum(['open', 'merged', 'closed']),
  base: z.string(),
  branch: z.string(),
  head: z.string(),
  checks: z.array(z.object({ name: z.string(), state: z.enum(['pending', 'passed', 'failed']) })),
  follow: z.enum(['no', 'green', 'merged']),
  roundLimit: z.int(),
  readAt: moment.nullable(),
  open: z.array(judgedPullItem.extend({ isSelected: z.boolean() })).describe('the items of the current round'),
  rounds: z.array(
    z.object({
      round: z.int(),
      at: moment,
      items: z.array(judgedPullItem),
      from: z.string(),
      to: z.string().nullable().describe('the commit that was pushed; null: none'),
      isPublished: z.boolean(),
    }),
  ),
})
