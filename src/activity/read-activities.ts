import type { Clock } from '../clock/index.js'
import type { Redactor } from '../text/index.js'
import type { Activity, ActivityBody } from './activity.js'
import { type JsonFrame, JsonFramer } from './json-framer.js'
import type { Chunk } from './merge-pipes.js'

/** Turns the frames of one agent's output into activities. It may keep what it needs between frames; unknown records are `raw`. */
export interface ActivityParser {
  parse(frame: JsonFrame): ActivityBody[]
  /** For agents that put records on standard error; left out, its lines are `raw`. */
  parseError?(frame: JsonFrame): ActivityBody[]
  /** At the end of the output: what was still open. */
  end?(): ActivityBody[]
}

export interface StreamOptions {
  step: string
  agent: string
  clock: Clock
  redactor: Redactor
  parser: ActivityParser
  /** Writes each activity down before it is passed on. */
  log(activity: Activity): void
  /** Null while what is written down keeps up; else what to wait for before more is read. */
  caughtUp?(): Promise<void> | null
}

/** An object that does not close for so long was none. */
const OPEN_MAX_MS = 10_000

/**
 * Bytes in, activities out: framed, stamped, parsed, redacted, logged, passed on, one at a time and only when pulled. Standard error never
 * mixes with standard output; its lines are `raw`.
 */
export async function* readActivities(
  chunks: AsyncIterable<Chunk>,
  options: StreamOptions,
): AsyncGenerator<Activity, void, undefined> {
  const { parser } = options
  const stamp = new Stamp(options)
  const pipes = { stdout: new Pipe(options.clock), stderr: new Pipe(options.clock) }
  const read = function* (from: Chunk['from'], frames: readonly JsonFrame[]) {
    for (const frame of frames) {
      const bodies = from === 'stdout' ? parser.parse(frame) : (parser.parseError?.(frame) ?? errorLine(frame))
      for (const body of bodies) yield stamp.mark(body)
    }
  }
  for await (const { from, bytes } of chunks) {
    yield* read(from, pipes[from].push(bytes))
    await options.caughtUp?.()
  }
  for (const from of ['stdout', 'stderr'] as const) yield* read(from, pipes[from].end())
  for (const body of parser.end?.() ?? []) yield stamp.mark(body)
}

class Pipe {
  readonly #decoder = new TextDecoder()
  readonly #framer = new JsonFramer()
  readonly #clock: Clock
  #lastAt: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#lastAt = clock.monotonic()
  }

  push(bytes: Uint8Array): JsonFrame[] {
    const now = this.#clock.monotonic()
    const isStale = this.#framer.isOpen && now - this.#lastAt >= OPEN_MAX_MS
    this.#lastAt = now
    const given = isStale ? this.#framer.abandonOpen() : []
    return [...given, ...this.#framer.push(this.#decoder.decode(bytes, { stream: true }))]
  }

  end(): JsonFrame[] {
    return [...this.#framer.push(this.#decoder.decode()), ...this.#framer.end()]
  }
}

class Stamp {
  readonly #options: StreamOptions
  #seq = 0
  #sessionId: string | undefined

  constructor(options: StreamOptions) {
    this.#options = options
  }

  mark(body: ActivityBody): Activity {
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

function errorLine(frame: JsonFrame): ActivityBody[] {
  const text = frame.kind === 'object' ? JSON.stringify(frame.value) : frame.text
  return [{ type: 'raw', text, from: 'stderr' }]
}
