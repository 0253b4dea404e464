import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CheckpointFold } from '../../engine/index.js'
import type { StoredEvent } from '../../store/index.js'

/**
 * Writes `checkpoint_<ms>.json` for each checkpoint of a run, and the newest as `checkpoint.json`,
 * as its events arrive from the first one on. A reader never sees a part of a file.
 */
export class CheckpointWriter {
  readonly #directory: string
  readonly #fold = new CheckpointFold()
  #version = 0
  #last = 0
  count = 0

  constructor(directory: string) {
    this.#directory = directory
    mkdirSync(directory, { recursive: true })
  }

  /** An event that was taken before changes nothing. */
  event(event: StoredEvent): void {
    if (event.version <= this.#version) return
    this.#version = event.version
    const found = this.#fold.foldEvent(event)
    if (!found) return
    // Checkpoints of the same millisecond keep their order in their names.
    this.#last = Math.max(this.#last + 1, Math.round(found.checkpoint.timestamp))
    const text = `${JSON.stringify(found.checkpoint, null, 2)}\n`
    this.#write(`checkpoint_${this.#last}.json`, text)
    this.#write('checkpoint.json', text)
    this.count++
  }

  #write(name: string, text: string): void {
    const path = join(this.#directory, name)
    writeFileSync(`${path}.part`, text)
    renameSync(`${path}.part`, path)
  }
}
