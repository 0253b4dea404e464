import type { Activity } from '../../activity/index.js'
import type { EventData } from '../../events/index.js'
import type { StoredEvent } from '../../store/index.js'
import { formatDuration, plural, toolLine, visibleText } from '../../text/index.js'
import type { CommandContext } from '../context.js'

const ROLES: Readonly<Record<string, string>> = {
  architect: 'Architect',
  developer: 'Developer',
  reviewer: 'Reviewer',
  evaluator: 'Evaluator',
}

/** Prints the progress of a pipeline: roles, plan, tasks, reviews. */
export class PipelineProgress {
  readonly #context: CommandContext
  readonly #started = new Map<string, number>()

  constructor(context: CommandContext) {
    this.#context = context
  }

  event(event: StoredEvent): void {
    const { out, style } = this.#context
    const line = this.#line(event)
    if (line !== null) out(line)
    if (event.type === 'run.notice' && event.data.level !== 'info')
      out(style('yellow', `  ! ${visibleText(String(event.data.text))}`))
  }

  #line(event: StoredEvent): string | null {
    const { style } = this.#context
    switch (event.type) {
      case 'node.started': {
        const { node } = event.data as EventData<'node.started'>
        this.#started.set(node, event.at)
        return ROLES[node] ? style('bold', `● ${ROLES[node]}`) : null
      }
      case 'node.finished': {
        const { node, status, failureReason, notes } = event.data as EventData<'node.finished'>
        const took = formatDuration(event.at - (this.#started.get(node) ?? event.at))
        if (status === 'fail') return style('red', `  ✗ ${node}: ${visibleText(failureReason ?? 'failed')}`)
        return ROLES[node]
          ? `  ${style('green', '✓')} ${style('dim', took)}${notes ? `  ${visibleText(notes)}` : ''}`
          : null
      }
      case 'node.retrying':
        return style('yellow', `  ↻ ${event.data.node}: ${visibleText(String(event.data.reason))}`)
      case 'worktree.created':
        return style('dim', `  ${event.data.branch} in ${event.data.path}`)
      case 'plan.validated': {
        const { isValid, issues, tasks } = event.data as EventData<'plan.validated'>
        return isValid
          ? `  plan: ${plural(tasks, 'task')}`
          : style('yellow', `  plan: not valid (${issues.join(', ')})`)
      }
      case 'plan.approved': {
        const { by, isEdited, isAutomatic } = event.data as EventData<'plan.approved'>
        return `  plan: approved${isEdited ? ' with edits' : ''}${isAutomatic ? ' automatically' : ` by ${by}`}`
      }
      case 'plan.rejected':
        return style('yellow', `  plan: rejected by ${event.data.by}: ${visibleText(String(event.data.feedback))}`)
      case 'task.started': {
        const { number, of, title } = event.data as EventData<'task.started'>
        return style('bold', `Task ${number} of ${of}${title ? `: ${visibleText(title)}` : ''}`)
      }
      case 'task.committed': {
        const { commit } = event.data as EventData<'task.committed'>
        return commit ? style('dim', `  commit ${commit.slice(0, 12)}`) : style('dim', '  nothing to commit')
      }
      case 'task.finished': {
        const { verdict, objections } = event.data as EventData<'task.finished'>
        if (verdict === 'approved') return null
        return style('yellow', `  ! not approved: ${visibleText(objections.join('; '))}`)
      }
      case 'review.finished': {
        const { isApproved, items } = event.data as EventData<'review.finished'>
        return isApproved
          ? `  ${style('green', 'approved')}${items > 0 ? ` with ${plural(items, 'item')}` : ''}`
          : `  ${style('yellow', 'not approved')}: ${plural(items, 'item')}`
      }
      case 'items.decided': {
        const { approved, by } = event.data as EventData<'items.decided'>
        return `  to fix: ${approved.length === 0 ? 'nothing' : approved.map(number => `#${number}`).join(', ')} ${style('dim', `by ${by}`)}`
      }
      case 'pull.opened':
        return style('bold', `Pull request ${event.data.url}`)
      case 'pull.observed': {
        const { state, checks } = event.data as EventData<'pull.observed'>
        return `  ${state} · checks: ${checks.passed} passed, ${checks.failed} failed, ${checks.pending} pending`
      }
      case 'pull.round': {
        const { round, items } = event.data as EventData<'pull.round'>
        return style('bold', `Round ${round}: ${plural(items, 'item')}`)
      }
      case 'pull.triaged': {
        const { must_fix: must, question, nit, wrong, out_of_scope: out } = event.data as EventData<'pull.triaged'>
        return `  must fix ${must}, questions ${question}, nits ${nit}, wrong ${wrong}, out of scope ${out}`
      }
      case 'act.performed': {
        const { act, on, isFound } = event.data as EventData<'act.performed'>
        return style('dim', `  ${act} ${visibleText(on)}${isFound ? ' (was already done)' : ''}`)
      }
      case 'budget.warned': {
        const { limit, spent, of } = event.data as EventData<'budget.warned'>
        return style(
          'yellow',
          `  ! ${Math.floor((spent / of) * 100)}% of the budget is used (${limit}: ${spent} of ${of})`,
        )
      }
      case 'gate.opened':
        return style('yellow', `  ◆ needs you: ${event.data.approval}`)
      case 'step.lost':
        return style(
          'yellow',
          `  the process that ran ${event.data.step} has ended unexpectedly; checking what it left`,
        )
      default:
        return null
    }
  }

  activity(activity: Activity): void {
    const { out, style } = this.#context
    if (activity.type === 'tool_call') out(style('dim', `  │ ${visibleText(toolLine(activity.tool, activity.input))}`))
    if (activity.type === 'error') out(style('red', `  │ ${visibleText(activity.text)}`))
  }
}
