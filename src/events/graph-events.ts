import { z } from 'zod'
import { defineEvents } from './catalogue.js'

const node = z.string()
const visit = z.int().positive()
/** The branch of a parallel node; absent outside branches. */
const branch = z.string().optional()
const status = z.enum(['success', 'fail', 'partial_success', 'retry', 'skipped'])

export const graphEvents = defineEvents({
  'node.started': {
    description: 'The run reached a node.',
    data: z.object({ node, visit, handler: z.string(), branch }),
  },
  'node.retrying': {
    description: 'The run retries a node.',
    data: z.object({ node, visit, attempt: z.int().positive(), reason: z.string(), isCounted: z.boolean(), branch }),
  },
  'node.finished': {
    description: 'A node finished with this outcome.',
    data: z.object({
      node,
      visit,
      status,
      outcome: z.string().optional(),
      preferredLabel: z.string().optional(),
      notes: z.string().optional(),
      failureReason: z.string().optional(),
      failureClass: z.string().optional(),
      commit: z.string().optional(),
      branch,
    }),
  },
  'context.changed': {
    description: 'A step changed keys of the context. Their values are in the `step.ended` event of that step.',
    data: z.object({ node, keys: z.array(z.string()), dropped: z.array(z.string()).optional(), branch }),
  },
  'edge.selected': {
    description: 'The run selected the next node, for this reason.',
    data: z.object({
      from: node,
      to: node,
      edge: z.string().nullable(),
      reason: z.enum([
        'override',
        'gate',
        'condition',
        'diamond',
        'retry_target',
        'label',
        'suggested',
        'weight',
        'goal',
        'join',
      ]),
      unmet: z.array(z.string()).optional(),
      branch,
    }),
  },
  'checkpoint.saved': {
    description: 'Everything up to this node is finished; the next node is known.',
    data: z.object({ node, next: z.string().nullable(), branch }),
  },
  'branch.started': {
    description: 'A branch of a parallel node started.',
    data: z.object({
      branch: z.string(),
      parent: branch,
      parallel: node,
      visit,
      edge: z.string(),
      node,
      join: z.string().nullable(),
      /** How many branches the parallel node has. */
      count: z.int().optional(),
    }),
  },
  'branch.finished': {
    description: 'A branch finished.',
    data: z.object({ branch: z.string(), status, notes: z.string().optional(), commit: z.string().optional() }),
  },
  'branch.cancelled': {
    description: 'A branch was cancelled because its result is no longer needed.',
    data: z.object({ branch: z.string(), reason: z.string() }),
  },
  'thread.bound': {
    description: 'A thread is bound to an agent’s session, which later nodes of the thread resume.',
    data: z.object({ thread: z.string(), agent: z.string(), session: z.string() }),
  },
  'graph.input': {
    description: 'A part of the run’s input, if the input is too large for one event.',
    data: z.object({ part: z.int().positive(), text: z.string() }),
  },
  'run.steered': {
    description: 'A person sent the run a message; its next agent receives it.',
    data: z.object({ text: z.string(), by: z.string() }),
  },
})
