import { type FileHandle, mkdir, readdir, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { extname, join, resolve } from 'node:path'
import { isSecretPath } from '../../approvals/index.js'
import { SignalboxError } from '../../errors/index.js'
import { isInside, openRegular, pathProblem, type SessionDirectories } from './session-directories.js'

export interface FileLimits {
  uploadMaxMb: number
  downloadMaxMb: number
  /** Limit of all uploads of one session together. */
  quotaMb: number
}

interface StoredFile {
  path: string
  name: string
  bytes: number
  type: string
}

const MB = 1024 * 1024
const NAME_BYTES = 120

/** Stores a file for the agent under its base name, without control characters. */
export async function storeUpload(
  directories: SessionDirectories,
  file: { name: string; bytes: Uint8Array },
  limits: FileLimits,
): Promise<StoredFile> {
  if (file.bytes.length > limits.uploadMaxMb * MB)
    throw tooLarge(file.name, file.bytes.length, limits.uploadMaxMb, 'files.upload_max_mb')
  await mkdir(directories.uploads, { recursive: true, mode: 0o700 })
  const used = await sizeOf(directories.uploads)
  if (used + file.bytes.length > limits.quotaMb * MB)
    throw new SignalboxError(
      'E_TOO_LARGE',
      `the uploads of this session would exceed the limit of ${limits.quotaMb} MB (files.session_quota_mb)`,
      { next: `remove files from ${directories.uploads}` },
    )
  const wanted = safeName(file.name)
  for (let copy = 0; ; copy++) {
    const name = copy === 0 ? wanted : numbered(wanted, copy)
    const path = join(directories.uploads, name)
    try {
      await writeFile(path, file.bytes, { flag: 'wx', mode: 0o600 })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue
      throw error
    }
    return { path, name, bytes: file.bytes.length, type: sniffType(file.bytes) }
  }
}

/** The base name without special characters, at most 120 bytes long, with its extension. */
export function safeName(name: string): string {
  const base = name.split(/[\\/]/u).at(-1) ?? ''
  const clean = base
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\:]/gu, '_')
    .replace(/^[.\s]+/u, dots => '_'.repeat(dots.length))
    .trim()
  if (clean === '' || /^_+$/u.test(clean)) return 'file'
  const extension = extname(clean).slice(0, 20)
  return (
    cut(clean.slice(0, clean.length - extname(clean).length), NAME_BYTES - Buffer.byteLength(extension)) + extension
  )
}

/**
 * Opens a file that a person wants to download: in the project or among the session's uploads,
 * after all links are resolved, and still the same file once it is open. Files whose names suggest
 * credentials, and Signalbox's own files, are refused.
 *
 * @throws SignalboxError `E_UNKNOWN`, `E_ROLE`, `E_INPUT`, `E_TOO_LARGE`
 */
export async function openDownload(
  directories: SessionDirectories,
  wanted: string,
  limits: FileLimits,
): Promise<{ handle: FileHandle; path: string; bytes: number }> {
  if (wanted.includes('\0')) throw new SignalboxError('E_INPUT', 'a path cannot contain a NUL character')
  const real = await realPath(resolve(directories.project, wanted), wanted)
  await checkPath(directories, real, wanted)
  const { handle, bytes } = await openRegular(real, {
    check: path => checkPath(directories, path, wanted),
    refuse: (why, cause) => refused(wanted, why, cause),
  })
  if (bytes <= limits.downloadMaxMb * MB) return { handle, path: real, bytes }
  await handle.close()
  throw tooLarge(wanted, bytes, limits.downloadMaxMb, 'files.download_max_mb')
}

export async function removeUploads(uploads: string): Promise<void> {
  await rm(uploads, { recursive: true, force: true })
}

async function checkPath(directories: SessionDirectories, real: string, wanted: string): Promise<void> {
  const problem = await pathProblem(directories, real)
  if (problem !== null) throw refused(wanted, problem)
  const uploads = await realpath(directories.uploads).catch(() => directories.uploads)
  if (isInside(real, uploads)) return
  if (isSecretPath(real) || isSecretPath(resolve(directories.project, wanted)))
    throw refused(wanted, 'files with this name usually hold credentials')
}

async function realPath(path: string, wanted: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    throw new SignalboxError('E_UNKNOWN', `no such file: ${wanted}`, {
      next: 'give a path that is relative to the project, or absolute',
      cause: error,
    })
  }
}

async function sizeOf(directory: string): Promise<number> {
  const sizes = (await readdir(directory)).map(async name => (await stat(join(directory, name))).size)
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

function numbered(name: string, copy: number): string {
  const extension = extname(name)
  return `${name.slice(0, name.length - extension.length)}_${copy}${extension}`
}

function cut(text: string, bytes: number): string {
  let result = ''
  for (const character of text) {
    if (Buffer.byteLength(result + character) > bytes) break
    result += character
  }
  return result
}

function refused(wanted: string, why: string, cause?: unknown): SignalboxError {
  return new SignalboxError('E_ROLE', `${wanted} cannot be downloaded: ${why}`, {
    next: 'download a file of the project or an upload of the session',
    ...(cause !== undefined && { cause }),
  })
}

function tooLarge(name: string, bytes: number, limitMb: number, setting: string): SignalboxError {
  return new SignalboxError(
    'E_TOO_LARGE',
    `${name} is ${(bytes / MB).toFixed(1)} MB long; the limit is ${limitMb} MB (${setting})`,
    {
      next: 'raise the limit in the settings, or use a smaller file',
    },
  )
}

const MAGIC: readonly [type: string, bytes: readonly number[]][] = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/gif', [0x47, 0x49, 0x46, 0x38]],
  ['application/pdf', [0x25, 0x50, 0x44, 0x46, 0x2d]],
  ['application/zip', [0x50, 0x4b, 0x03, 0x04]],
  ['application/gzip', [0x1f, 0x8b]],
]

/** The type of a file by its first bytes; its name is not trusted. */
function sniffType(bytes: Uint8Array): string {
  const known = MAGIC.find(([, magic]) => magic.every((byte, index) => bytes[index] === byte))
  if (known) return known[0]
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1')
  if (head.startsWith('RIFF') && head.endsWith('WEBP')) return 'image/webp'
  return isText(bytes.subarray(0, 4096)) ? 'text/plain' : 'application/octet-stream'
}

function isText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false
  // The end of the sample may cut a character.
  const text = new TextDecoder('utf-8', { fatal: false }).decode(bytes).replace(/\ufffd{1,3}$/u, '')
  return !text.includes('\ufffd')
}
