import { createHash } from 'node:crypto'
import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Report, StepNeeds, WantedStep } from './protocol.js'

export interface StartedStep extends WantedStep {
  run: string
  needs: StepNeeds
}

/**
 * What a worker remembers of each attempt, so that it begins none twice and loses no end when it is
 * killed: `started.json` is on the disk before the step starts, `end.json` before the end is
 * reported.
 */
export class StepFiles {
  readonly #directory: string

  constructor(directory: string) {
    this.#directory = directory
    mkdirSync(directory, { recursive: true, mode: 0o700 })
  }

  /** The attempts of earlier starts of this worker. */
  all(): { started: StartedStep; end: Report | null }[] {
    return readdirSync(this.#directory).flatMap(name => {
      const started = read<StartedStep>(join(this.#directory, name, 'started.json'))
      return started ? [{ started, end: read<Report>(join(this.#directory, name, 'end.json')) }] : []
    })
  }

  start(step: StartedStep): void {
    const directory = this.#path(step)
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    write(join(directory, 'started.json'), step)
    sync(this.#directory)
  }

  end(step: StartedStep, end: Report): void {
    write(join(this.#path(step), 'end.json'), end)
  }

  remove(step: StartedStep): void {
    rmSync(this.#path(step), { recursive: true, force: true })
  }

  #path({ run, key }: StartedStep): string {
    return join(this.#directory, createHash('sha256').update(`${run}/${key}`).digest('hex').slice(0, 32))
  }
}

/** Null if it is missing or was cut off while it was written. */
function read<T>(path: string): T | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T
  } catch {
    return null
  }
}

function write(path: string, value: unknown): void {
  const file = openSync(path, 'w', 0o600)
  try {
    writeSync(file, JSON.stringify(value))
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function sync(directory: string): void {
  const file = openSync(directory, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
