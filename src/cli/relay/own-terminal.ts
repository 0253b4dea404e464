import { readFileSync } from 'node:fs'

/** Device numbers of pseudo-terminals begin here; each holds 256 of them (Linux, Documentation/admin-guide/devices.txt). */
const PTS_MAJOR = 136
const PTS_PER_MAJOR = 256
const PTS_MAJORS = 8

/** The controlling terminal of a process by the seventh field of its `/proc/<pid>/stat`; null for none, and for one that is no `/dev/pts`. */
export function terminalOfStat(stat: string): string | null {
  // The name in brackets may hold blanks and brackets of its own.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const device = Number(fields[4])
  if (!Number.isInteger(device) || device <= 0) return null
  const major = (device >> 8) & 0xfff
  const minor = (device & 0xff) | ((device >> 12) & 0xfff00)
  if (major < PTS_MAJOR || major >= PTS_MAJOR + PTS_MAJORS) return null
  return `/dev/pts/${(major - PTS_MAJOR) * PTS_PER_MAJOR + minor}`
}

/** The terminal that this process was started in, though its input and output are pipes; null where nobody tells. */
export function ownTerminal(): string | null {
  try {
    return terminalOfStat(readFileSync('/proc/self/stat', 'utf8'))
  } catch {
    return null
  }
}
