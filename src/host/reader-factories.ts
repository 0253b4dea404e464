import { availableParallelism } from 'node:os'
import type { Clock } from '../clock/index.js'
import { LocalReader, type ReaderFactory, ReaderThreads, type ThreadReaderOptions } from '../panes/reader/index.js'

interface ReaderFactoriesOptions {
  clock: Clock
  /** Threads at most; 0: none; null: as many as there are other cores. */
  threads: number | null
  /** Only a daemon has threads. */
  owner: 'daemon' | 'foreground'
}

/** Where terminals are read: in the host's own thread, or in others. */
export class ReaderFactories {
  readonly #threads: ReaderThreads | null

  constructor({ clock, threads, owner }: ReaderFactoriesOptions) {
    const max = threads ?? availableParallelism() - 1
    const isUsed = owner === 'daemon' && max > 0 && ReaderThreads.areAvailable
    this.#threads = isUsed ? new ReaderThreads({ clock, max }) : null
  }

  /** How many terminals can be read at the same time. */
  get width(): number {
    return this.#threads?.max ?? 1
  }

  get count(): number {
    return this.#threads?.count ?? 0
  }

  /** @param monotonic the clock of the session's queue, for a terminal that this thread reads. */
  factoryFor(monotonic: () => number, options: ThreadReaderOptions): ReaderFactory {
    return this.#threads && !this.#threads.areBroken ? this.#threads.factoryFor(options) : new LocalReader(monotonic)
  }

  close(): void {
    this.#threads?.close()
  }
}
