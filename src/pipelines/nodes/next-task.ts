import type { NodeContext, NodeResult } from '../node.js'
import { taskStarted } from './current-task.js'
import { historyUpdate } from './history-update.js'
import { treeNow } from './working-tree.js'

/** The next task starts fresh: without the review and conversation of the previous one. */
export async function nextTask(context: NodeContext): Promise<NodeResult> {
  const { state, args } = context
  const index = state.current_task_index + 1
  const tasks = state.tasks.map((task, at) => (at === index ? { ...task, status: 'running' as const } : task))
  return {
    route: 'developer',
    update: {
      tasks,
      current_task_index: index,
      task_review_iteration: 0,
      task_review_limit: args.profile.maxTaskReviews,
      driver_session_id: null,
      last_review: null,
      last_reviews: [],
      user_message: null,
      task_base: await treeNow(context),
      history: historyUpdate(context, 'signalbox', `task ${index + 1} of ${tasks.length}`),
    },
    events: [taskStarted(tasks, index)],
  }
}
