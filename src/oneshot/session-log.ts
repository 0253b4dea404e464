import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Activity } from '../activity/index.js'
import type { EventData } from '../events/index.js'
import type { StoredEvent } from '../store/index.js'
import type { AgentStepResult } from './oneshot-run.js'

/** One combined log in a chosen file: Markdown if it ends in .md, else JSON lines. */
export class SessionLog {
  readonly #file: string
  readonly #isMarkdown: boolean

  constructor(file: string) {
    this.#file = file
    this.#isMarkdown = file.endsWith('.md')
    mkdirSync(dirname(file), { recursive: true })
  }

  event(event: StoredEvent): void {
    if (!this.#isMarkdown) return this.#append(JSON.stringify({ at: event.at, type: event.type, data: event.data }))
    const text = eventText(event)
    if (text !== null) this.#append(`${text}\n`)
  }

  activity(activity: Activity): void {
    if (!this.#isMarkdown) return this.#append(JSON.stringify({ at: activity.at, type: 'activity', data: activity }))
    const text = activityText(activity)
    if (text !== null) this.#append(`${text}\n`)
  }

  #append(text: string): void {
    appendFileSync(this.#file, `${text}\n`, { mode: 0o600 })
  }
}

function eventText({ type, data, at }: StoredEvent): string | null {
  const time = new Date(at).toISOString()
  switch (type) {
    case 'run.created': {
      const { title } = data as EventData<'run.created'>
      return `# ${title}\n\n${time}`
    }
    case 'step.started': {
      const { role, iteration } = (data as EventData<'step.started'>).input as { role: string; iteration: number }
      return `## ${role}, iteration ${iteration}\n\n${time}`
    }
    case 'step.ended': {
      const { status, reason, result } = data as EventData<'step.ended'>
      const verdict = (result as AgentStepResult | null)?.verdict
      if (verdict) return `**${verdict.verdict}** ${verdict.feedback}`
      return status === 'ok' ? null : `*${status}: ${reason ?? ''}*`
    }
    case 'step.recovered': {
      const { verdict, evidence } = data as EventData<'step.recovered'>
      return [`*recovered: ${verdict}*`, ...evidence.map(({ source, says }) => `- ${source}: ${says}`)].join('\n')
    }
    case 'run.completed':
    case 'run.failed':
    case 'run.rejected':
    case 'run.cancelled':
    case 'run.paused':
      return `## ${type.slice('run.'.length)} (${String(data.reason)})`
    default:
      return null
  }
}

function activityText(activity: Activity): string | null {
  if (activity.type === 'text') return activity.delta ? null : activity.text
  if (activity.type === 'tool_call') return `> ${activity.tool} \`${JSON.stringify(activity.input) ?? ''}\``
  if (activity.type === 'error') return `> error: ${activity.text}`
  return null
}
