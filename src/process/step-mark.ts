import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { entriesOf, statFields } from './proc-files.js'
import { isAlive } from './process-info.js'

/**
 * The environment variable that every process of a step inherits. Its value is the name of the
 * step, `<run>/<step>`. It identifies processes that outlive the process group or its leader.
 */
export const STEP_MARK = 'SIGNALBOX_STEP'

/** A running process that inherited the mark of a step. */
export interface MarkedProcess {
  pid: number
  /** Its process group. */
  group: number
  /** `processStart`; null where the system does not report it. */
  start: string | null
  /** `<run>/<step>` */
  mark: string
}

/** All running processes with a mark, except this one. */
export function markedProcesses(): MarkedProcess[] {
  const names = entriesOf('/proc')
  const found = names === null ? fromProcessList() : names.filter(isNumber).map(Number).flatMap(fromEnvironment)
  return found.filter(({ pid }) => pid !== process.pid && isAlive(pid))
}

function fromEnvironment(pid: number): MarkedProcess[] {
  let environment: string
  try {
    environment = readFileSync(`/proc/${pid}/environ`, 'utf8')
  } catch {
    // The process has exited, or belongs to another user.
    return []
  }
  const start = `${STEP_MARK}=`
  const mark = environment.split('\0').find(entry => entry.startsWith(start))
  const fields = statFields(pid)
  if (mark === undefined || !fields) return []
  return [{ pid, group: Number(fields[2]), start: fields[19] ?? null, mark: mark.slice(start.length) }]
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
