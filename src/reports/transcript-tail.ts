import { type FSWatcher, watch } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { AgentStatement, AgentTranscript, TranscriptPlace, TranscriptReader } from '../agents/index.js'
import type { Clock, Timer } from '../clock/index.js'

/** Changes are noticed at once where the system tells of them, and at the next poll where it does not. */
const POLL_MS = 1_000
/** A transcript that is not there after so many polls is looked for less often. */
const EAGER_POLLS = 30
const PATIENT_POLL_MS = 5_000
/** Several writes in a row are read together. */
const GATHER_MS = 20

export interface TranscriptTailOptions {
  transcript: AgentTranscript
  place(): TranscriptPlace
  clock: Clock
  /** Each statement once; `index` counts those of this file from its beginning, so that a later host gives them the same names. */
  onStatement(statement: AgentStatement, about: { at: number | null; path: string; index: number }): void
  onError(error: unknown): void
}

/** Follows one agent's own record of the conversation as it grows. Reading begins at the beginning; the reader says nothing twice. */
export class TranscriptTail {
  readonly #options: TranscriptTailOptions
  #path: string | null = null
  #reader: TranscriptReader | null = null
  #watcher: FSWatcher | null = null
  #timer: Timer | null = null
  #polls = 0
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

  /** The agent itself says where it writes. */
  use(path: string): void {
    if (this.#isStopped || path === this.#path || !path.startsWith('/')) return
    this.#reading = this.#reading.then(() => this.#open(path)).catch(this.#options.onError)
    // A reading that is queued already is one of the file before.
    this.#isQueued = false
    void this.#read()
  }

  /** What has been written so far is read to its end, then nothing more. */
  async stop(): Promise<void> {
    this.#timer?.cancel()
    await this.#read()
    this.#isStopped = true
    this.#timer?.cancel()
    this.#close()
  }

  #schedule(ms: number): void {
    this.#timer?.cancel()
    if (this.#isStopped) return
    this.#timer = this.#options.clock.setTimer(ms, () => {
      this.#polls++
      void this.#read().then(() =>
        this.#schedule(this.#path !== null || this.#polls < EAGER_POLLS ? POLL_MS : PATIENT_POLL_MS),
      )
    })
  }

  /** One reading at a time; one more is queued while one is under way, not many. */
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
      const [found] = await this.#options.transcript.locate(this.#options.place())
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
    // A named pipe or a device would keep the reader waiting; a file that is not there yet will come.
    const about = await stat(path).catch(() => null)
    if (this.#isStopped || (about !== null && !about.isFile())) return
    this.#close()
    this.#path = path
    this.#index = 0
    this.#seen = ''
    this.#reader = this.#options.transcript.open(path, this.#options.place())
    if (about) this.#watch(path)
  }

  #watch(path: string): void {
    try {
      this.#watcher = watch(path, { persistent: false }, () => {
        if (this.#path === path) this.#options.clock.setTimer(GATHER_MS, () => void this.#read())
      })
      this.#watcher.on('error', () => this.#watcher?.close())
    } catch {
      // Too many watches on this machine: polling alone will do.
    }
  }

  /** An SQLite file writes beside itself first. */
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
