import { readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

/*
 * What can be read from the files of a repository without starting git: a process costs more than
 * most questions to it, and a run asks the same ones dozens of times.
 */

/** A directory with `.git` in it, and what changes if another repository takes its place. */
export interface FoundRepository {
  directory: string
  mark: string
}

/**
 * The nearest repository at or above a directory. Null means that git finds none either; a
 * repository may still be one that git refuses to use.
 * @throws if a directory does not exist or cannot be read
 */
export function findRepository(cwd: string): FoundRepository | null {
  for (let directory = realpathSync(cwd); ; directory = dirname(directory)) {
    const entry = join(directory, '.git')
    const found = statSync(entry, { throwIfNoEntry: false })
    // The entry of a worktree is a file that names its repository.
    if (found?.isDirectory()) return { directory, mark: `${found.ino} ${markOf(join(entry, 'config'))}` }
    if (found !== undefined) return { directory, mark: markOf(entry) }
    if (directory === dirname(directory)) return null
  }
}

function markOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false })
  return `${found?.ino} ${found?.mtimeMs}`
}

const LINK_MODE = Buffer.from([0x00, 0x00, 0xe0, 0x00])

/**
 * Whether an index names no repository in the repository. False if its bytes do not prove it: they
 * may be there by chance, or the entries may be in another file.
 */
export function isWithoutLinks(indexFile: string): boolean {
  if (statSync(indexFile, { throwIfNoEntry: false }) === undefined) return true
  const bytes = readFileSync(indexFile)
  return !bytes.includes(LINK_MODE) && !bytes.includes('link') && !bytes.includes('sdir')
}
