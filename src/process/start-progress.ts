import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isAlive } from './process-info.js'

const FILE = 'starting.json'

/** What a program that is starting does now. */
export interface StartProgress {
  pid: number
  doing: string
}

/** In the program that starts: says what it does now; null when it is ready or has failed. */
export function noteStartProgress(runtimeDirectory: string, doing: string | null): void {
  const file = join(runtimeDirectory, FILE)
  try {
    if (doing === null) rmSync(file, { force: true })
    else writeFileSync(file, JSON.stringify({ pid: process.pid, doing } satisfies StartProgress), { mode: 0o600 })
  } catch {
    // Errors are ignored: the file only informs programs that wait.
  }
}

/** In a program that waits for it: null if no program is starting. */
export function readStartProgress(runtimeDirectory: string): StartProgress | null {
  try {
    const { pid, doing } = JSON.parse(readFileSync(join(runtimeDirectory, FILE), 'utf8')) as StartProgress
    return typeof pid === 'number' && typeof doing === 'string' && isAlive(pid) ? { pid, doing } : null
  } catch {
    return null
  }
}
