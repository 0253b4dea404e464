import { z } from 'zod'
import { moment } from './common.js'

const pullItem = z.object({
  number: z.int(),
  kind: z.enum(['check', 'thread', 'comment']),
  thread: z.string().nullable(),
  author: z.string(),
  isBot: z.boolean(),
  file: z.string(),
  line: z.int().nullable(),
  body: z.string(),
  verdict: z.string().nullable().describe('must_fix, question, nit, wrong, out_of_scope; null: not judged yet'),
  reason: z.string(),
  reply: z.string(),
  isFixed: z.boolean(),
})

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
  open: z.array(pullItem.extend({ isSelected: z.boolean() })).describe('the items of the current round'),
  rounds: z.array(
    z.object({
      round: z.int(),
      at: moment,
      items: z.array(pullItem),
      from: z.string(),
      to: z.string().nullable().describe('the commit that was pushed; null: none'),
      isPublished: z.boolean(),
    }),
  ),
})
