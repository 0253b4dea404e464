import type { ImplementationState, PipelineRun } from '../../pipelines/index.js'
import { costText, plural, visibleText } from '../../text/index.js'
import type { CommandContext } from '../context.js'

export function showPipeline(context: CommandContext, { state, next, usage }: PipelineRun): void {
  const { out, style } = context
  out('')
  const where = next === null ? (state.outcome ?? state.status) : `at ${next}`
  out(`${style('bold', state.pipeline_type)} · ${where}${state.branch ? ` · ${state.branch}` : ''}`)
  if (state.goal) out(`goal: ${visibleText(state.goal)}`)
  if (state.plan_path) out(`plan: ${state.plan_path}${state.human_approved ? ', approved' : ''}`)
  for (const text of state.human_rejections) out(style('yellow', `  rejected: ${visibleText(text)}`))
  for (const task of state.tasks) {
    const colour = task.status === 'approved' ? 'green' : task.status === 'objections' ? 'yellow' : 'dim'
    const commit = task.commit ? style('dim', ` ${task.commit.slice(0, 12)}`) : ''
    const reviews = task.iterations > 0 ? style('dim', ` · ${plural(task.iterations, 'review')}`) : ''
    out(`  ${style(colour, task.status.padEnd(10))} ${task.number} ${visibleText(task.title ?? '')}${commit}${reviews}`)
    for (const objection of task.objections) out(style('yellow', `             ! ${visibleText(objection)}`))
  }
  if (state.pull) {
    const { url, state: now, checks } = state.pull
    const failed = checks.filter(check => check.state === 'failed').map(({ name }) => name)
    const failures = failed.length > 0 ? ` · failed: ${visibleText(failed.join(', '))}` : ''
    out(`pull request: ${now} ${url} · ${plural(state.review_pass, 'round')}${failures}`)
  }
  if (state.pipeline_type !== 'implementation') showItems(context, state)
  if (usage.length > 0) out('usage:')
  for (const row of usage) {
    const cost =
      row.usage.costUsd === undefined ? '' : ` · ${costText(row.usage, 4)}${row.usage.isEstimate ? ' (estimated)' : ''}`
    const what = `${row.role}${row.task === null ? '' : ` task ${row.task}`} (${row.agent}${row.model ? ` ${row.model}` : ''})`
    out(style('dim', `  ${what}: ${plural(row.steps, 'step')}, ${row.usage.input + row.usage.output} tokens${cost}`))
  }
}

const COLOURS = { critical: 'red', major: 'yellow', minor: 'cyan', none: 'dim' } as const

/** The items of a review: severity, position, issue, reason, fix, and the Evaluator's judgement. */
export function showItems({ out, style }: CommandContext, state: ImplementationState): void {
  const evaluated = new Map(state.evaluation_result?.items.map(entry => [entry.number, entry]))
  for (const item of state.last_review?.items ?? []) {
    const position = `${item.file}${item.line === null ? '' : `:${item.line}`}`
    const type = item.type === undefined || state.review_types.length < 2 ? '' : ` ${style('dim', `(${item.type})`)}`
    const severity = style(COLOURS[item.severity], `[${item.severity}]`)
    out(`${item.number}. ${severity} ${visibleText(`${position} ${item.title}`.trim())}${type}`)
    const evaluation = evaluated.get(item.number)
    const lines: [string, string][] = [
      ['', item.issue],
      ['why: ', item.why],
      ['fix: ', item.fix],
      ...(evaluation ? [[`${evaluation.disposition}: `, evaluation.reason] as [string, string]] : []),
    ]
    for (const [name, text] of lines)
      for (const [at, line] of text.trim().split('\n').entries())
        if (line.trim() !== '') out(`   ${at === 0 ? style('dim', name) : ''}${visibleText(line)}`)
  }
}
