import { statFields } from './proc-files.js'

/** Whether a process with this id runs now, ours or not. One that has ended and waits to be collected does not: in a container it may wait for ever. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return statFields(pid)?.[0] !== 'Z'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * When a process was started, in the kernel's own units, or null. Together with the id it names a process for good:
 * ids are used again, a pair of id and start is not. Only Linux tells it without starting another program.
 */
export function processStart(pid: number): string | null {
  return statFields(pid)?.[19] ?? null
}

/** A process and its terminal: its own group, the one in the foreground, and whether it is suspended. Null where nobody tells. */
export function terminalGroups(pid: number): { own: number; foreground: number; isStopped: boolean } | null {
  const fields = statFields(pid)
  if (!fields) return null
  return { own: Number(fields[2]), foreground: Number(fields[5]), isStopped: fields[0] === 'T' }
}
