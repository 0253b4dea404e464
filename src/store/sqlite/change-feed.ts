import { type FSWatcher, watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { Clock, Timer } from '../../clock/index.js'

/**
 * Notices commits of other processes.
 *
 * SQLite sends no notifications. It offers `PRAGMA data_version`, a number that changes when
 * another connection has committed, at 3 µs per query. Polling it often enough to be quick would
 * keep an idle daemon busy, so the file system says when to check: a commit writes to the `-wal`
 * file, and `fs.watch` wakes us for that.
 *
 * But that write happens *before* the commit is visible: SQLite still has to sync it and then
 * publish it in shared memory, which causes no file event. So after a wake-up we check at once and
 * then again after the delays below, whose sum covers a slow sync. All of them are used even if a
 * check found something: two commits may cause a single file event.
 *
 * `fs.watch` may be unavailable (network file systems, exhausted inotify watches). The slow poll
 * covers that, at negligible cost.
 *
 * Symptom → setting: late by some milliseconds under load → RETRY_DELAYS_MS; late by a quarter
 * second → the watch does not work there, POLL_MS.
 */
const RETRY_DELAYS_MS = [1, 2, 4, 8, 16, 32, 64]
const POLL_MS = 250

export interface ChangeFeedOptions {
  path: string
  clock: Clock
  /** A number that changes when another connection has committed. */
  readVersion: () => number
  onChange: () => void
  onError: (error: unknown) => void
}

export class ChangeFeed {
  readonly #options: ChangeFeedOptions
  #version: number | undefined
  #watcher: FSWatcher | undefined
  #poll: Timer | undefined
  #again: Timer | undefined
  #step = 0
  #hasFailed = false

  constructor(options: ChangeFeedOptions) {
    this.#options = options
  }

  /** Changes before `start` are not reported: read the current state after calling it. */
  start(): void {
    if (this.#poll) return
    this.#version = undefined
    this.#check()
    this.#watch()
    this.#armPoll()
  }

  stop(): void {
    this.#poll?.cancel()
    this.#again?.cancel()
    this.#watcher?.close()
    this.#poll = this.#again = this.#watcher = undefined
  }

  #watch(): void {
    const name = basename(this.#options.path)
    try {
      this.#watcher = watch(dirname(this.#options.path), { persistent: false }, (_event, file) => {
        if (file === null || file === name || file === `${name}-wal`) this.#checkRepeatedly()
      })
      this.#watcher.on('error', () => this.#watcher?.close())
    } catch {
      // Watching is not available: the poll finds every change, only later.
      this.#watcher = undefined
    }
  }

  #armPoll(): void {
    this.#poll = this.#options.clock.setTimer(POLL_MS, () => {
      this.#armPoll()
      this.#check()
    })
  }

  #checkRepeatedly(): void {
    if (!this.#poll) return
    this.#step = 0
    this.#check()
    if (!this.#again) this.#armAgain()
  }

  #armAgain(): void {
    const ms = RETRY_DELAYS_MS[this.#step++]
    this.#again =
      ms === undefined
        ? undefined
        : this.#options.clock.setTimer(ms, () => {
            this.#armAgain()
            this.#check()
          })
  }

  #check(): void {
    try {
      const version = this.#options.readVersion()
      const isChanged = this.#version !== undefined && version !== this.#version
      this.#version = version
      this.#hasFailed = false
      if (isChanged) this.#options.onChange()
    } catch (error) {
      // Reported once: the same failure would repeat four times a second.
      if (!this.#hasFailed) this.#options.onError(error)
      this.#hasFailed = true
    }
  }
}
