import { type FSWatcher, watch } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { AgentStatement, AgentTranscript, TranscriptLookup, TranscriptReader } from '../agents/index.js'
import type { Clock, Timer } from '../clock/index.js'

/** Changes are noticed at once if the system reports them, and otherwise at the next poll. */
const POLL_MS = 1_000
/** A transcript that does not exist after this many polls is checked less often. */
const FAST_POLLS = 30
const SLOW_POLL_MS = 5_000
/**
 * An agent writes nothing while its session is idle; if it does, the system reports that. Hundreds
 * of idle sessions must cost hardly anything.
 */
const IDLE_AFTER_MS = 10_000
const IDLE_POLL_MS = 60_000
/** Several writes in a row are read together. */
const DEBOUNCE_MS = 20

export interface TranscriptTailOptions {
  transcript: AgentTranscript
  lookup(): TranscriptLookup
  clock: Clock
  /** Each statement once; `index` counts in the file, so ids stay the same. */
  onStatement(statement: AgentStatement, about: { at: number | null; path: string; index: number }): void
  onError(error: unknown): void
}

/** Follows an agent's transcript from its beginning; nothing is reported twice. */
export class TranscriptTail {
  readonly #options: TranscriptTailOptions
  #path: string | null = null
  #reader: TranscriptReader | null = null
  #watcher: FSWatcher | null = null
  #timer: Timer | null = null
  #polls = 0
  /** When the session last drew. Without such reports, the session counts as working. */
  #changedAt = Number.POSITIVE_INFINITY
  #isIdle = false
  #index = 0
  #seen = ''
  #reading: Promise<void> = Promise.resolve()
  #isQueued = false
  #isStopped = false

  constructor(options: TranscriptTailOptions) {
    this.#options = options
  }

  get path(): string | null {
    return this.#path
  }

  start(): void {
    this.#schedule(0)
  }

  /** The session has started, or draws: its agent may write now. */
  sessionChanged(): void {
    this.#changedAt = this.#options.clock.now()
    if (this.#isIdle) this.#schedule(POLL_MS)
  }

  /** The agent itself reports where it writes. */
  use(path: string): void {
    if (this.#isStopped || path === this.#path || !path.startsWith('/')) return
    this.#reading = this.#reading.then(() => this.#open(path)).catch(this.#options.onError)
    // A queued read is one of the previous file.
    this.#isQueued = false
    void this.#read()
  }

  /** Reads to the current end, then nothing more. */
  async stop(): Promise<void> {
    this.#timer?.cancel()
    await this.#read()
    this.#isStopped = true
    this.#timer?.cancel()
    this.#close()
  }

  #schedule(ms: number): void {
    this.#timer?.cancel()
    this.#isIdle = ms === IDLE_POLL_MS
    if (this.#isStopped) return
    this.#timer = this.#options.clock.setTimer(ms, () => {
      this.#polls++
      void this.#read().then(() => this.#schedule(this.#pause()))
    })
  }

  #pause(): number {
    if (this.#options.clock.now() - this.#changedAt > IDLE_AFTER_MS) return IDLE_POLL_MS
    return this.#path !== null || this.#polls < FAST_POLLS ? POLL_MS : SLOW_POLL_MS
  }

  /** One read at a time; at most one more is queued meanwhile. */
  #read(): Promise<void> {
    if (this.#isQueued) return this.#reading
    this.#isQueued = true
    this.#reading = this.#reading
      .then(async () => {
        this.#isQueued = false
        if (!this.#isStopped) await this.#readNow()
      })
      .catch(this.#options.onError)
    return this.#reading
  }

  async #readNow(): Promise<void> {
    if (this.#path === null) {
      const [found] = await this.#options.transcript.locate(this.#options.lookup())
      if (found === undefined) return
      await this.#open(found)
    }
    const path = this.#path
    if (path === null || this.#reader === null || !(await this.#hasChanged(path))) return
    const { statements } = await this.#reader.read()
    if (this.#isStopped || this.#path !== path) return
    for (const { at, ...statement } of statements)
      this.#options.onStatement(statement as AgentStatement, { at, path, index: this.#index++ })
  }

  async #open(path: string): Promise<void> {
    // A named pipe or a device would block the reader; a file that does not exist yet will appear.
    const about = await stat(path).catch(() => null)
    if (this.#isStopped || (about !== null && !about.isFile())) return
    this.#close()
    this.#path = path
    this.#index = 0
    this.#seen = ''
    this.#reader = this.#options.transcript.open(path, this.#options.lookup())
    if (about) this.#watch(path)
  }

  #watch(path: string): void {
    try {
      this.#watcher = watch(path, { persistent: false }, () => {
        if (this.#path === path) this.#options.clock.setTimer(DEBOUNCE_MS, () => void this.#read())
      })
      this.#watcher.on('error', () => this.#watcher?.close())
    } catch {
      // No more watches are available: polling is enough.
    }
  }

  /** SQLite writes to its -wal file first. */
  async #hasChanged(path: string): Promise<boolean> {
    const files = this.#options.transcript.form === 'sqlite' ? [path, `${path}-wal`] : [path]
    const about = await Promise.all(files.map(file => stat(file).catch(() => null)))
    const seen = about.map(one => (one ? `${one.ino} ${one.size} ${one.mtimeMs}` : '-')).join('|')
    if (seen === this.#seen) return false
    this.#seen = seen
    if (!this.#watcher && about[0]) this.#watch(path)
    return about[0] !== null
  }

  #close(): void {
    this.#watcher?.close()
    this.#watcher = null
    this.#reader?.close()
    this.#reader = null
    this.#path = null
  }
}
