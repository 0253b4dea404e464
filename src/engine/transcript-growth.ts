import { statSync } from 'node:fs'
import type { AgentAdapter } from '../agents/index.js'
import type { Clock } from '../clock/index.js'

/**
 * A transcript written within this time of the last record contains nothing newer than the record.
 */
const SAME_MOMENT_MS = 1_000

/** Detects whether a silent agent is still writing to its own transcript. */
export class TranscriptGrowth {
  readonly #adapter: AgentAdapter
  readonly #context: { env: Record<string, string>; cwd: string; startedAt: number }
  readonly #clock: Clock
  #session: string | null = null
  #lastRecordAt: number
  #mark = ''

  constructor(
    adapter: AgentAdapter,
    place: { env: Record<string, string>; cwd: string; startedAt: number },
    clock: Clock,
  ) {
    this.#adapter = adapter
    this.#context = place
    this.#clock = clock
    this.#lastRecordAt = clock.now()
  }

  noteRecord(session: string | null): void {
    this.#session = session
    this.#lastRecordAt = this.#clock.now()
  }

  /** Each change counts once. */
  async hasGrown(): Promise<boolean> {
    const files = await this.#adapter.transcript?.locate({ ...this.#context, agentSessionId: this.#session })
    const file = files?.[0]
    if (file === undefined) return false
    // A SQLite database in WAL mode grows in its -wal file.
    const times = [file, `${file}-wal`].map(path => statSync(path, { throwIfNoEntry: false }))
    const writtenAt = Math.max(...times.map(time => time?.mtimeMs ?? 0))
    const mark = times.map(time => `${time?.size}:${time?.mtimeMs}`).join(' ')
    const isNew = mark !== this.#mark && writtenAt > this.#lastRecordAt + SAME_MOMENT_MS
    this.#mark = mark
    return isNew
  }
}
