import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { type Clock, delay } from '../clock/index.js'
import { withLimitMark } from './limit-mark.js'
import { isAlive, processStart } from './process-info.js'
import { isOfStep, type MarkedProcess, markedProcesses, STEP_MARK } from './step-mark.js'

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
  /** Its pipes have been read to their end. */
  readonly closed: Promise<void>
  /**
   * Writes to the input of the program, if that is a pipe. Input for a program that has exited is
   * dropped.
   */
  write(text: string): void
  endInput(): void
  /**
   * Sends TERM to the group and to every process with the mark, and KILL to those that are left
   * after the grace period. Resolves when none is left.
   */
  kill(graceMs: number): Promise<void>
}

/**
 * Starts a program without a shell. `stdin` is an open file descriptor, a pipe, or nothing; every
 * process that it starts inherits `mark`. Rejects when the program cannot be started.
 */
export function spawnGroup(
  file: string,
  args: readonly string[],
  options: { cwd: string; env: Record<string, string>; stdin: number | 'pipe' | null; mark: string; clock: Clock },
): Promise<ChildGroup> {
  const { cwd, env, stdin, mark, clock } = options
  const program = withLimitMark(mark, { file, args }, { path: env.PATH, cwd })
  return new Promise((resolve, reject) => {
    const child = spawn(program.file, [...program.args], {
      cwd,
      env: { ...env, [STEP_MARK]: mark },
      stdio: [stdin ?? 'ignore', 'pipe', 'pipe'],
      detached: true,
    })
    const exit = new Promise<GroupExit>(ended => child.on('exit', (code, signal) => ended({ code, signal })))
    const closed = new Promise<void>(ended => child.on('close', () => ended()))
    child.stdin?.on('error', () => undefined)
    child.once('error', reject)
    child.once('spawn', () => {
      const pid = child.pid!
      const start = processStart(pid)
      // A child that has not been reaped keeps its id.
      const isRunning = () => child.exitCode === null && child.signalCode === null
      resolve({
        pid,
        processStart: start,
        stdout: child.stdout!,
        stderr: child.stderr!,
        exit,
        closed,
        write: text => void (child.stdin?.writable && child.stdin.write(text)),
        endInput: () => void child.stdin?.end(),
        kill: graceMs =>
          endProcesses({
            leaders: [{ pid, processStart: start, isRunning }],
            isWanted: found => isOfStep(found, mark),
            graceMs,
            clock,
          }),
      })
    })
  })
}

/** The first process of a step, which leads its process group. */
export interface GroupLeader {
  pid: number
  /** Null where the system does not report it: then only the mark proves whose group it is. */
  processStart: string | null
  /** For a child of this process: whether it still runs. */
  isRunning?(): boolean
}

export interface EndOptions {
  /** The first processes of the steps. */
  leaders: readonly GroupLeader[]
  /** Which of the marked processes to end. */
  isWanted(process: MarkedProcess): boolean
  graceMs: number
  clock: Clock
  /**
   * Asked each time after the processes were listed. Only listed ones are signalled: processes that
   * another driver of the run starts after this answer are safe.
   */
  mayEnd?(): Promise<boolean>
}

/**
 * Ends process groups and all processes with a wanted mark: TERM, then KILL to those that are left
 * after the grace period. A pid alone proves nothing. So a group is signalled only while its leader
 * is the process that was started, or while a member has the mark; processes outside the groups
 * only while they have the mark. Agents run the commands of their tools in separate sessions, which
 * a signal to the group does not reach.
 */
export async function endProcesses({ leaders, isWanted, graceMs, clock, mayEnd }: EndOptions): Promise<void> {
  const proven = new Set<number>()
  const signalAll = async (name: NodeJS.Signals): Promise<boolean> => {
    const listed = markedProcesses().filter(isWanted)
    if (mayEnd && !(await mayEnd())) return false
    const marked = listed.filter(({ pid, start }) => isAlive(pid) && processStart(pid) === start)
    for (const leader of leaders)
      if (isSame(leader) || marked.some(({ group }) => group === leader.pid)) proven.add(leader.pid)
    // The id of a group is not reused while it has members.
    const groups = leaders.filter(({ pid }) => proven.has(pid) && isGroupAlive(pid))
    for (const { pid } of groups) signal(-pid, name)
    const others = marked.filter(({ group }) => !groups.some(({ pid }) => pid === group))
    for (const { pid } of others) signal(pid, name)
    return groups.length + others.length > 0
  }
  // Looking for marks reads the environment of every process: leaders are checked first.
  const isLeft = () => leaders.some(isSame) || markedProcesses().some(isWanted)
  if (!(await signalAll('SIGTERM'))) return
  const deadline = clock.monotonic() + graceMs
  while (isLeft() && clock.monotonic() < deadline) await delay(clock, POLL_MS)
  for (let round = 0; round < ROUNDS_MAX; round++) {
    if (!(await signalAll('SIGKILL')) || !isLeft()) return
    await delay(clock, POLL_MS)
  }
}

const POLL_MS = 20
const ROUNDS_MAX = 100

function isSame({ pid, processStart: start, isRunning }: GroupLeader): boolean {
  // Without a pid there is no group to signal: 0 would mean our own.
  if (pid <= 0) return false
  if (isRunning?.() === true) return true
  return start !== null && isAlive(pid) && processStart(pid) === start
}

function isGroupAlive(pid: number): boolean {
  if (pid <= 0) return false
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
