import { hostname } from 'node:os'
import { isAlive, processStart } from './process-info.js'

/** This process, so that others on this machine can tell whether it still lives. */
export function ownName(): string {
  return `${hostname()}:${process.pid}:${processStart(process.pid) ?? ''}`
}

/** Whether a process runs; `unknown` for one of another machine. */
export function ownerState(owner: string): 'alive' | 'gone' | 'unknown' {
  const [host, pid, start] = owner.split(':')
  if (host !== hostname()) return 'unknown'
  if (!isAlive(Number(pid))) return 'gone'
  return start !== '' && processStart(Number(pid)) !== start ? 'gone' : 'alive'
}

/** Only what is certain counts: a process of this machine that has ended. Others let their lease run out. */
export function isOwnerGone(owner: string): boolean {
  return ownerState(owner) === 'gone'
}
