import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../clock/index.js'
import { isAlive, processStart } from '../../process/index.js'

const PREFIX = 'signalbox-demo-'
const MARK = '.made-by-signalbox-demo'
/** There while a living demo runs, and after it was cut off; a demo that ends by itself takes it away. */
const ALIVE = 'alive.json'
const KEEP_MS = 24 * 3_600_000

export interface CutOffDemo {
  directory: string
  /** Where its page was: a browser that still shows it finds it again there. */
  port: number
}

export function newDemoDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), PREFIX))
  writeFileSync(join(directory, MARK), 'made by signalbox demo; removed by a later one after a day\n')
  return directory
}

/** Earlier demos stay for a day, so that their recordings can be looked at. */
export function forgetOldDemos(): void {
  for (const directory of demoDirectories()) {
    try {
      if (systemClock.now() - statSync(directory).mtimeMs > KEEP_MS) rmSync(directory, { recursive: true, force: true })
    } catch {
      // Someone else is removing it: leave it.
    }
  }
}

/** The newest living demo that was killed before it could end its agents. They run on, and so may the demo. */
export function cutOffDemo(): CutOffDemo | null {
  const found = demoDirectories()
    .map(directory => ({ directory, alive: readAlive(directory) }))
    .filter(({ alive }) => alive !== null && !(isAlive(alive.pid) && processStart(alive.pid) === alive.processStart))
    .sort((a, b) => b.alive!.at - a.alive!.at)[0]
  return found ? { directory: found.directory, port: found.alive!.port } : null
}

export function markAlive(directory: string, port: number): void {
  const alive: Alive = { pid: process.pid, processStart: processStart(process.pid), port, at: systemClock.now() }
  writeFileSync(join(directory, ALIVE), JSON.stringify(alive))
}

export function markEnded(directory: string): void {
  rmSync(join(directory, ALIVE), { force: true })
}

interface Alive {
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

/** Only directories of this user with our mark are ever touched. */
function demoDirectories(): string[] {
  return readdirSync(tmpdir())
    .filter(name => name.startsWith(PREFIX))
    .map(name => join(tmpdir(), name))
    .filter(directory => {
      try {
        return existsSync(join(directory, MARK)) && statSync(directory).uid === process.getuid?.()
      } catch {
        return false
      }
    })
}
