import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join, resolve } from 'node:path'

/**
 * The file of a command name, or null. A name with a slash is a path from `cwd`. A bare name is
 * searched in `path` only, never in the current directory, and relative entries of `path` are
 * skipped: a repository must not be able to plant programs.
 */
export function findExecutable(name: string, options: { path: string | undefined; cwd: string }): string | null {
  if (name === '') return null
  if (name.includes('/')) {
    const file = resolve(options.cwd, name)
    return isExecutable(file) ? file : null
  }
  for (const directory of (options.path ?? '').split(delimiter)) {
    if (!isAbsolute(directory)) continue
    const file = join(directory, name)
    if (isExecutable(file)) return file
  }
  return null
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
