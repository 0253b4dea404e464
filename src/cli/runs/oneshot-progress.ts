import type { Activity } from '../../activity/index.js'
import type { EventData } from '../../events/index.js'
import type { StoredEvent } from '../../store/index.js'
import { costText, formatDuration, toolLine, visibleText } from '../../text/index.js'
import type { CommandContext } from '../context.js'

interface StepResult {
  text?: string
  verdict?: { verdict: string; feedback: string; findings: { file?: string; line?: number; text: string }[] } | null
  complaint?: string
}

/** Prints the progress of a oneshot: each step, what its agent does, and the result. */
export class OneshotProgress {
  readonly #context: CommandContext
  readonly #started = new Map<string, number>()

  constructor(context: CommandContext) {
    this.#context = context
  }

  event(event: StoredEvent): void {
    if (event.type === 'step.started') this.#started.set(String(event.data.step), event.at)
    const { out, style } = this.#context
    switch (event.type) {
      case 'step.started': {
        const { input } = event.data as EventData<'step.started'>
        const { role, iteration, attempt } = input as { role: string; iteration: number; attempt: number }
        out(style('bold', `● ${role} · iteration ${iteration}${attempt > 1 ? ` · attempt ${attempt}` : ''}`))
        return
      }
      case 'step.ended':
        return this.#ended(event.data as EventData<'step.ended'>, event.at)
      case 'step.lost':
        out(style('yellow', `  the process that ran ${event.data.step} has ended unexpectedly; checking what it left`))
        return
      case 'step.recovered':
        return this.#recovered(event.data as EventData<'step.recovered'>)
      case 'run.notice':
        out(style('dim', `  ${visibleText(String(event.data.text))}`))
        return
      case 'budget.warned':
        out(style('yellow', `  ${event.data.limit}: ${event.data.spent} of ${event.data.of} used`))
        return
      case 'run.resumed':
        out(style('bold', '● resumed'))
        return
    }
  }

  activity(activity: Activity): void {
    const { out, style } = this.#context
    switch (activity.type) {
      case 'tool_call':
        out(style('dim', `  │ ${visibleText(toolLine(activity.tool, activity.input))}`))
        return
      case 'tool_result':
        if (!activity.ok)
          out(style('yellow', `  │ failed${activity.exitCode === undefined ? '' : ` (exit ${activity.exitCode})`}`))
        return
      case 'retry':
        out(
          style(
            'yellow',
            `  │ retry ${activity.attempt}${activity.max ? `/${activity.max}` : ''}: ${visibleText(activity.reason)}`,
          ),
        )
        return
      case 'error':
        out(style('red', `  │ ${visibleText(activity.text)}`))
        return
      case 'text':
        if (!activity.delta && activity.parent === undefined)
          for (const line of activity.text.trim().split('\n')) out(`  ${visibleText(line)}`)
        return
    }
  }

  #ended({ step, status, reason, result, usage }: EventData<'step.ended'>, at: number): void {
    const { out, style } = this.#context
    const took = formatDuration(at - (this.#started.get(step) ?? at))
    const spent = usage
      ? ` · ${usage.input + usage.output} tokens${usage.costUsd === undefined ? '' : ` · ${costText(usage, 4)}`}`
      : ''
    if (status !== 'ok')
      out(style('red', `  ✗ ${status === 'silent' ? 'silent' : 'failed'} after ${took}: ${reason ?? status}${spent}`))
    else out(style('dim', `  ${took}${spent}`))
    const stepResult = result as StepResult | null
    if (stepResult?.verdict) {
      const { verdict, feedback, findings } = stepResult.verdict
      const colour = verdict === 'DONE' ? 'green' : verdict === 'RETRY' ? 'yellow' : 'red'
      out(`  ${style(colour, style('bold', verdict))} ${visibleText(feedback)}`)
      for (const { file, line, text } of findings)
        out(`    - ${visibleText(`${file ? `${file}${line ? `:${line}` : ''}: ` : ''}${text}`)}`)
    } else if (stepResult?.complaint) out(style('yellow', `  no verdict: ${visibleText(stepResult.complaint)}`))
  }

  #recovered({ verdict, evidence }: EventData<'step.recovered'>): void {
    const { out, style } = this.#context
    const text = {
      success: 'the process died, but the work is done',
      partial: 'the process died during its work',
      nothing: 'the process left no traces',
    }[verdict]
    out(style(verdict === 'success' ? 'green' : 'yellow', `  ${text}`))
    for (const item of evidence) out(style('dim', `    - ${item.source}: ${visibleText(String(item.says))}`))
  }
}
