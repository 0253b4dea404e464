import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { uptime } from 'node:os'
import { isOfRun, limitMark, limitMarkOf } from './limit-mark.js'
import { entriesOf, statFields } from './proc-files.js'
import { isAlive } from './process-info.js'

/**
 * The environment variable that every process of a step inherits. Its value is the name of the
 * step, `<run>/<step>`. It identifies processes that outlive the process group or its leader. A
 * process that cleared it is found by its `limitMark`.
 */
export const STEP_MARK = 'SIGNALBOX_STEP'

/** A running process that inherited a mark of a step. */
export interface MarkedProcess {
  pid: number
  /** Its process group. */
  group: number
  /** `processStart`; null where the system does not report it. */
  start: string | null
  /** `<run>/<step>`, or its `limitMark` if the process cleared its environment. */
  mark: string | bigint
}

/** Whether a process belongs to the step with this name. */
export function isOfStep({ mark }: Pick<MarkedProcess, 'mark'>, name: string): boolean {
  return mark === (typeof mark === 'string' ? name : limitMark(name))
}

/** Whether a process belongs to a step of this run. */
export function isOfStepOfRun({ mark }: Pick<MarkedProcess, 'mark'>, run: string): boolean {
  return typeof mark === 'string' ? mark.startsWith(`${run}/`) : isOfRun(mark, run)
}

/** All running processes with a mark, except this one. */
export function markedProcesses(): MarkedProcess[] {
  const search = searchMarked()
  let step = search.next()
  while (!step.done) step = search.next()
  return step.value
}

/** `markedProcesses` in slices: the first time, the environment of every process is read. */
export async function findMarkedProcesses(): Promise<MarkedProcess[]> {
  const search = searchMarked()
  let step = search.next()
  for (; !step.done; step = search.next()) await new Promise<void>(resolve => setImmediate(resolve))
  return step.value
}

/** Processes that are read before others may work. */
const PROCESSES_PER_SLICE = 50

/** Yields after each slice. */
function* searchMarked(): Generator<void, MarkedProcess[]> {
  const names = entriesOf('/proc')
  const found = names === null ? fromProcessList() : yield* fromProc(names.filter(isNumber).map(Number))
  return found.filter(({ pid }) => pid !== process.pid && isAlive(pid))
}

/**
 * A process gets its mark when it starts, and children inherit it. So a process that has been
 * running for this long without one is none of a step. The time is far above what a process needs
 * from its `fork`, when it shows the environment of its parent, to its `exec`. In seconds.
 */
const MARK_EXPECTED_S = 10
const TICKS_PER_S = 100

/** Processes without a mark, with their start: most processes are, and need not be read again. */
let unmarked = new Map<number, string>()

function* fromProc(pids: readonly number[]): Generator<void, MarkedProcess[]> {
  const latestStart = (uptime() - MARK_EXPECTED_S) * TICKS_PER_S
  const stillUnmarked = new Map<number, string>()
  const found: MarkedProcess[] = []
  for (const [index, pid] of pids.entries()) {
    if (index % PROCESSES_PER_SLICE === PROCESSES_PER_SLICE - 1) yield
    const fields = statFields(pid)
    const start = fields?.[19]
    if (start === undefined) continue
    const mark = unmarked.get(pid) === start ? null : markOf(pid)
    if (mark !== null) found.push({ pid, group: Number(fields![2]), start, mark })
    else if (Number(start) < latestStart) stillUnmarked.set(pid, start)
  }
  unmarked = stillUnmarked
  return found
}

function markOf(pid: number): MarkedProcess['mark'] | null {
  let environment: string
  try {
    environment = readFileSync(`/proc/${pid}/environ`, 'utf8')
  } catch {
    // The process has exited, or belongs to another user.
    return null
  }
  const start = `${STEP_MARK}=`
  const name = environment.split('\0').find(entry => entry.startsWith(start))
  return name === undefined ? limitMarkOf(pid) : name.slice(start.length)
}

/** Where the system has no /proc, such as macOS. */
function fromProcessList(): MarkedProcess[] {
  const { stdout } = spawnSync('ps', ['-A', '-E', '-ww', '-o', 'pid=,pgid=,command='], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  return parseProcessList(stdout ?? '')
}

/** Lines of `ps -E`: pid, process group, command line, and the variables of the environment. */
export function parseProcessList(text: string): MarkedProcess[] {
  return text.split('\n').flatMap(line => {
    const columns = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line)
    // A name of a step may contain blanks: its value ends where the next variable starts.
    const mark = new RegExp(`(?:^|\\s)${STEP_MARK}=(.*?)(?=\\s[A-Za-z_]\\w*=|\\s*$)`).exec(columns?.[3] ?? '')
    return columns && mark ? [{ pid: Number(columns[1]), group: Number(columns[2]), start: null, mark: mark[1]! }] : []
  })
}

function isNumber(name: string): boolean {
  return /^\d+$/.test(name)
}
