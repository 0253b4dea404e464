import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newEvent } from '../../events/index.js'
import { hookQuestion, taskOf } from '../gates.js'
import type { NodeContext, NodeResult } from '../node.js'
import { isSerious } from '../review-object.js'
import { routeAfterCommit } from '../routing.js'
import type { ImplementationState } from '../state.js'
import { headBefore, withTask } from './current-task.js'
import { historyUpdate } from './history-update.js'
import { readOptional } from './text-file.js'
import { conflictFailure } from './working-tree.js'

/** One commit per task. Looks for the trailers first: a repeated step finds its commit. */
export async function commitTask(context: NodeContext): Promise<NodeResult> {
  const { state, git, reply } = context
  const [task, objections] = [taskOf(state), openObjections(state)]
  if (reply?.option === 'fix')
    return {
      route: 'developer',
      update: {
        user_message: readOptional(hookFile(context)),
        history: historyUpdate(context, reply.by, 'lets the Developer fix what the hook reported'),
      },
    }
  if (reply?.option === 'stop')
    return { end: { status: 'failed', reason: 'hook', text: 'stopped: a hook rejected the commit' } }
  const conflict = await conflictFailure(context)
  if (conflict) return conflict
  const trailers = [`Signalbox-Run: ${context.call.run}`, `Signalbox-Task: ${task.index}/${task.of}`]
  const before = headBefore(state)
  const found = before === null ? null : await git.findCommit(trailers, before)
  const made =
    found !== null
      ? { commit: found }
      : await commit(context, trailers, objections.length > 0, reply?.option !== 'bypass')
  if ('refused' in made) return refused(context, made.refused)
  return finished(context, made.commit, objections)
}

/** Saves the output of the hook for the Developer. */
function refused(context: NodeContext, output: string): NodeResult {
  const printed = context.services.redactor.redact(output).slice(0, 20_000)
  writeFileSync(hookFile(context), printed, { mode: 0o600 })
  return { question: hookQuestion({ gate: 'hook', task: taskOf(context.state), output: printed }) }
}

function hookFile({ directory, state }: NodeContext): string {
  return join(directory, `hook-${state.current_task_index + 1}.txt`)
}

async function commit(context: NodeContext, trailers: readonly string[], hasObjections: boolean, hooks: boolean) {
  const { state, args, git } = context
  const task = taskOf(state)
  const scope = state.issue ? `(${state.issue.id.replace(/[()\s]/g, '-')})` : ''
  const title = task.title ?? state.goal ?? `task ${task.number}`
  // A task that was not approved says so in its subject.
  const subject = `${args.profile.commitPrefix}${scope}: ${title}${hasObjections ? ' (not approved)' : ''}`.replace(
    /\s+/g,
    ' ',
  )
  const verdict = `Signalbox-Review: ${hasObjections ? 'objections' : 'approved'}`
  const message = `${subject.slice(0, 200)}\n\nTask ${task.number}\n\n${[...trailers, verdict].join('\n')}\n`
  const except = args.profile.commitPlan || state.plan_path === null ? [] : [state.plan_path]
  return git.commit({ message, paths: await ownPaths(context, except), except, hooks })
}

/** In the run's worktree everything; in a person's tree only the task's clean files. */
async function ownPaths({ state, args, git }: NodeContext, except: readonly string[]): Promise<string[] | null> {
  if (args.workspace.mode === 'worktree') return null
  const changed = await git.changedPaths(state.task_base ?? 'HEAD^{tree}', await git.treeHash())
  // The plan was written before the first task, and is committed with it.
  const plan = state.current_task_index === 0 && state.plan_path !== null ? [state.plan_path] : []
  return [...new Set([...changed, ...plan])].filter(
    path => !args.workspace.dirtyBefore.includes(path) && !except.includes(path),
  )
}

function finished(context: NodeContext, commit: string | null, objections: string[]): NodeResult {
  const { state } = context
  const { index, of, title } = taskOf(state)
  const verdict = objections.length > 0 ? ('objections' as const) : ('approved' as const)
  const tasks = withTask(state, { status: verdict, commit, objections })
  const facts = { number: index, of, title }
  return {
    route: routeAfterCommit(state, context.args.pull !== null),
    ...(commit !== null && { commit }),
    update: {
      tasks,
      history: historyUpdate(
        context,
        'signalbox',
        commit ? `committed ${commit.slice(0, 12)}` : 'the task changed nothing',
      ),
    },
    events: [
      newEvent('task.finished', { ...facts, verdict, iterations: state.tasks[index - 1]?.iterations ?? 0, objections }),
      newEvent('task.committed', { ...facts, commit }),
    ],
  }
}

/** The remaining objections of the latest reviews. Empty if they approved the task. */
export function openObjections(state: ImplementationState): string[] {
  const { last_review: review } = state
  if (review?.approved) return []
  if (!review) return ['it was never reviewed']
  const serious = review.items.filter(isSerious).map(item => `[${item.severity}] ${item.file} ${item.title}`.trim())
  return serious.length > 0 ? serious : [review.summary || 'it was not approved']
}
