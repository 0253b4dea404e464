import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { demoDirectories } from '../../agents/index.js'
import { systemClock } from '../../clock/index.js'
import { isAlive, processStart } from '../../process/index.js'

/** Exists while a dashboard demo runs, and after it was killed; a clean end removes it. */
const ALIVE = 'alive.json'
const KEEP_MS = 24 * 3_600_000

export interface InterruptedDemo {
  directory: string
  /** The port of its page: an open browser tab reconnects there. */
  port: number
}

/** Demos are kept for a day, so that their recordings can be replayed. */
export function removeOldDemos(): void {
  for (const directory of demoDirectories()) {
    try {
      if (systemClock.now() - statSync(directory).mtimeMs > KEEP_MS) rmSync(directory, { recursive: true, force: true })
    } catch {
      // Another process is removing it.
    }
  }
}

/**
 * The newest dashboard demo that was started from this home directory and killed. Its agents still
 * run, so it can be resumed.
 */
export function findInterruptedDemo(home: string): InterruptedDemo | null {
  const found = demoDirectories()
    .map(directory => ({ directory, alive: readAlive(directory) }))
    .filter(
      ({ alive }) =>
        alive !== null &&
        alive.home === home &&
        !(isAlive(alive.pid) && processStart(alive.pid) === alive.processStart),
    )
    .sort((a, b) => b.alive!.at - a.alive!.at)[0]
  return found ? { directory: found.directory, port: found.alive!.port } : null
}

export function markAlive(directory: string, { port, home }: { port: number; home: string }): void {
  const alive: Alive = { home, pid: process.pid, processStart: processStart(process.pid), port, at: systemClock.now() }
  writeFileSync(join(directory, ALIVE), JSON.stringify(alive))
}

export function markEnded(directory: string): void {
  rmSync(join(directory, ALIVE), { force: true })
}

interface Alive {
  /** The home directory of the person who started it: others have demos of their own. */
  home: string
  pid: number
  processStart: string | null
  port: number
  at: number
}

function readAlive(directory: string): Alive | null {
  try {
    return JSON.parse(readFileSync(join(directory, ALIVE), 'utf8')) as Alive
  } catch {
    return null
  }
}
