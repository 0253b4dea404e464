import { randomBytes } from 'node:crypto'
import { type FileHandle, lstat, mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path'
import { isInside, openRegular, pathProblem, type SessionDirectories } from '../../files/session-directories.js'
import { CallError } from './call-error.js'

/** Where the agent of a session may read and write through Signalbox. */
export interface ClientDirectories extends SessionDirectories {
  /** Files and directories that decide about Signalbox, or that are run outside: never written. */
  protected: readonly string[]
}

/** The answer must fit into what waits for an agent that does not read. */
const TEXT_MAX = 8 * 1024 * 1024

/**
 * The files of the project, read and written for an agent that asks its client for them. An agent
 * without a sandbox could do both itself, as the same user. So this must not be a way around what
 * it would be seen doing: it ends at the project's directory, links resolved, and never reaches
 * files of Signalbox or files that git and Signalbox run.
 */
export class ClientFiles {
  readonly #directories: ClientDirectories

  constructor(directories: ClientDirectories) {
    this.#directories = directories
  }

  /** `line`: the first one, from 1. @throws CallError */
  async read(path: string, { line = 1, limit }: { line?: number; limit?: number } = {}): Promise<string> {
    const real = await realpath(absolute(path)).catch(error => {
      throw fileError(path, error)
    })
    const check = (real: string) => this.#check(real, path)
    await check(real)
    const { handle, bytes } = await openRegular(real, { check, refuse: (why, cause) => refused(path, why, cause) })
    try {
      const isPart = line > 1 || limit !== undefined
      if (!isPart && bytes > TEXT_MAX)
        throw refused(
          path,
          `it is ${bytes} bytes long; the limit is ${TEXT_MAX}. Read it in parts, with line and limit`,
        )
      const text = isPart ? await linesOf(handle, { line, limit, path }) : await handle.readFile('utf8')
      if (text.includes('\0')) throw refused(path, 'it is not a text file')
      return text
    } finally {
      await handle.close()
    }
  }

  /** Replaces the file in one step, or creates it with its directories. @throws CallError */
  async write(path: string, content: string): Promise<void> {
    if (Buffer.byteLength(content) > TEXT_MAX)
      throw refused(path, `the text is ${Buffer.byteLength(content)} bytes long; the limit is ${TEXT_MAX}`)
    const target = await this.#target(path)
    const draft = join(dirname(target), `.${basename(target).slice(0, 100)}.${randomBytes(6).toString('hex')}`)
    try {
      await mkdir(dirname(target), { recursive: true })
      const existing = await stat(target).catch(() => null)
      if (existing && !existing.isFile()) throw refused(path, 'it is not a regular file')
      // A directory may have become a link to another path since it was checked.
      if ((await realpath(dirname(target))) !== dirname(target)) throw refused(path, 'its directory was replaced')
      const handle = await open(draft, 'wx', existing ? existing.mode & 0o777 : 0o666)
      try {
        await handle.writeFile(content)
        if (existing) await handle.chmod(existing.mode & 0o777)
        await handle.sync()
      } finally {
        await handle.close()
      }
      await rename(draft, target)
    } catch (error) {
      await rm(draft, { force: true }).catch(() => undefined)
      throw error instanceof CallError ? error : fileError(path, error)
    }
  }

  /** Whether the file has exactly this text. */
  async holds(path: string, content: string): Promise<boolean> {
    return (await this.read(path).catch(() => null)) === content
  }

  /** A directory for a command. @throws CallError */
  async directory(path: string): Promise<string> {
    const real = await realpath(absolute(path)).catch(error => {
      throw fileError(path, error)
    })
    if (real !== (await realpath(this.#directories.project))) await this.#check(real, path)
    if (!(await stat(real)).isDirectory()) throw refused(path, 'it is not a directory')
    return real
  }

  /** The real path of a file that may not exist yet, after all links. */
  async #target(path: string): Promise<string> {
    const whole = absolute(path)
    let above = whole
    const below: string[] = []
    for (;;) {
      const real = await realpath(above).catch(() => null)
      if (real !== null) {
        const target = join(real, ...below)
        await this.#check(target, path)
        await this.#checkWrite(target, path)
        return target
      }
      // A link that leads nowhere would be followed when the file is created.
      if (await isLink(above)) throw refused(path, 'it is a link to a file that does not exist')
      below.unshift(basename(above))
      above = dirname(above)
    }
  }

  async #check(real: string, path: string): Promise<void> {
    const problem = await pathProblem(this.#directories, real)
    if (problem !== null) throw refused(path, problem)
  }

  async #checkWrite(real: string, path: string): Promise<void> {
    const project = await realpath(this.#directories.project)
    if (!isInside(real, project)) throw refused(path, 'it is outside the project')
    if (real.slice(project.length).toLowerCase().split(sep).includes('.git'))
      throw refused(path, 'git runs what is in there')
    for (const path of this.#directories.protected) {
      const fixed = await realpath(path).catch(() => resolve(path))
      if (real === fixed || isInside(real, fixed)) throw refused(path, 'it is protected: it decides what is run')
    }
  }
}

function absolute(path: string): string {
  if (path.includes('\0')) throw new CallError('invalidParams', 'a path cannot contain a NUL character')
  if (!isAbsolute(path)) throw new CallError('invalidParams', `the path "${path}" is not absolute`)
  return resolve(path)
}

async function isLink(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null))?.isSymbolicLink() ?? false
}

async function linesOf(
  handle: FileHandle,
  { line, limit = Number.POSITIVE_INFINITY, path }: { line: number; limit: number | undefined; path: string },
): Promise<string> {
  const found: string[] = []
  let size = 0
  let number = 0
  if (limit === 0) return ''
  for await (const text of handle.readLines({ autoClose: false })) {
    number++
    if (number < line) continue
    found.push(text)
    size += Buffer.byteLength(text) + 1
    if (size > TEXT_MAX) throw refused(path, `this part is longer than ${TEXT_MAX} bytes`)
    if (found.length >= limit) break
  }
  return found.join('\n')
}

function refused(path: string, why: string, cause?: unknown): CallError {
  const error = new CallError('invalidParams', `Signalbox does not open ${path}: ${why}`)
  if (cause !== undefined) error.cause = cause
  return error
}

/** Agents recognise a missing file by these words. */
function fileError(path: string, error: unknown): CallError {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new CallError('notFound', `Resource not found: ${path} (no such file or directory)`)
  return new CallError('internal', `${path}: ${message}`)
}
