import type { Clock } from '../clock/index.js'
import type { Redactor } from '../text/index.js'
import type { Activity, ActivityBody } from './activity.js'
import { type JsonPart, JsonSplitter } from './json-splitter.js'
import type { Chunk } from './merge-pipes.js'

/** Turns the parts of one agent's output into activities; unknown records are `raw`. */
export interface ActivityParser {
  parse(part: JsonPart): ActivityBody[]
  /** For agents with records on standard error; without it, its lines become `raw`. */
  parseError?(part: JsonPart): ActivityBody[]
  /** At the end of the output: activities for what was still open. */
  end?(): ActivityBody[]
}

export interface StreamOptions {
  step: string
  agent: string
  clock: Clock
  redactor: Redactor
  parser: ActivityParser
  /** Persists each activity before it is passed on. */
  log(activity: Activity): void
  /** Null while persisting keeps up; else what to wait for before more is read. */
  caughtUp?(): Promise<void> | null
}

/** Text that starts like an object and is not closed for this long is not one. */
const OPEN_MAX_MS = 10_000

/**
 * Bytes in, activities out: split, parsed, numbered, redacted, persisted, and passed on one at a
 * time when the consumer asks. Standard error is kept apart from standard output; its lines become
 * `raw`.
 */
export async function* readActivities(
  chunks: AsyncIterable<Chunk>,
  options: StreamOptions,
): AsyncGenerator<Activity, void, undefined> {
  const { parser } = options
  const recorder = new ActivityRecorder(options)
  const pipes = { stdout: new Pipe(options.clock), stderr: new Pipe(options.clock) }
  const read = function* (from: Chunk['from'], parts: readonly JsonPart[]) {
    for (const part of parts) {
      const bodies = from === 'stdout' ? parser.parse(part) : (parser.parseError?.(part) ?? errorLine(part))
      for (const body of bodies) yield recorder.record(body)
    }
  }
  for await (const { from, bytes } of chunks) {
    yield* read(from, pipes[from].push(bytes))
    await options.caughtUp?.()
  }
  for (const from of ['stdout', 'stderr'] as const) yield* read(from, pipes[from].end())
  for (const body of parser.end?.() ?? []) yield recorder.record(body)
}

class Pipe {
  readonly #decoder = new TextDecoder()
  readonly #splitter = new JsonSplitter()
  readonly #clock: Clock
  #lastAt: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#lastAt = clock.monotonic()
  }

  push(bytes: Uint8Array): JsonPart[] {
    const now = this.#clock.monotonic()
    const isStale = this.#splitter.isOpen && now - this.#lastAt >= OPEN_MAX_MS
    this.#lastAt = now
    const given = isStale ? this.#splitter.abandonOpen() : []
    return [...given, ...this.#splitter.push(this.#decoder.decode(bytes, { stream: true }))]
  }

  end(): JsonPart[] {
    return [...this.#splitter.push(this.#decoder.decode()), ...this.#splitter.end()]
  }
}

class ActivityRecorder {
  readonly #options: StreamOptions
  #seq = 0
  #sessionId: string | undefined

  constructor(options: StreamOptions) {
    this.#options = options
  }

  record(body: ActivityBody): Activity {
    const { step, agent, clock, redactor, log } = this.#options
    if (body.type === 'session') this.#sessionId ??= body.sessionId
    const activity = {
      step,
      seq: ++this.#seq,
      at: clock.now(),
      agent,
      ...(this.#sessionId !== undefined && { sessionId: this.#sessionId }),
      ...(redactor.redactValue(body) as ActivityBody),
    }
    log(activity)
    return activity
  }
}

function errorLine(part: JsonPart): ActivityBody[] {
  const text = part.kind === 'object' ? JSON.stringify(part.value) : part.text
  return [{ type: 'raw', text, from: 'stderr' }]
}
