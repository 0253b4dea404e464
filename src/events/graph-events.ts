import { z } from 'zod'
import { defineEvents } from './catalogue.js'

const node = z.string()
const visit = z.int().positive()
/** Which branch of a parallel node: absent on the main way. */
const branch = z.string().optional()
const status = z.enum(['success', 'fail', 'partial_success', 'retry', 'skipped'])

/** What a run of a graph writes beside the events of every run, in streams `run/<id>`. */
export const graphEvents = defineEvents({
  'node.started': {
    description: 'The run has come to a node.',
    data: z.object({ node, visit, handler: z.string(), branch }),
  },
  'node.retrying': {
    description: 'A node is tried again.',
    data: z.object({ node, visit, attempt: z.int().positive(), reason: z.string(), isCounted: z.boolean(), branch }),
  },
  'node.finished': {
    description: 'A node has ended, and its outcome counts.',
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
    description: 'Keys of the context have new values; the values are in the end of the step that set them.',
    data: z.object({ node, keys: z.array(z.string()), dropped: z.array(z.string()).optional(), branch }),
  },
  'edge.selected': {
    description: 'Where the run goes on, and why.',
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
    description: 'Everything up to here is done for good; the next node is known.',
    data: z.object({ node, next: z.string().nullable(), branch }),
  },
  'branch.started': {
    description: 'A branch of a parallel node has begun.',
    data: z.object({
      branch: z.string(),
      parent: branch,
      parallel: node,
      visit,
      edge: z.string(),
      node,
      join: z.string().nullable(),
    }),
  },
  'branch.finished': {
    description: 'A branch has come to its end.',
    data: z.object({ branch: z.string(), status, notes: z.string().optional(), commit: z.string().optional() }),
  },
  'branch.cancelled': {
    description: 'A branch was not needed any more.',
    data: z.object({ branch: z.string(), reason: z.string() }),
  },
  'thread.bound': {
    description: 'A thread has a session of an agent, which later nodes of it go on with.',
    data: z.object({ thread: z.string(), agent: z.string(), session: z.string() }),
  },
  'graph.input': {
    description: 'A part of what a run was asked to do, where that is too much for one event.',
    data: z.object({ part: z.int().positive(), text: z.string() }),
  },
  'run.steered': {
    description: 'Somebody told a run something; its next agent hears it.',
    data: z.object({ text: z.string(), by: z.string() }),
  },
})
