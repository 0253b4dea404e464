import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { type Clock, delay } from '../clock/index.js'
import { isAlive, processStart } from './process-info.js'

/** The variable that every process of a step inherits, also outside its group. */
const STEP_MARK = 'SIGNALBOX_STEP'

export interface GroupExit {
  code: number | null
  signal: NodeJS.Signals | null
}

/** A program in its own process group and session. */
export interface ChildGroup {
  readonly pid: number
  readonly processStart: string | null
  readonly stdout: Readable
  readonly stderr: Readable
  readonly exit: Promise<GroupExit>
  /** Writes to the program's input, if it is a pipe; dropped if it has exited. */
  write(text: string): void
  endInput(): void
  /** TERM to the group, then KILL, then KILL to all with the mark. Waits for the end. */
  kill(graceMs: number): Promise<void>
}

/**
 * Starts a program without a shell. `stdin` is an open file descriptor, a pipe, or nothing; `mark`
 * is put into the environment. Rejects when the program cannot be started.
 */
export function spawnGroup(
  file: string,
  args: readonly string[],
  options: { cwd: string; env: Record<string, string>; stdin: number | 'pipe' | null; mark: string; clock: Clock },
): Promise<ChildGroup> {
  const { cwd, env, stdin, mark, clock } = options
  return new Promise((resolve, reject) => {
    const child = spawn(file, [...args], {
      cwd,
      env: { ...env, [STEP_MARK]: mark },
      stdio: [stdin ?? 'ignore', 'pipe', 'pipe'],
      detached: true,
    })
    const exit = new Promise<GroupExit>(ended => child.on('exit', (code, signal) => ended({ code, signal })))
    child.stdin?.on('error', () => undefined)
    child.once('error', reject)
    child.once('spawn', () => {
      const pid = child.pid!
      const start = processStart(pid)
      resolve({
        pid,
        processStart: start,
        stdout: child.stdout!,
        stderr: child.stderr!,
        exit,
        write: text => void (child.stdin?.writable && child.stdin.write(text)),
        endInput: () => void child.stdin?.end(),
        kill: graceMs => killTree({ pid, processStart: start, mark }, { graceMs, clock }),
      })
    })
  })
}

/**
 * Ends a process group and every process that has its mark. A pid alone proves nothing: the group
 * is signalled only while its leader is the process that was started, or when the leader is gone
 * and members of the group have the mark.
 */
export async function killTree(
  target: { pid: number; processStart: string | null; mark: string },
  { graceMs, clock }: { graceMs: number; clock: Clock },
): Promise<void> {
  const isOurs = () => isSameProcess(target.pid, target.processStart) || processesWithMark(target.mark).length > 0
  // Without a pid there is no group to signal: 0 would mean our own.
  if (target.pid > 0) {
    if (isOurs()) signal(-target.pid, 'SIGTERM')
    const deadline = clock.monotonic() + graceMs
    while (isGroupAlive(target.pid) && isOurs() && clock.monotonic() < deadline) await delay(clock, POLL_MS)
    if (isGroupAlive(target.pid) && isOurs()) signal(-target.pid, 'SIGKILL')
  }
  // Agents run the commands of their tools in separate sessions, which a signal to the group does
  // not reach.
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const left = processesWithMark(target.mark)
    if (left.length === 0) return
    for (const pid of left) signal(pid, 'SIGKILL')
    await delay(clock, POLL_MS)
  }
}

const POLL_MS = 20
const ROUNDS_MAX = 100

/** Running processes that inherited this mark. None where the system does not show environments. */
export function processesWithMark(mark: string): number[] {
  const needle = Buffer.from(`${STEP_MARK}=${mark}\0`)
  let names: string[]
  try {
    names = readdirSync('/proc')
  } catch {
    return []
  }
  return names
    .filter(isNumber)
    .map(Number)
    .filter(pid => pid !== process.pid && hasMark(pid, needle) && isAlive(pid))
}

function hasMark(pid: number, needle: Buffer): boolean {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`)
    const at = environment.indexOf(needle)
    return at === 0 || (at > 0 && environment[at - 1] === 0)
  } catch {
    return false
  }
}

function isSameProcess(pid: number, start: string | null): boolean {
  return isAlive(pid) && (start === null || processStart(pid) === start)
}

function isGroupAlive(pid: number): boolean {
  try {
    process.kill(-pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** A process that has exited in the meantime needs no signal. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function isNumber(name: string): boolean {
  return /^\d+$/.test(name)
}
