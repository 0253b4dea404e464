import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/**
 * Whether the other end of a connection on this machine belongs to a process. Linux only.
 * @param port the port that the process uses for the connection.
 */
export function isConnectionOf(pid: number, port: number): boolean {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const inodes = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map(line => line.trim().split(/\s+/))
    .flatMap(([, from, , , , , , , , inode]) => (from?.endsWith(local) ? [`socket:[${inode}]`] : []))
  return openFiles(pid).some(name => inodes.includes(name))
}

function openFiles(pid: number): string[] {
  const directory = `/proc/${pid}/fd`
  try {
    return readdirSync(directory).flatMap(fd => {
      try {
        return [readlinkSync(`${directory}/${fd}`)]
      } catch {
        // It was closed meanwhile.
        return []
      }
    })
  } catch {
    // The process has ended.
    return []
  }
}
