import { z } from 'zod'
import { defineEvents } from './catalogue.js'
import { usageSchema } from './run-events.js'

const task = z.object({ number: z.int().positive(), of: z.int().positive(), title: z.string().nullable() })
const severity = z.enum(['critical', 'major', 'minor', 'none'])

/** What runs of the implementation and the review pipeline write beside the events of every graph, in streams `run/<id>`. */
export const pipelineEvents = defineEvents({
  'issue.fetched': {
    description: 'What is to be done came from its tracker.',
    data: z.object({ tracker: z.string(), id: z.string(), title: z.string(), url: z.string().optional() }),
  },
  'worktree.created': {
    description: 'The run has a directory and a branch of its own.',
    data: z.object({ path: z.string(), branch: z.string(), base: z.string(), isRestored: z.boolean().optional() }),
  },
  'worktree.removed': {
    description: 'The directory of the run is gone; its branch is kept where it holds something.',
    data: z.object({ path: z.string(), branch: z.string(), reason: z.string() }),
  },
  'history.added': {
    description: 'An entry of the history that the state of a pipeline has.',
    data: z.object({ timestamp: z.string(), agent: z.string(), message: z.string() }),
  },
  'plan.written': {
    description: 'The Architect wrote a plan.',
    data: z.object({
      path: z.string(),
      hash: z.string(),
      revision: z.int(),
      source: z.enum(['file', 'activity', 'text']),
    }),
  },
  'plan.validated': {
    description: 'A plan was checked by rule.',
    data: z.object({ hash: z.string(), isValid: z.boolean(), issues: z.array(z.string()), severity, tasks: z.int() }),
  },
  'plan.rejected': {
    description: 'A person sent a plan back, with what is to be different.',
    data: z.object({ hash: z.string(), by: z.string(), feedback: z.string() }),
  },
  'plan.replaced': {
    description: 'A person put a plan in the place of another.',
    data: z.object({
      before: z.string(),
      hash: z.string(),
      by: z.string(),
      /** Of a run that has not begun: the plan itself. Later it lies in the file. */
      text: z.string().optional(),
    }),
  },
  'plan.approved': {
    description: 'A plan was approved as it is, or with edits.',
    data: z.object({ hash: z.string(), by: z.string(), isEdited: z.boolean(), isAutomatic: z.boolean() }),
  },
  'task.started': { description: 'The Developer begins a task of the plan.', data: task },
  'task.finished': {
    description: 'A task is over: approved, or with what is still held against it.',
    data: task.extend({
      verdict: z.enum(['approved', 'objections']),
      iterations: z.int(),
      objections: z.array(z.string()),
    }),
  },
  'task.committed': {
    description: 'What a task changed is a commit, or it changed nothing.',
    data: task.extend({ commit: z.string().nullable() }),
  },
  'review.started': {
    description: 'A Reviewer begins to look at the changes.',
    data: z.object({ step: z.string(), type: z.string(), iteration: z.int() }),
  },
  'review.finished': {
    description: 'What the Reviewers found, all types together.',
    data: z.object({
      isApproved: z.boolean(),
      severity,
      items: z.int(),
      types: z.array(z.string()),
      iteration: z.int(),
    }),
  },
  'evaluation.finished': {
    description: 'The Evaluator has said what should become of each item.',
    data: z.object({ implement: z.int(), reject: z.int(), defer: z.int(), clarify: z.int() }),
  },
  'items.decided': {
    description: 'Which items of a review will be fixed.',
    data: z.object({ approved: z.array(z.int()), by: z.string(), isAutomatic: z.boolean() }),
  },
  'tool.decided': {
    description: 'A call of a tool was judged by the policy of the role that made it.',
    data: z.object({
      step: z.string(),
      role: z.string(),
      tool: z.string(),
      input: z.string(),
      isAllowed: z.boolean(),
      isAfterwards: z.boolean(),
      reason: z.string(),
    }),
  },
  'usage.recorded': {
    description: 'What a step of an agent used, with whose and for what.',
    data: z.object({
      step: z.string(),
      role: z.string(),
      agent: z.string(),
      model: z.string().nullable(),
      task: z.int().nullable(),
      iteration: z.int(),
      prompt: z.object({ id: z.string(), hash: z.string() }).optional(),
      usage: usageSchema.optional(),
    }),
  },
  'comment.posted': {
    description: 'The tracker was told how the run stands.',
    data: z.object({ on: z.string(), marker: z.string(), url: z.string().optional() }),
  },
})
