import { z } from 'zod'
import { defineEvents } from './catalogue.js'
import { usageSchema } from './run-events.js'

const task = z.object({ number: z.int().positive(), of: z.int().positive(), title: z.string().nullable() })
const severity = z.enum(['critical', 'major', 'minor', 'none'])

/** How an item of a pull request was judged. */
export const PULL_VERDICTS = ['must_fix', 'question', 'nit', 'wrong', 'out_of_scope'] as const

/** An item of a pull request with its verdict, as events, the API and the page show it. */
export const judgedPullItem = z.object({
  number: z.int(),
  kind: z.enum(['check', 'thread', 'comment']),
  thread: z.string().nullable(),
  author: z.string(),
  isBot: z.boolean(),
  file: z.string(),
  line: z.int().nullable(),
  body: z.string(),
  verdict: z.enum(PULL_VERDICTS).nullable().describe('null: not judged yet'),
  reason: z.string(),
  reply: z.string(),
  isFixed: z.boolean(),
})

function perVerdict<T>(value: T): Record<(typeof PULL_VERDICTS)[number], T> {
  return Object.fromEntries(PULL_VERDICTS.map(verdict => [verdict, value])) as never
}

export const pipelineEvents = defineEvents({
  'issue.fetched': {
    description: 'The issue was fetched from its tracker.',
    data: z.object({ tracker: z.string(), id: z.string(), title: z.string(), url: z.string().optional() }),
  },
  'worktree.created': {
    description: 'A worktree and a branch were created for the run.',
    data: z.object({ path: z.string(), branch: z.string(), base: z.string(), isRestored: z.boolean().optional() }),
  },
  'worktree.removed': {
    description: 'The run’s worktree was removed; its branch is kept if it has commits.',
    data: z.object({ path: z.string(), branch: z.string(), reason: z.string() }),
  },
  'history.added': {
    description: 'An entry was added to the history in the pipeline’s state.',
    data: z.object({ timestamp: z.string(), agent: z.string(), message: z.string() }),
  },
  'plan.written': {
    description: 'The architect wrote a plan.',
    data: z.object({
      path: z.string(),
      hash: z.string(),
      revision: z.int(),
      source: z.enum(['file', 'activity', 'text']),
    }),
  },
  'plan.validated': {
    description: 'The rules for plans were checked.',
    data: z.object({ hash: z.string(), isValid: z.boolean(), issues: z.array(z.string()), severity, tasks: z.int() }),
  },
  'plan.rejected': {
    description: 'A person rejected a plan, with feedback.',
    data: z.object({ hash: z.string(), by: z.string(), feedback: z.string() }),
  },
  'plan.replaced': {
    description: 'A person replaced the plan.',
    data: z.object({
      before: z.string(),
      hash: z.string(),
      by: z.string(),
      /** The plan itself, if the run has not started. Afterwards it is in the file. */
      text: z.string().optional(),
    }),
  },
  'plan.approved': {
    description: 'A plan was approved, with or without edits.',
    data: z.object({ hash: z.string(), by: z.string(), isEdited: z.boolean(), isAutomatic: z.boolean() }),
  },
  'task.started': { description: 'The developer started a task of the plan.', data: task },
  'task.finished': {
    description: 'A task finished: approved, or with open objections.',
    data: task.extend({
      verdict: z.enum(['approved', 'objections']),
      iterations: z.int(),
      objections: z.array(z.string()),
    }),
  },
  'task.committed': {
    description: 'The changes of a task were committed, or there were none.',
    data: task.extend({ commit: z.string().nullable() }),
  },
  'review.started': {
    description: 'A reviewer started to review the changes.',
    data: z.object({ step: z.string(), type: z.string(), iteration: z.int() }),
  },
  'review.finished': {
    description: 'All review types finished, with these findings.',
    data: z.object({
      isApproved: z.boolean(),
      severity,
      items: z.int(),
      types: z.array(z.string()),
      iteration: z.int(),
    }),
  },
  'evaluation.finished': {
    description: 'The evaluator proposed what to do with each item.',
    data: z.object({ implement: z.int(), reject: z.int(), defer: z.int(), clarify: z.int() }),
  },
  'pull.opened': {
    description: 'The pull request of the run’s branch is open.',
    data: z.object({ number: z.int(), url: z.string(), branch: z.string(), head: z.string() }),
  },
  'pull.observed': {
    description: 'The state, the head or the checks of the pull request have changed.',
    data: z.object({
      number: z.int(),
      url: z.string(),
      state: z.enum(['open', 'merged', 'closed']),
      head: z.string(),
      checks: z.object({ pending: z.int(), passed: z.int(), failed: z.int() }),
    }),
  },
  'pull.round': {
    description: 'A round started: failed checks or new comments in the pull request.',
    data: z.object({ round: z.int(), items: z.int(), head: z.string() }),
  },
  'pull.triaged': {
    description: 'The evaluator judged the items of a round.',
    data: z.object({ round: z.int(), ...perVerdict(z.int()) }),
  },
  'pull.answered': {
    description: 'A round ended: its items with their verdicts, and the commits that answer them.',
    data: z.object({
      round: z.int(),
      items: z.array(judgedPullItem),
      from: z.string(),
      to: z.string().nullable().describe('null: nothing was pushed'),
      isPublished: z.boolean().describe('false: the person did not want the answers to be posted'),
    }),
  },
  'act.performed': {
    description: 'The run did something outside this machine, or found that it was already done.',
    data: z.object({
      act: z.enum(['push', 'open', 'comment', 'resolve', 'merge']),
      on: z.string(),
      isFound: z.boolean(),
      step: z.string(),
    }),
  },
  'items.decided': {
    description: 'It was decided which review items will be fixed.',
    data: z.object({ approved: z.array(z.int()), by: z.string(), isAutomatic: z.boolean() }),
  },
  'tool.decided': {
    description: 'The policy of a role allowed or denied a tool call.',
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
    description: 'What an agent’s step used, by role, model and task.',
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
    description: 'A comment about the run was posted to the tracker.',
    data: z.object({ on: z.string(), marker: z.string(), url: z.string().optional() }),
  },
})
