import { hostname } from 'node:os'
import { isAlive, processStart } from './process-info.js'

/** This process, so that others on this machine can tell whether it still lives. */
export function ownName(): string {
  return `${hostname()}:${process.pid}:${processStart(process.pid) ?? ''}`
}

/**
 * Only what is certain counts: a process of this machine that has ended. Others let their lease run
 * out.
 */
export function isOwnerGone(owner: string): boolean {
  const [host, pid, start] = owner.split(':')
  if (host !== hostname()) return false
  if (!isAlive(Number(pid))) return true
  return start !== '' && processStart(Number(pid)) !== start
}
