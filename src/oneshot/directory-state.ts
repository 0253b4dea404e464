import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** A directory with more entries is not compared: reading it would take longer than the audit. */
const ENTRIES_MAX = 50_000

/** Size, time and kind of every file below a directory, by path; null if there are too many. */
export type DirectoryState = ReadonlyMap<string, string> | null

/** For directories without git. Files and directories in `except` are left out. */
export async function directoryState(directory: string, except: readonly string[] = []): Promise<DirectoryState> {
  const found = new Map<string, string>()
  const open = [directory]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const entry of await readdir(at, { withFileTypes: true }).catch(() => [])) {
      const path = join(at, entry.name)
      if (except.includes(path)) continue
      if (found.size >= ENTRIES_MAX) return null
      // A file may disappear meanwhile.
      const facts = await lstat(path, { bigint: true }).catch(() => null)
      if (!facts) continue
      if (entry.isDirectory()) open.push(path)
      found.set(path, entry.isDirectory() ? 'directory' : `${facts.mode} ${facts.size} ${facts.mtimeNs} ${facts.ino}`)
    }
  }
  return found
}

/** The paths that differ; none if one of the states is unknown. */
export function changedPaths(before: DirectoryState, after: DirectoryState): string[] {
  if (before === null || after === null) return []
  const all = new Set([...before.keys(), ...after.keys()])
  return [...all].filter(path => before.get(path) !== after.get(path)).sort()
}
