import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Activity } from '../activity/index.js'
import { type RunRecord, readRun, runStream } from '../engine/index.js'
import type { EventData } from '../events/index.js'
import type { EventStore, StoredEvent, Subscription } from '../store/index.js'
import { OneshotFiles } from './oneshot-files.js'
import type { AgentStepResult } from './oneshot-run.js'
import { oneshotWorkflow } from './oneshot-workflow.js'

export interface KeepFilesOptions {
  store: EventStore
  runDirectory(run: string): string
  activities(run: string, step: string): AsyncIterable<Activity>
  onError(error: unknown): void
}

interface Kept {
  files: OneshotFiles
  log: SessionLog | null
}

/** Writes the files of oneshots driven here: only the driver, so no line twice. */
export class OneshotFileWriter {
  readonly #options: KeepFilesOptions
  readonly #kept = new Map<string, Kept>()
  #subscription: Subscription | null = null

  constructor(options: KeepFilesOptions) {
    this.#options = options
  }

  /** Before a run is driven here. */
  async begin({ id, kind }: Pick<RunRecord, 'id' | 'kind'>): Promise<void> {
    if (kind !== oneshotWorkflow.kind) return
    const { store, activities } = this.#options
    this.#subscription ??= store.subscribe({ after: await store.head(), onError: this.#options.onError }, events => {
      for (const event of events) this.#writeEvent(event)
    })
    const { files, log } = await this.#open(id)
    await files.rebuild(store, step => activities(id, step))
    this.#kept.set(id, { files, log })
  }

  activity(run: string, activity: Activity): void {
    this.#guard(() => {
      const kept = this.#kept.get(run)
      kept?.files.activity(activity)
      kept?.log?.activity(activity)
    })
  }

  /** After it was driven: the files are complete when this returns. */
  async end(run: string): Promise<void> {
    const kept = this.#kept.get(run)
    if (!kept) return
    await this.#subscription?.poll()
    await kept.files.catchUp(this.#options.store)
    this.#kept.delete(run)
  }

  /** Rebuilds the files of a run, here or in a directory that the person chose. */
  async export(id: string, directory?: string): Promise<void> {
    const { store, activities, runDirectory } = this.#options
    await readRun(store, id, oneshotWorkflow)
    await new OneshotFiles([directory ?? runDirectory(id)], id).rebuild(store, step => activities(id, step))
  }

  close(): void {
    this.#subscription?.close()
  }

  async #open(id: string): Promise<Kept> {
    const { store, runDirectory } = this.#options
    const { run } = await readRun(store, id, oneshotWorkflow)
    const { logsDir, sessionLog } = run.work.input
    return {
      files: new OneshotFiles([runDirectory(id), ...(logsDir === undefined ? [] : [logsDir])], id),
      log: sessionLog === undefined ? null : new SessionLog(sessionLog),
    }
  }

  #writeEvent(event: StoredEvent): void {
    const prefix = runStream('')
    if (!event.stream.startsWith(prefix)) return
    const kept = this.#kept.get(event.stream.slice(prefix.length))
    this.#guard(() => {
      kept?.files.addEvent(event)
      kept?.log?.event(event)
    })
  }

  /** The files are copies of what is in the store: a write error stops no run. */
  #guard(write: () => void): void {
    try {
      write()
    } catch (error) {
      this.#options.onError(error)
    }
  }
}

/** One combined log in a chosen file: Markdown if it ends in .md, else JSON lines. */
class SessionLog {
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
