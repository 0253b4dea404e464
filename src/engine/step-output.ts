import { SegmentWriter } from '../activity/index.js'
import type { Clock } from '../clock/index.js'
import type { Redactor } from '../text/index.js'
import type { StepCall } from './workflow.js'

interface StepOutputOptions {
  /** The file with the activities of the step. */
  path: string
  clock: Clock
  redactor: Redactor
}

/** A command that prints more than this is not logged further; the end of its output is kept. */
const LINES_MAX = 20_000
const LINE_MAX = 8_000

/**
 * What the command of a step prints, line by line, in the file of its activities: the log of the
 * run shows it while the command runs.
 */
export class StepOutput {
  readonly #segment: SegmentWriter
  readonly #options: StepOutputOptions
  readonly #step: string
  readonly #partial = { stdout: '', stderr: '' }
  readonly #decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() }
  #seq = 0

  constructor(call: Pick<StepCall, 'name'>, options: StepOutputOptions) {
    this.#options = options
    this.#step = call.name
    this.#segment = new SegmentWriter(options.path, options.clock)
  }

  add(from: 'stdout' | 'stderr', bytes: Uint8Array): void {
    const lines = (this.#partial[from] + this.#decoders[from].decode(bytes, { stream: true })).split('\n')
    const rest = lines.pop() ?? ''
    // A progress bar draws over itself: only its last state counts.
    this.#partial[from] = rest.slice(rest.lastIndexOf('\r', rest.length - 2) + 1).slice(0, LINE_MAX)
    for (const line of lines) this.#write(from, line)
  }

  /** Resolves when everything is in the file. A log that cannot be written fails no step. */
  async close(): Promise<void> {
    for (const from of ['stdout', 'stderr'] as const)
      if (this.#partial[from] !== '') this.#write(from, this.#partial[from])
    await this.#segment.close().catch(() => undefined)
  }

  #write(from: 'stdout' | 'stderr', line: string): void {
    if (this.#seq > LINES_MAX) return
    const shown = line.replace(/\r$/, '')
    const text =
      this.#seq === LINES_MAX
        ? `… more than ${LINES_MAX} lines; further output is not logged`
        : this.#options.redactor.redact(shown.slice(shown.lastIndexOf('\r') + 1).slice(0, LINE_MAX))
    this.#segment.append({
      step: this.#step,
      seq: ++this.#seq,
      at: this.#options.clock.now(),
      agent: 'command',
      type: 'raw',
      text,
      ...(from === 'stderr' && { from }),
    })
  }
}
