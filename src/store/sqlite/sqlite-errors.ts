import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { SignalboxError } from '../../errors/index.js'

/** Primary result codes of SQLite, https://www.sqlite.org/rescode.html. */
const SQLITE = {
  perm: 3,
  busy: 5,
  locked: 6,
  readonly: 8,
  ioerr: 10,
  corrupt: 11,
  full: 13,
  cantopen: 14,
  notadb: 26,
} as const

/** A read returned less than a page: the file was truncated. */
const IOERR_SHORT_READ = 522

const NO_ACCESS = new Set([
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOTDIR',
  'EISDIR',
  'EEXIST',
  'ENOENT',
  'ELOOP',
  'ENAMETOOLONG',
])
const NO_SPACE = new Set(['ENOSPC', 'EDQUOT'])

/** SQLite reports some full disks as I/O errors: less free space counts as full. */
const NEARLY_FULL_BYTES = 256 * 1024

const NEXT_STEP_FIX = 'signalbox doctor --fix'

/** Some calls of `@photostructure/sqlite` 1.2 throw SQLite's message without its code. */
const CODE_BY_MESSAGE: readonly [RegExp, number][] = [
  [/database (table )?is locked/, SQLITE.busy],
  [/readonly database/, SQLITE.readonly],
  [/disk I\/O error/, SQLITE.ioerr],
  [/disk image is malformed|malformed database schema/, SQLITE.corrupt],
  [/database or disk is full/, SQLITE.full],
  [/unable to open database/, SQLITE.cantopen],
  [/file is not a database/, SQLITE.notadb],
]

function extendedCode(error: unknown): number {
  if (!(error instanceof Error)) return 0
  const { errcode } = error as { errcode?: unknown }
  if (typeof errcode === 'number') return errcode
  return CODE_BY_MESSAGE.find(([message]) => message.test(error.message))?.[1] ?? 0
}

export function isBusy(error: unknown): boolean {
  const code = extendedCode(error) & 0xff
  return code === SQLITE.busy || code === SQLITE.locked
}

export function isCorrupt(error: unknown): boolean {
  const extended = extendedCode(error)
  const code = extended & 0xff
  return code === SQLITE.corrupt || code === SQLITE.notadb || extended === IOERR_SHORT_READ || isImpossibleNumber(error)
}

/** The driver throws for an integer beyond 2⁵³, which we never write. */
function isImpossibleNumber(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | null)?.code === 'ERR_OUT_OF_RANGE'
}

/** Converts an error of SQLite or the file system; a SignalboxError stays as it is. */
export function toStoreError(error: unknown, path: string): SignalboxError {
  if (error instanceof SignalboxError) return error
  const code = extendedCode(error) & 0xff
  const errno = String((error as NodeJS.ErrnoException | null)?.code ?? '')
  const reason = error instanceof Error ? error.message : String(error)
  if (isCorrupt(error)) return corruptStore(path, reason, error)
  if (isBusy(error)) return busyStore(path, error)
  if (code === SQLITE.full || NO_SPACE.has(errno) || (code === SQLITE.ioerr && isDiskNearlyFull(path))) {
    return new SignalboxError('E_DISK_FULL', `the disk is full: nothing was written to ${path}`, {
      next: 'free some space, then try again',
      place: { file: path },
      cause: error,
    })
  }
  if (code === SQLITE.readonly || code === SQLITE.cantopen || code === SQLITE.perm || NO_ACCESS.has(errno)) {
    return unusableHome(path, reason, error)
  }
  return new SignalboxError('E_STORE', `the store ${path} failed: ${reason}`, { place: { file: path }, cause: error })
}

export function corruptStore(path: string, reason: string, cause?: unknown): SignalboxError {
  return new SignalboxError('E_STORE_CORRUPT', `the store ${path} is damaged: ${reason}`, {
    next: NEXT_STEP_FIX,
    place: { file: path },
    cause,
  })
}

export function unusableHome(path: string, reason: string, cause?: unknown): SignalboxError {
  return new SignalboxError('E_HOME', `the store ${path} cannot be opened for writing: ${reason}`, {
    next: 'check the owner and the permissions of the file and its directory',
    place: { file: path },
    cause,
  })
}

export function busyStore(path: string, cause?: unknown): SignalboxError {
  return new SignalboxError('E_STORE_BUSY', `another process has locked the store ${path} for too long`, {
    next: 'try again; if it persists, look for a stopped or hanging signalbox process',
    place: { file: path },
    cause,
  })
}

function isDiskNearlyFull(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(path))
    return bavail * bsize < NEARLY_FULL_BYTES
  } catch {
    // If the free space is unknown, the error keeps its general code.
    return false
  }
}
