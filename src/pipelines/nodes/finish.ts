import { newEvent } from '../../events/index.js'
import type { NewEvent } from '../../store/index.js'
import { plural } from '../../text/index.js'
import type { NodeContext, NodeResult } from '../node.js'
import { PipelineGit } from '../pipeline-git.js'
import { isSerious } from '../review-object.js'
import type { ImplementationState, Outcome } from '../state.js'
import { postComment } from '../trackers/comment.js'
import { historyUpdate } from './history-update.js'

/** Concludes the run with an honest verdict. */
export async function finish(context: NodeContext): Promise<NodeResult> {
  const { state } = context
  const { outcome, objections } = finalOutcomeOf(state)
  const summary = summaryOf(state, outcome, objections)
  const events: NewEvent[] = []
  await removeUnusedWorkspace(context, events)
  await postComment(context, summary, events)
  return {
    route: 'exit',
    update: {
      outcome,
      final_response: summary,
      history: historyUpdate(context, 'signalbox', summary.split('\n')[0]!),
    },
    events,
    verdict: { outcome, objections },
    response: summary,
  }
}

function finalOutcomeOf(state: ImplementationState): { outcome: Outcome; objections: string[] } {
  if (state.pipeline_type === 'review') return reviewOutcome(state)
  // The person who merged it has accepted it; before that, only open findings count.
  if (state.pipeline_type === 'pull_request') return { outcome: 'approved', objections: [] }
  return taskOutcome(state)
}

/** `approved`, or `objections_accepted` if a person accepted all; else `objections`. */
function taskOutcome(state: ImplementationState): { outcome: Outcome; objections: string[] } {
  const open = state.tasks.filter(({ status }) => status !== 'approved')
  const objections = open.flatMap(task => task.objections.map(text => `task ${task.number}: ${text}`))
  if (open.length === 0 && state.tasks.length > 0) return { outcome: 'approved', objections: [] }
  return {
    outcome: open.every(({ accepted_by: by }) => by !== undefined) ? 'objections_accepted' : 'objections',
    objections,
  }
}

/** Serious items stay open until a review misses them or the Evaluator refutes them. */
function reviewOutcome(state: ImplementationState): { outcome: Outcome; objections: string[] } {
  const { last_review: review, evaluation_result: evaluated, open_objections: left } = state
  if (!review) return { outcome: 'approved', objections: [...left] }
  const rejected = new Set(
    evaluated?.items.filter(({ disposition }) => disposition === 'reject').map(({ number }) => number),
  )
  const serious = review.items.filter(item => isSerious(item) && !rejected.has(item.number))
  const open = serious.map(item => `[${item.severity}] ${item.file} ${item.title}`.trim())
  const silent = !review.approved && review.items.length === 0 ? [review.summary || 'the Reviewer did not approve'] : []
  const objections = [...new Set([...left, ...open, ...silent])]
  return { outcome: objections.length === 0 ? 'approved' : 'objections', objections }
}

function summaryOf(state: ImplementationState, outcome: Outcome, objections: readonly string[]): string {
  const summary =
    objections.length === 0
      ? 'approved'
      : `completed with ${plural(objections.length, 'objection')}${outcome === 'objections_accepted' ? ', accepted by a person' : ''}`
  if (state.pipeline_type === 'pull_request') return pullLine(state)
  if (state.pipeline_type === 'review') {
    if (!state.last_review) return 'nothing to review'
    const items = state.last_review.items.length
    return [
      `${summary} · ${plural(state.review_pass, 'pass', 'passes')} · ${plural(items, 'item')} in the last`,
      ...objections.map(text => `- ${text}`),
    ].join('\n')
  }
  const commits = state.tasks.filter(({ commit }) => commit).length
  const lines = state.tasks.map(
    task =>
      `- ${task.number} ${task.title ?? ''}: ${task.status === 'approved' ? 'approved' : 'not approved'} in ${plural(task.iterations, 'review')}${task.commit ? `, ${task.commit.slice(0, 12)}` : ', nothing to commit'}`,
  )
  return [
    `${summary} · ${plural(state.tasks.length, 'task')}, ${plural(commits, 'commit')} on ${state.branch ?? 'the branch'}`,
    ...lines,
    ...objections.map(text => `! ${text}`),
    ...(state.pull ? [pullLine(state)] : []),
  ].join('\n')
}

function pullLine({ pull, review_pass: rounds }: ImplementationState): string {
  if (!pull) return 'no pull request was opened'
  return `${pull.state} · ${pull.url}${rounds > 0 ? ` · ${plural(rounds, 'round')}` : ''}`
}

/** Removes a worktree without changes together with its branch; keeps all others. */
async function removeUnusedWorkspace(context: NodeContext, events: NewEvent[]): Promise<void> {
  const { args, state, git, cwd } = context
  if (args.workspace.mode !== 'worktree' || !args.workspace.isNewBranch || state.branch === null) return
  if ((await git.git.status()).length > 0 || (await git.commitsAhead(args.workspace.base)) > 0) return
  if (await new PipelineGit(args.repository).removeWorktree(cwd, state.branch))
    events.push(newEvent('worktree.removed', { path: cwd, branch: state.branch, reason: 'nothing was changed' }))
}
