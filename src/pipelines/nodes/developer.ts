import type { AgentNode, NodeContext, NodeResult } from '../node.js'
import { developerPrompt, fixPrompt, type RolePrompt } from '../prompts/role-prompts.js'
import { isSerious, type ReviewItem } from '../review-object.js'
import { playRole, turnFailed, usageOf } from '../role-turn.js'
import { isOnTask } from '../state.js'
import { headBefore } from './current-task.js'
import { historyUpdate } from './history-update.js'
import { askSpending } from './spending.js'
import { conflictFailure } from './working-tree.js'

/** Implements the current task, or fixes review items in the same conversation. */
export const developer: AgentNode = {
  async run(context) {
    const { state, step } = context
    const spending = await askSpending(context)
    if (spending) return spending
    const conflict = await conflictFailure(context)
    if (conflict) return conflict
    const { salvage } = step.cursor
    const end = await playRole(context, {
      role: 'developer',
      prompt: promptOf(context),
      resume: salvage?.session ?? state.driver_session_id,
    })
    if (end.status !== 'ok') return turnFailed(end)
    return { ...(await this.conclude(context, end)), ...usageOf(end) }
  },

  async conclude(context, { text, sessionId }) {
    const { state, call, git } = context
    const conflict = await conflictFailure(context)
    if (conflict) return conflict
    const isTask = isOnTask(state)
    const before = headBefore(state)
    if (before !== null && isTask && (await git.undoCommits(before)))
      call.notice('warning', 'the Developer made its own commits; they were turned back into changes')
    return {
      route: isTask ? 'reviewer' : 'checks',
      response: text,
      update: {
        driver_session_id: sessionId,
        user_message: null,
        history: historyUpdate(context, 'developer', firstLine(text)),
      },
    } satisfies NodeResult
  },
}

function promptOf({ state, args, step }: NodeContext): RolePrompt {
  if (!isOnTask(state)) {
    const items = (state.structured_review?.items ?? []).filter(({ number }) => state.approved_items.includes(number))
    return fixPrompt(state, args, items, state.user_message)
  }
  return developerPrompt(state, args, {
    open: openComments(state.last_reviews, state.task_review_iteration),
    hook: state.user_message,
    left: step.cursor.salvage?.text ?? null,
  })
}

function openComments(reviews: readonly { approved: boolean; items: ReviewItem[] }[], iteration: number): ReviewItem[] {
  if (iteration === 0) return []
  return reviews
    .filter(({ approved, items }) => !approved || items.some(isSerious))
    .flatMap(({ items }) => items)
    .map((item, index) => ({ ...item, number: index + 1 }))
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0]!.slice(0, 200) || 'gave no answer'
}
