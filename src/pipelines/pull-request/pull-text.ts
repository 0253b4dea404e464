import { plural } from '../../text/index.js'
import type { PipelineArgs } from '../args.js'
import type { ImplementationState } from '../state.js'

/** GitHub takes 65 536 characters. */
const BODY_MAX = 60_000

/**
 * Title and text of a pull request: the goal, the tasks with their reviews, and what stays open.
 */
export function pullText({ state, args }: { state: ImplementationState; args: PipelineArgs }): {
  title: string
  body: string
} {
  const { issue, tasks, goal, plan_path: plan } = state
  const objections = tasks.flatMap(task => task.objections.map(text => `- ${task.number}: ${text}`))
  const lines = [
    goal ?? issue?.title ?? '',
    ...(tasks.length > 0 ? ['', '## Tasks', '', ...tasks.map(taskLine)] : []),
    ...(objections.length > 0 ? ['', '## Open objections of the reviews', '', ...objections] : []),
    ...(plan !== null && args.profile.commitPlan ? ['', `Plan: \`${plan}\``] : []),
    ...closing(state, args),
  ]
  return {
    title: (args.pull?.title ?? issue?.title ?? goal ?? state.branch ?? '').replace(/\s+/g, ' ').slice(0, 200),
    body: (args.pull?.body ?? lines.join('\n').trim()).slice(0, BODY_MAX),
  }
}

function taskLine(task: ImplementationState['tasks'][number]): string {
  const verdict = task.status === 'approved' ? 'approved' : 'not approved'
  const commit = task.commit ? ` (${task.commit.slice(0, 12)})` : ''
  return `- ${task.number} ${task.title ?? ''}: ${verdict} in ${plural(task.iterations, 'review')}${commit}`
}

/** The forge closes its own issue with the merge; an issue elsewhere is only named. */
function closing({ issue }: ImplementationState, { tracker, pull }: PipelineArgs): string[] {
  if (!issue) return []
  if (tracker === pull?.forge) return ['', `Closes #${issue.id}`]
  return issue.url === undefined ? [] : ['', `Issue: ${issue.url}`]
}
