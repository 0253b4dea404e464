import type { Activity } from '../../activity/index.js'
import type { EventData } from '../../events/index.js'
import type { StoredEvent } from '../../store/index.js'
import { formatDuration, optionText, toolLine, visibleText } from '../../text/index.js'
import type { CommandContext } from '../context.js'

const MARKS = { success: '✓', partial_success: '◐', fail: '✗', retry: '↻', skipped: '○' } as const
const COLOURS = { success: 'green', partial_success: 'yellow', fail: 'red', retry: 'yellow', skipped: 'dim' } as const

/** What a node is; its type is a name of the file format. */
const HANDLER_WORDS: Readonly<Record<string, string>> = {
  codergen: 'agent',
  prompt: 'agent',
  tool: 'command',
  'wait.human': 'question',
  parallel: 'branches',
  'parallel.fan_in': 'join',
  'stack.manager_loop': 'manager loop',
}

export class GraphProgress {
  readonly #context: CommandContext
  readonly #started = new Map<string, number>()

  constructor(context: CommandContext) {
    this.#context = context
  }

  event(event: StoredEvent): void {
    const { out, style } = this.#context
    switch (event.type) {
      case 'node.started': {
        const { node, visit, handler, branch } = event.data as EventData<'node.started'>
        this.#started.set(`${branch ?? ''} ${node}`, event.at)
        if (['start', 'exit', 'conditional'].includes(handler)) return
        out(
          style('bold', `● ${indent(branch)}${node}${visit > 1 ? ` (visit ${visit})` : ''}`) +
            style('dim', `  ${HANDLER_WORDS[handler] ?? handler}`),
        )
        return
      }
      case 'node.finished': {
        const { node, status, notes, failureReason, branch } = event.data as EventData<'node.finished'>
        const startedAt = this.#started.get(`${branch ?? ''} ${node}`) ?? event.at
        const detail = failureReason ?? notes ?? ''
        if (['start', 'exit'].includes(node.toLowerCase())) return
        out(
          `  ${indent(branch)}${style(COLOURS[status], MARKS[status])} ${node} ${style('dim', formatDuration(event.at - startedAt))}${detail ? `  ${visibleText(detail)}` : ''}`,
        )
        return
      }
      case 'node.retrying': {
        const { node, attempt, reason } = event.data as EventData<'node.retrying'>
        out(style('yellow', `  ↻ ${node}: attempt ${attempt} (${visibleText(reason)})`))
        return
      }
      case 'edge.selected': {
        const { to, reason, unmet } = event.data as EventData<'edge.selected'>
        if (reason === 'goal') out(style('yellow', `  goal not met: ${unmet?.join(', ')}; back to ${to}`))
        return
      }
      case 'gate.opened':
        out(style('yellow', `  ◆ needs an answer: signalbox answer ${event.data.approval} …`))
        return
      case 'gate.answered':
        out(`  ◆ ${optionText(String(event.data.label ?? event.data.option))} ${style('dim', `by ${event.data.by}`)}`)
        return
      case 'step.lost':
        out(style('yellow', `  the process that ran ${event.data.step} has ended unexpectedly; checking what it left`))
        return
      case 'run.notice':
        out(style('dim', `  ${visibleText(String(event.data.text))}`))
        return
    }
  }

  activity(activity: Activity): void {
    const { out, style } = this.#context
    if (activity.type === 'tool_call') out(style('dim', `  │ ${visibleText(toolLine(activity.tool, activity.input))}`))
    if (activity.type === 'error') out(style('red', `  │ ${visibleText(activity.text)}`))
  }
}

function indent(branch: string | undefined): string {
  return branch === undefined ? '' : `[${branch}] `
}
