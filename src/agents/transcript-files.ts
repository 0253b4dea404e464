import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Names in a directory, sorted; empty if unreadable: agents create theirs on first use. */
export async function namesIn(directory: string): Promise<string[]> {
  try {
    return (await readdir(directory)).sort()
  } catch {
    return []
  }
}

/** The files that exist and were written at `since` or later, newest first. */
export async function writtenSince(paths: readonly string[], since: number): Promise<string[]> {
  const found: { path: string; writtenAt: number }[] = []
  for (const path of paths) {
    const times = await stat(path).catch(() => null)
    if (times !== null && times.mtimeMs >= since) found.push({ path, writtenAt: times.mtimeMs })
  }
  return found.sort((a, b) => b.writtenAt - a.writtenAt).map(({ path }) => path)
}

export async function pathsIn(directory: string, isWanted: (name: string) => boolean): Promise<string[]> {
  return (await namesIn(directory)).filter(isWanted).map(name => join(directory, name))
}
