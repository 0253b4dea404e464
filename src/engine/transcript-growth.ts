import { statSync } from 'node:fs'
import type { AgentAdapter } from '../agents/index.js'
import type { Clock } from '../clock/index.js'

/** A transcript that is written within this time of the last record tells nothing that the record did not. */
const SAME_MOMENT_MS = 1_000

/** Whether an agent that says nothing writes its own transcript on. */
export class TranscriptGrowth {
  readonly #adapter: AgentAdapter
  readonly #place: { env: Record<string, string>; cwd: string; startedAt: number }
  readonly #clock: Clock
  #session: string | null = null
  #heardAt: number
  #mark = ''

  constructor(
    adapter: AgentAdapter,
    place: { env: Record<string, string>; cwd: string; startedAt: number },
    clock: Clock,
  ) {
    this.#adapter = adapter
    this.#place = place
    this.#clock = clock
    this.#heardAt = clock.now()
  }

  heard(session: string | null): void {
    this.#session = session
    this.#heardAt = this.#clock.now()
  }

  /** Each growth counts once. */
  async hasGrown(): Promise<boolean> {
    const files = await this.#adapter.transcript?.locate({ ...this.#place, agentSessionId: this.#session })
    const file = files?.[0]
    if (file === undefined) return false
    // A database in write-ahead mode grows beside itself.
    const times = [file, `${file}-wal`].map(path => statSync(path, { throwIfNoEntry: false }))
    const writtenAt = Math.max(...times.map(time => time?.mtimeMs ?? 0))
    const mark = times.map(time => `${time?.size}:${time?.mtimeMs}`).join(' ')
    const isNew = mark !== this.#mark && writtenAt > this.#heardAt + SAME_MOMENT_MS
    this.#mark = mark
    return isNew
  }
}
