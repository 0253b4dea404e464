import { toSignalboxError } from '../errors/index.js'
import type { WorkerComparison } from '../workers/index.js'
import type { AgentFinding } from './agents.js'

/** The result of one check. */
export interface DoctorFinding {
  check: string
  level: 'ok' | 'note' | 'warning' | 'error'
  message: string
  /** What to do about it. */
  next?: string
  /** For an agent: everything that is known about it. */
  agent?: AgentFinding
}

/** What the checks examine. */
export interface DoctorContext {
  env: NodeJS.ProcessEnv
  cwd: string
  /** The running daemon of the home directory; null if none runs. */
  daemon(): Promise<{
    pid: number
    version: string
    loop: { recent: LoopBlock | null }
    readers: { threads: number; failures: number }
  } | null>
  /** What its workers have, compared with the log; null if no daemon runs. */
  workers(): Promise<WorkerComparison[] | null>
}

/** The longest time in which the daemon did nothing else. */
interface LoopBlock {
  ms: number
  session: { id: string; ms: number } | null
}

export function failure(check: string, error: unknown): DoctorFinding {
  const { message, next, place } = toSignalboxError(error)
  const where = place ? `${[place.file, place.line, place.column].filter(part => part !== undefined).join(':')}: ` : ''
  return { check, level: 'error', message: where + message, ...(next !== undefined && { next }) }
}
