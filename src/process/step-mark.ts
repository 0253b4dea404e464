import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
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
  const names = entriesOf('/proc')
  const found = names === null ? fromProcessList() : names.filter(isNumber).map(Number).flatMap(fromProc)
  return found.filter(({ pid }) => pid !== process.pid && isAlive(pid))
}

function fromProc(pid: number): MarkedProcess[] {
  let environment: string
  try {
    environment = readFileSync(`/proc/${pid}/environ`, 'utf8')
  } catch {
    // The process has exited, or belongs to another user.
    return []
  }
  const start = `${STEP_MARK}=`
  const name = environment.split('\0').find(entry => entry.startsWith(start))
  const mark = name === undefined ? limitMarkOf(pid) : name.slice(start.length)
  const fields = mark === null ? null : statFields(pid)
  if (mark === null || !fields) return []
  return [{ pid, group: Number(fields[2]), start: fields[19] ?? null, mark }]
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
