import type { InMilliseconds, ScreenExplanation } from '../../server/index.js'
import { optionText, truncate, visibleText } from '../../text/index.js'
import type { CommandContext, Style } from '../context.js'

type ChangeFields = InMilliseconds<ScreenExplanation>['history'][number]

const COLOURS: Readonly<Record<string, Style>> = {
  tool_menu: 'yellow',
  auth_required: 'yellow',
  error: 'red',
  idle_prompt: 'green',
  background_task: 'green',
  unknown: 'dim',
  startup: 'dim',
}

/** One moment as a line: the time, the view, the status, and why. */
export function momentLine(fields: ChangeFields, context: CommandContext, at?: number): string {
  const time = (at ?? fields.t).toFixed(3).padStart(9)
  const view = context.style(COLOURS[fields.view] ?? 'blue', fields.view.padEnd(16))
  const state = fields.awaiting
    ? context.style('yellow', `needs you: ${fields.awaiting}`.padEnd(22))
    : (busyWord(fields) + (fields.settled ? '' : ' …')).padEnd(22)
  const why = `${fields.rule} ${context.style('dim', `${fields.authority} ${fields.confidence.toFixed(2)}`)}`
  const detail = detailOf(fields)
  const line = `${context.style('dim', time)}  ${view} ${state} ${why}`
  return detail === '' ? line : `${line}  ${context.style('dim', truncate(visibleText(detail), 60))}`
}

function busyWord({ busy, status }: ChangeFields): string {
  if (busy === true) return status === 'long-running' ? 'working for a long time' : 'working'
  if (busy === false) return status === 'idle' ? 'idle' : `idle, ${status}`
  return 'unknown'
}

function detailOf({ payload, composer }: ChangeFields): string {
  const { menu, label, tool, message, text, lastTurn, exit, tail } = (payload ?? {}) as Record<string, unknown>
  const asked = menu as { question?: string; options?: { label: string }[] } | null | undefined
  if (asked)
    return `${asked.question ?? ''} [${(asked.options ?? []).map(({ label }) => optionText(label)).join(' | ')}]`
  if (tool) return (tool as { summary: string }).summary
  if (exit) return `exit ${JSON.stringify(exit)}`
  for (const value of [message, label, text, tail]) if (typeof value === 'string' && value !== '') return value
  if (composer && composer.draft !== '') return `draft: ${composer.draft}`
  return typeof lastTurn === 'string' ? `last turn ${lastTurn}` : ''
}
