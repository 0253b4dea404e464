import { constants } from 'node:fs'
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises'
import { isAbsolute, relative, sep } from 'node:path'

/** The directories around a session. */
export interface SessionDirectories {
  /** `<data>/uploads/<session>` */
  uploads: string
  project: string
  /** Signalbox's own directories: no file in them is read or written for anyone. */
  own: readonly string[]
}

/** Why a file is out of reach, by its real path; null if it is in the project or an upload. */
export async function pathProblem(directories: SessionDirectories, real: string): Promise<string | null> {
  const [project, uploads] = await Promise.all(
    [directories.project, directories.uploads].map(path => realpath(path).catch(() => path)),
  )
  if (isInside(real, uploads!)) return null
  const own = await Promise.all(directories.own.map(path => realpath(path).catch(() => path)))
  // A worktree of Signalbox is a project like any other, although it lies among Signalbox's own
  // files.
  const isOwn = (path: string) => isInside(real, path) && !(isInside(project!, path) && isInside(real, project!))
  if (own.some(isOwn)) return 'it belongs to Signalbox'
  return isInside(real, project!) ? null : 'it is outside the project'
}

/**
 * Opens a regular file for reading by its real path. It is still the same file once it is open:
 * `check` is asked again about the path that was really opened, because a link may have replaced a
 * directory in between. It never waits, as it would for a pipe.
 */
export async function openRegular(
  real: string,
  { check, refuse }: { check(path: string): Promise<void>; refuse(why: string, cause?: unknown): Error },
): Promise<{ handle: FileHandle; bytes: number }> {
  const handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(error => {
    throw refuse('it cannot be opened', error)
  })
  try {
    const opened = await handle.stat()
    if (!opened.isFile()) throw refuse('it is not a regular file')
    const linked = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => null)
    if (linked !== null) await check(linked)
    const now = await lstat(real)
    if (now.dev !== opened.dev || now.ino !== opened.ino) throw refuse('it was replaced while it was opened')
    return { handle, bytes: opened.size }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** By segments: `/project-other` is not inside `/project`. */
export function isInside(path: string, root: string): boolean {
  const inside = relative(root, path)
  return inside !== '' && inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside)
}
