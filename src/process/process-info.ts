import { statFields } from './proc-files.js'

/** Whether the process runs; a zombie does not: in a container it may stay for ever. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return statFields(pid)?.[0] !== 'Z'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * When a process was started, in units of the kernel, or null. The pair of id and start identifies
 * a process for good: ids are reused, the pair is not. Only Linux reports it without starting
 * another program.
 */
export function processStart(pid: number): string | null {
  return statFields(pid)?.[19] ?? null
}

/** The groups of a process and its terminal's foreground, and whether it is suspended. */
export function terminalGroups(pid: number): { own: number; foreground: number; isStopped: boolean } | null {
  const fields = statFields(pid)
  if (!fields) return null
  return { own: Number(fields[2]), foreground: Number(fields[5]), isStopped: fields[0] === 'T' }
}
