import { createHash } from 'node:crypto'
import { accessSync, chmodSync, constants, existsSync, lstatSync, mkdirSync, statSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { SignalboxError } from '../errors/index.js'

export interface Directories {
  /** The user's settings. */
  readonly config: string
  /** Data that must not be lost: the store, recordings, uploads, worktrees. */
  readonly data: string
  /** State of this machine: the token, logs. */
  readonly state: string
  /** Files that exist as long as the daemon: sockets, `server.json`. */
  readonly runtime: string
  /** Files that can be created again. */
  readonly cache: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** The XDG directories, or all of them below `SIGNALBOX_HOME`. Does not access the file system. */
export function resolveDirectories(environment: Environment, home: string = homedir()): Directories {
  const own = environment.SIGNALBOX_HOME
  if (own) {
    if (!isAbsolute(own)) throw homeError(`SIGNALBOX_HOME must be an absolute path; found ${JSON.stringify(own)}.`)
    const below = (name: string) => join(own, name)
    return {
      config: below('config'),
      data: below('data'),
      state: below('state'),
      runtime: below('run'),
      cache: below('cache'),
    }
  }
  // The XDG standard says that a relative value is invalid and ignored.
  const base = (name: string, fallback: () => string): string => {
    const value = environment[name]
    return join(value && isAbsolute(value) ? value : fallback(), 'signalbox')
  }
  const inHome = (...parts: string[]) => {
    if (!home || !isAbsolute(home)) throw homeError('There is no home directory: HOME is not set.')
    return join(home, ...parts)
  }
  const state = base('XDG_STATE_HOME', () => inHome('.local', 'state'))
  const runtime = environment.XDG_RUNTIME_DIR
  return {
    config: base('XDG_CONFIG_HOME', () => inHome('.config')),
    data: base('XDG_DATA_HOME', () => inHome('.local', 'share')),
    state,
    runtime: runtime && isAbsolute(runtime) ? join(runtime, 'signalbox') : join(state, 'run'),
    cache: base('XDG_CACHE_HOME', () => inHome('.cache')),
  }
}

export interface ModeRepair {
  path: string
  /** The mode that the directory had, in octal digits. */
  was: string
  /** False if the mode is too wide and could not be changed. */
  isRepaired: boolean
}

/**
 * Creates the directories with mode 0700 and restricts existing ones to it. The settings need not
 * be writable: some users manage them with a tool that owns the directory.
 * @throws SignalboxError `E_HOME` if one cannot be created, is not a directory or cannot be
 * written.
 */
export function ensureDirectories(directories: Directories): ModeRepair[] {
  return Object.entries(directories).flatMap(([name, path]: [string, string]) => {
    try {
      makeDirectory(path)
      if (name !== 'config') accessSync(path, constants.W_OK | constants.X_OK)
    } catch (error) {
      throw asHomeError(path, error)
    }
    return narrowMode(path)
  })
}

/** Not `recursive: true`: Node 20 never returns from it on /proc and the like. */
function makeDirectory(path: string): void {
  if (existsSync(path)) {
    if (!statSync(path).isDirectory()) throw homeError(`Cannot use the directory ${path}: a file is in its place.`)
    return
  }
  if (dirname(path) !== path) makeDirectory(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another Signalbox process may have created it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !existsSync(path)) throw error
  }
}

function narrowMode(path: string): ModeRepair[] {
  const mode = statSync(path).mode & 0o777
  if (process.platform === 'win32' || (mode & 0o077) === 0) return []
  const was = mode.toString(8).padStart(3, '0')
  try {
    chmodSync(path, mode & 0o700)
    return [{ path, was, isRepaired: true }]
  } catch {
    return [{ path, was, isRepaired: false }]
  }
}

/** `sun_path` has 108 bytes on Linux and 104 elsewhere, including the final zero. */
const SOCKET_PATH_MAX_BYTES = process.platform === 'linux' ? 107 : 103

export interface SocketOptions {
  /** Where short socket paths are created; daemon and client may differ in `TMPDIR`. */
  temporary?: string
}

/**
 * Path of a unix socket in the runtime directory. If that is too long for the kernel, the socket is
 * in a short directory below the temporary one: its name is a hash of the long path, so every
 * process finds the same. It must belong to this user, because all users can write next to it.
 * @throws SignalboxError `E_HOME` if that directory belongs to another user, or its path is too
 * long as well.
 */
export function socketPath(directories: Directories, name = 'signalbox.sock', options: SocketOptions = {}): string {
  const direct = join(directories.runtime, name)
  if (Buffer.byteLength(direct) <= SOCKET_PATH_MAX_BYTES) return direct
  const temporary = options.temporary ?? (existsSync('/tmp') ? '/tmp' : tmpdir())
  const hash = createHash('sha256').update(directories.runtime).digest('hex').slice(0, 12)
  const directory = join(temporary, `signalbox-${process.getuid?.() ?? 0}-${hash}`)
  const short = join(directory, name)
  if (Buffer.byteLength(short) > SOCKET_PATH_MAX_BYTES) {
    throw homeError(
      `The socket path ${direct} is longer than ${SOCKET_PATH_MAX_BYTES} bytes.`,
      'Set SIGNALBOX_HOME or XDG_RUNTIME_DIR to a shorter path.',
    )
  }
  ensureOwnDirectory(directory)
  return short
}

/** In a shared directory a link or another user's directory is never used. */
function ensureOwnDirectory(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw asHomeError(path, error)
  }
  const found = lstatSync(path)
  const isOurs = process.getuid === undefined || found.uid === process.getuid()
  if (!found.isDirectory() || !isOurs) {
    throw homeError(`${path} is not a directory of this user.`, 'Remove it, or set XDG_RUNTIME_DIR to a shorter path.')
  }
  if ((found.mode & 0o077) !== 0) chmodSync(path, 0o700)
}

const REASONS: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'a dangling symbolic link is in its place',
  ENOSPC: 'the disk is full',
  ENOENT: 'no directory can be created there',
}

function asHomeError(path: string, error: unknown): SignalboxError {
  if (error instanceof SignalboxError) return error
  const code = (error as NodeJS.ErrnoException).code ?? ''
  return homeError(`Cannot use the directory ${path}: ${REASONS[code] ?? (code || String(error))}.`, undefined, error)
}

function homeError(
  message: string,
  next = 'Set SIGNALBOX_HOME to a directory that you can write.',
  cause?: unknown,
): SignalboxError {
  return new SignalboxError('E_HOME', message, { next, cause })
}
