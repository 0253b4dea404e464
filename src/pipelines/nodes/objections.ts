import { objectionsQuestion, taskOf } from '../gates.js'
import type { NodeContext, NodeResult } from '../node.js'
import { openObjections } from './commit-task.js'
import { withTask } from './current-task.js'
import { historyUpdate } from './history-update.js'

/** The task reached the review limit unapproved: a person or the policy decides. */
export async function objections(context: NodeContext): Promise<NodeResult> {
  const { state, args, reply } = context
  const open = openObjections(state)
  if (reply) {
    if (reply.option === 'more') return raiseLimit(context, reply.by, Number(reply.text ?? args.profile.maxTaskReviews))
    if (reply.option === 'accept') return accept(context, reply.by, open, true)
    if (reply.option === 'stop') return stop(context, reply.by, open)
  }
  if (args.profile.onUnapproved === 'continue') return accept(context, 'policy', open, false)
  if (args.profile.onUnapproved === 'stop' || state.auto_approve) return stop(context, 'policy', open)
  return {
    question: objectionsQuestion({
      gate: 'objections',
      task: taskOf(state),
      reviews: state.task_review_iteration,
      items: [...(state.last_review?.items ?? [])],
    }),
  }
}

function raiseLimit(context: NodeContext, by: string, count: number): NodeResult {
  const { state, args } = context
  const extra = Number.isInteger(count) && count > 0 ? count : args.profile.maxTaskReviews
  return {
    route: 'developer',
    update: {
      task_review_limit: (state.task_review_limit ?? args.profile.maxTaskReviews) + extra,
      history: historyUpdate(context, by, `allows the task ${extra} more reviews`),
    },
  }
}

function accept(context: NodeContext, by: string, open: string[], isPerson: boolean): NodeResult {
  const change = { objections: open, ...(isPerson && { accepted_by: by }) }
  return {
    route: 'commit_task',
    update: {
      tasks: withTask(context.state, change),
      history: historyUpdate(context, by, `continues with ${open.length} objections`),
    },
  }
}

function stop(context: NodeContext, by: string, open: string[]): NodeResult {
  const { index, of } = taskOf(context.state)
  return {
    update: {
      outcome: 'failed',
      tasks: withTask(context.state, { status: 'objections', objections: open }),
      history: historyUpdate(context, by, 'stops the run: the task was not approved'),
    },
    end: {
      status: 'failed',
      reason: 'objections',
      text: `task ${index} of ${of} was not approved: ${open.join('; ')}`,
    },
  }
}
