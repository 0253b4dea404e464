import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import { isAlive, ownProgram, processStart, runCommand } from '../../process/index.js'

const PREFIX = 'signalbox-demo-'
const MARK = '.made-by-signalbox-demo'
/** Exists while a dashboard demo runs, and after it was killed; a clean end removes it. */
const ALIVE = 'alive.json'
const KEEP_MS = 24 * 3_600_000

export interface InterruptedDemo {
  directory: string
  /** The port of its page: an open browser tab reconnects there. */
  port: number
}

export function createDemoDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), PREFIX))
  writeFileSync(join(directory, MARK), 'created by signalbox demo; a later demo removes it after a day\n')
  return directory
}

/**
 * A small git project with a failing test, for the demo agent: it never plays in a person's own.
 */
export async function createSampleProject(directory: string, name: string): Promise<string> {
  const path = join(directory, name)
  if (existsSync(path)) return path
  mkdirSync(path)
  const program = ownProgram('demo-agent/main')
  const made = await runCommand(process.execPath, [program, '--sample-project', path], { cwd: directory })
  if (made.code !== 0) throw new SignalboxError('E_DEMO', `cannot create the sample project: ${made.stderr.trim()}`)
  return path
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

/** Only directories of this user that a demo created. */
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
