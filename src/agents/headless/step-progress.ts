import type { Activity, ErrorClass } from '../../activity/index.js'
import type { HeadlessEnd } from './headless.js'

/** Accumulates the activities of a step: its answer, its usage, what is still open. */
export class StepProgress {
  readonly #openTools = new Set<string>()
  #text = ''
  #delta = ''
  #result: Extract<Activity, { type: 'result' }> | null = null
  #error: Extract<Activity, { type: 'error' }> | null = null
  #retryMs = 0
  #turns: NonNullable<HeadlessEnd['usage']> | null = null
  #run: NonNullable<HeadlessEnd['usage']> | null = null
  sessionId: string | null = null
  /** The model that answered, if the agent reports it. */
  model: string | null = null

  addActivity(activity: Activity): void {
    if (activity.type !== 'retry') this.#retryMs = 0
    // A sub-agent's text is not the answer.
    const isOwn = activity.parent === undefined
    switch (activity.type) {
      case 'session':
        this.sessionId ??= activity.sessionId
        this.model ??= activity.model ?? null
        return
      case 'text':
        if (!isOwn) return
        if (activity.delta) this.#delta += activity.text
        else {
          this.#text = activity.text
          this.#delta = ''
        }
        return
      case 'tool_call':
        this.#openTools.add(activity.callId)
        return
      case 'tool_result':
        this.#openTools.delete(activity.callId)
        return
      case 'retry':
        this.#retryMs = activity.delayMs ?? 0
        return
      case 'usage':
        this.model = activity.model ?? this.model
        this.#spend(activity)
        return
      case 'error':
        this.#error = activity
        return
      case 'result':
        this.#result = activity
        return
      default:
        return
    }
  }

  get isToolOpen(): boolean {
    return this.#openTools.size > 0
  }

  get openCalls(): string[] {
    return [...this.#openTools]
  }

  get retryMs(): number {
    return this.#retryMs
  }

  get result(): { ok: boolean; reason: string; structured?: unknown } | null {
    return this.#result
  }

  get errorClass(): ErrorClass | null {
    return this.#error?.class ?? null
  }

  get errorText(): string | null {
    return this.#error?.text ?? null
  }

  /** Its text so far, without the error text of its final record. */
  get said(): string {
    return this.#text || this.#delta
  }

  /** The agent's final message. */
  get text(): string {
    return this.#result?.text || this.#text || this.#delta
  }

  get usage(): HeadlessEnd['usage'] {
    return this.#run ?? this.#turns
  }

  #spend({
    scope,
    input,
    output,
    cacheRead,
    cacheWrite,
    reasoning,
    costUsd,
  }: Extract<Activity, { type: 'usage' }>): void {
    const usage = { input, output, ...defined({ cacheRead, cacheWrite, reasoning, costUsd }) }
    if (scope === 'run') {
      this.#run = usage
      return
    }
    const sum: Record<string, number> = { ...(this.#turns ?? { input: 0, output: 0 }) }
    for (const [key, value] of Object.entries(usage)) sum[key] = (sum[key] ?? 0) + value
    this.#turns = sum as unknown as NonNullable<HeadlessEnd['usage']>
  }
}

function defined(values: Record<string, number | undefined>): Record<string, number> {
  return Object.fromEntries(Object.entries(values).filter((entry): entry is [string, number] => entry[1] !== undefined))
}
