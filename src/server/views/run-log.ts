import { type Activity, readSegment, segmentPath } from '../../activity/index.js'
import type { StoredEvent } from '../../store/index.js'
import { toolLine } from '../../text/index.js'
import type { InMilliseconds, LogLine as Line } from '../api-types.js'
import { partsOfStep, stepsOf } from './run-steps.js'

export type LogLine = InMilliseconds<Line>

const LINE_MAX = 8_000
const LEVELS: readonly LogLine['level'][] = ['info', 'warning', 'error']

/** Events of a run and activities of its agents, in order of time. */
export async function readRunLog(
  events: readonly StoredEvent[],
  directory: string,
  filter: { node?: string | undefined; level?: LogLine['level'] | undefined },
): Promise<LogLine[]> {
  const lines = events.map(eventLine)
  for (const { step, node } of stepsOf(events)) {
    if (filter.node !== undefined && node !== filter.node) continue
    for await (const activity of readSegment(segmentPath(directory, step))) {
      const line = activityLine(activity, step, node)
      if (line) lines.push(line)
    }
  }
  const least = LEVELS.indexOf(filter.level ?? 'info')
  return lines
    .filter(line => LEVELS.indexOf(line.level) >= least && (filter.node === undefined || line.node === filter.node))
    .sort((a, b) => a.at - b.at)
}

function eventLine({ type, at, data }: StoredEvent): LogLine {
  const step = typeof data.step === 'string' ? data.step : null
  const node = typeof data.node === 'string' ? data.node : step === null ? null : partsOfStep(step).node
  return { at, level: levelOf(type, data), node, step, source: 'run', type, text: cut(textOf(data)) }
}

function levelOf(type: string, data: Record<string, unknown>): LogLine['level'] {
  if (type === 'run.notice') return data.level as LogLine['level']
  if (type === 'run.failed' || data.status === 'failed' || data.status === 'fail') return 'error'
  return ['step.lost', 'node.retrying', 'budget.warned', 'budget.exceeded', 'gate.expired'].includes(type)
    ? 'warning'
    : 'info'
}

function textOf(data: Record<string, unknown>): string {
  for (const name of ['text', 'failureReason', 'reason', 'notes', 'title'])
    if (typeof data[name] === 'string' && data[name] !== '') return data[name]
  return Object.entries(data)
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(' · ')
}

/** Deltas are omitted: the whole block follows. */
function activityLine(activity: Activity, step: string, node: string): LogLine | null {
  const line = (text: string, level: LogLine['level'] = 'info'): LogLine => ({
    at: activity.at,
    level,
    node,
    step,
    source: 'agent',
    type: activity.type,
    text: cut(text),
  })
  switch (activity.type) {
    case 'text':
    case 'thought':
      return activity.delta ? null : line(activity.text)
    case 'tool_call':
      return { ...line(toolLine(activity.tool, activity.input)), raw: cut(rawInput(activity)) }
    case 'tool_result':
      return line(activity.output, activity.ok ? 'info' : 'warning')
    case 'file_change':
      return line(`${activity.change} ${activity.path}`)
    case 'notice':
      return line(activity.text, activity.level)
    case 'retry':
      return line(activity.reason, 'warning')
    case 'error':
      return line(activity.text, 'error')
    case 'result':
      return line(activity.text, activity.ok ? 'info' : 'error')
    case 'raw':
      return line(activity.text)
    default:
      return null
  }
}

function rawInput({ tool, input }: Extract<Activity, { type: 'tool_call' }>): string {
  return `${tool} ${JSON.stringify(input)}`
}

function cut(text: string): string {
  return text.length > LINE_MAX ? `${text.slice(0, LINE_MAX)}… (${text.length - LINE_MAX} characters more)` : text
}
