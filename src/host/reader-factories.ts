import { availableParallelism } from 'node:os'
import type { Clock } from '../clock/index.js'
import { LocalReader, type ReaderFactory, ReaderThreads, type ThreadReaderOptions } from '../panes/reader/index.js'

/**
 * With the automatic setting the daemon reads this many terminals itself: they need less than a
 * tenth of a core, a thread costs memory and a look 17 % more CPU.
 */
const MAIN_THREAD_TERMINALS = 4

interface ReaderFactoriesOptions {
  clock: Clock
  /** Threads at most; 0: none; null: as many as there are other cores, when they are needed. */
  threads: number | null
  /** Only a daemon has threads. */
  owner: 'daemon' | 'foreground'
  onUnread(bytes: number): void
}

/** Where terminals are read: in the host's own thread, or in others. */
export class ReaderFactories {
  readonly #threads: ReaderThreads | null
  readonly #isAutomatic: boolean
  /** The sessions that the host's own thread reads. */
  readonly #own = new Set<string>()

  constructor({ clock, threads, owner, onUnread }: ReaderFactoriesOptions) {
    this.#isAutomatic = threads === null
    const max = threads ?? availableParallelism() - 1
    const isUsed = owner === 'daemon' && max > 0 && ReaderThreads.areAvailable
    this.#threads = isUsed ? new ReaderThreads({ clock, max, onUnread }) : null
  }

  /** How many terminals can be read at the same time. */
  get width(): number {
    return this.#threads?.max ?? 1
  }

  get count(): number {
    return this.#threads?.count ?? 0
  }

  /** @param monotonic the clock of the session's queue, for a terminal that this thread reads. */
  factoryFor(id: string, monotonic: () => number, options: ThreadReaderOptions): ReaderFactory {
    const isOwn = this.#isAutomatic && !options.isAlone && this.#own.size < MAIN_THREAD_TERMINALS
    if (this.#threads && !this.#threads.areBroken && !isOwn) return this.#threads.factoryFor(options)
    this.#own.add(id)
    return new LocalReader(monotonic)
  }

  /** Its terminal is not read any more. */
  release(id: string): void {
    this.#own.delete(id)
  }

  close(): void {
    this.#threads?.close()
  }
}
