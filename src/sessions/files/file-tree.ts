import { readdir, realpath, stat } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { isSecretPath } from '../../approvals/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { Git } from '../../git/index.js'
import { isInside } from './session-directories.js'

export interface TreeEntry {
  /** Relative to the project. */
  path: string
  name: string
  kind: 'file' | 'directory'
  bytes: number | null
  /** Its content is never shown: files with this name usually hold credentials. */
  isSecret: boolean
}

const ENTRIES_MAX = 1_000
const FOUND_MAX = 200
/** Directories that people do not read. */
const SKIPPED = new Set(['.git', 'node_modules'])

/** A directory of a project, directories first. @throws SignalboxError `E_UNKNOWN`, `E_ROLE` */
export async function listTree(project: string, path: string): Promise<{ entries: TreeEntry[]; isCut: boolean }> {
  const root = await realpath(project)
  const real = await realpath(resolve(root, path)).catch(() => null)
  if (real === null) throw new SignalboxError('E_UNKNOWN', `no such directory: ${path}`)
  if (real !== root && !isInside(real, root))
    throw new SignalboxError('E_ROLE', `${path} is outside the project`, { next: 'give a path inside the project' })
  const names = (await readdir(real, { withFileTypes: true }).catch(() => []))
    .filter(({ name }) => !SKIPPED.has(name))
    .sort((a, b) => Number(b.isDirectory()) - Number(a.isDirectory()) || a.name.localeCompare(b.name))
  const entries = await Promise.all(
    names.slice(0, ENTRIES_MAX).map(async (entry): Promise<TreeEntry> => {
      const whole = join(real, entry.name)
      const isDirectory = entry.isDirectory()
      return {
        path: relative(root, whole),
        name: entry.name,
        kind: isDirectory ? 'directory' : 'file',
        bytes: isDirectory ? null : ((await stat(whole).catch(() => null))?.size ?? null),
        isSecret: !isDirectory && isSecretPath(whole),
      }
    }),
  )
  return { entries, isCut: names.length > ENTRIES_MAX }
}

/** The files of a repository whose path contains all words, the shortest paths first. */
export async function findInTree(git: Git, words: string): Promise<{ entries: TreeEntry[]; isCut: boolean }> {
  const all = (await git.run(['ls-files', '-z', '--cached', '--others', '--exclude-standard'])).split('\0')
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  const found = all
    .filter(path => path !== '' && wanted.every(word => path.toLowerCase().includes(word)))
    .sort((a, b) => a.length - b.length || a.localeCompare(b))
  const entries = found.slice(0, FOUND_MAX).map(
    (path): TreeEntry => ({
      path,
      name: path.slice(path.lastIndexOf('/') + 1),
      kind: 'file',
      bytes: null,
      isSecret: isSecretPath(path),
    }),
  )
  return { entries, isCut: found.length > FOUND_MAX }
}
