import { createHash, randomBytes } from 'node:crypto'
import { createReadStream, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { chmod, type FileHandle, open, rename } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { createGunzip, createGzip } from 'node:zlib'
import type { Clock } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import { loadDriver, releaseClosedDatabases } from '../sqlite/driver.js'
import { openSqlite } from '../sqlite/open.js'
import { COMPANIONS } from '../sqlite/store-file.js'
import { fileContent, hashOf, padding, readTar, TAR_END, tarHeader } from './tar.js'

/** Files of the store itself: a backup has a copy that was made in one read transaction. */
const STORE = 'data/signalbox.db'
const MANIFEST = 'manifest.json'
const FORMAT = 1

/**
 * What a home directory can make again, or what belongs to a machine: the search index, snapshots,
 * the engine's own disk, and worktrees, which are in their repositories.
 */
const DERIVED = [/^data\/signalbox\.db/, /^data\/search\.db/, /^data\/(snapshots|engine|worktrees|drafts)\//, /\.new-/]

export interface BackupPaths {
  /** The SQLite file of the store. */
  storeFile: string
  /** The directories that are kept, by their names in the backup: `config`, `data`. */
  directories: Readonly<Record<string, string>>
}

export interface Manifest {
  format: number
  /** The program that wrote it. */
  version: string
  created: number
  store: { id: string; events: number }
  /** SHA-256 of each file, by its name in the backup. */
  files: Record<string, string>
}

/**
 * Writes one file with the store, recordings, blobs, uploads and settings, while the daemon runs.
 * The store is copied in one read transaction, and checked before it is compressed; files that grow
 * are taken up to a length that is not shorter than what the store says about them. The backup is
 * read again before it gets its name.
 * @throws SignalboxError `E_BACKUP`
 */
export async function writeBackup(
  target: string,
  paths: BackupPaths,
  { clock, version, replaces = false }: { clock: Clock; version: string; replaces?: boolean },
): Promise<Manifest> {
  await requirePlace(target, { replaces })
  // Opening a store that is not there would make an empty file, which every later command refuses.
  if (!existsSync(paths.storeFile))
    throw new SignalboxError('E_BACKUP', `there is nothing to back up: ${paths.storeFile} does not exist`, {
      next: 'start a session or a run first, or name the home directory with SIGNALBOX_HOME',
    })
  const draft = `${target}.${randomBytes(4).toString('hex')}`
  const copy = `${draft}.db`
  try {
    const store = await copyStore(paths.storeFile, copy, clock)
    const found = Object.entries(paths.directories).flatMap(([name, directory]) => [...filesBelow(directory, name)])
    const files = [{ name: STORE, path: copy }, ...found.filter(({ name }) => !DERIVED.some(one => one.test(name)))]
    const manifest: Manifest = { format: FORMAT, version, created: clock.now(), store, files: {} }
    await pack(draft, files, manifest)
    const read = await readManifest(draft)
    if (JSON.stringify(read) !== JSON.stringify(manifest)) throw new Error('it is not what was written')
    await rename(draft, target)
    return manifest
  } catch (error) {
    throw backupError(target, error)
  } finally {
    for (const file of [draft, copy, ...COMPANIONS.map(suffix => copy + suffix)]) rmSync(file, { force: true })
  }
}

/**
 * Verifies a backup: every file has the sum that the manifest names, and none is missing.
 * @throws SignalboxError `E_BACKUP`
 */
export async function verifyBackup(file: string): Promise<Manifest> {
  return readManifest(file).catch(error => {
    throw backupError(file, error)
  })
}

/**
 * Puts the files of a verified backup in place. Nothing that exists is replaced: a home directory
 * with a store is refused. The store comes last, so that a restore that was killed has none.
 * @throws SignalboxError `E_BACKUP`
 */
export async function restoreBackup(file: string, paths: BackupPaths, clock: Clock): Promise<Manifest> {
  const manifest = await verifyBackup(file)
  const [first] = [paths.storeFile, `${paths.storeFile}-wal`].filter(existsSync)
  if (first !== undefined)
    throw new SignalboxError('E_BACKUP', `${first} exists; a restore replaces nothing`, {
      next: 'restore into another home directory: SIGNALBOX_HOME=<empty directory> signalbox restore <file>',
    })
  const draft = `${paths.storeFile}.restored-${randomBytes(4).toString('hex')}`
  try {
    await requireNoOthers(manifest, paths)
    for await (const { name, content } of readTar(decompressed(file))) {
      const target = name === MANIFEST ? null : name === STORE ? draft : pathOf(name, paths)
      if (target === null) await hashOf(content)
      else await writeNew(target, content)
    }
    const store = await openSqlite({ path: draft, clock })
    const [problem] = [...(await store.check()), ...(await store.checkChain())]
    await store.close()
    // Its journal is named after the draft: it must be empty before the file gets its name.
    await releaseClosedDatabases()
    if (problem) throw new Error(problem.message)
    await rename(draft, paths.storeFile)
    return manifest
  } catch (error) {
    throw backupError(file, error)
  } finally {
    for (const suffix of ['', ...COMPANIONS]) rmSync(draft + suffix, { force: true })
  }
}

/** A backup replaces another backup if that was asked for, and no other file. */
async function requirePlace(target: string, { replaces }: { replaces: boolean }): Promise<void> {
  const refused = (message: string, next: string) => new SignalboxError('E_BACKUP', message, { next })
  const directory = dirname(target)
  if (!existsSync(directory))
    throw refused(`the directory ${directory} does not exist`, 'create it, or name another one')
  const found = statSync(target, { throwIfNoEntry: false })
  if (!found) return
  if (found.isDirectory()) throw refused(`${target} is a directory`, 'name a file in it')
  if (!replaces) throw refused(`${target} exists already`, '--replace replaces an older backup')
  if (!(await isBackup(target))) throw refused(`${target} is not a backup, and is not replaced`, 'name another file')
}

/** Whether a file begins as backups do: also one that is cut or damaged later may be replaced. */
async function isBackup(file: string): Promise<boolean> {
  try {
    for await (const { name } of readTar(decompressed(file))) return name === STORE
  } catch {
    // Not compressed, or not an archive.
  }
  return false
}

/** The copy has no journal, and everything that was committed when it was made. */
async function copyStore(path: string, copy: string, clock: Clock): Promise<Manifest['store']> {
  const driver = await loadDriver()
  const database = new driver(path, { timeout: 15_000 })
  try {
    database.exec(`VACUUM INTO '${copy.replaceAll("'", "''")}'`)
  } finally {
    database.close()
  }
  await chmod(copy, 0o600)
  const store = await openSqlite({ path: copy, clock })
  try {
    const [problem] = [...(await store.check()), ...(await store.checkChain())]
    if (problem)
      throw new SignalboxError('E_BACKUP', `the store ${path} is damaged: ${problem.message}`, {
        next: 'signalbox doctor',
      })
    return { id: store.id, events: await store.head() }
  } finally {
    await store.close()
    await releaseClosedDatabases()
  }
}

async function pack(
  target: string,
  files: readonly { name: string; path: string }[],
  manifest: Manifest,
): Promise<void> {
  const output = await open(target, 'wx', 0o600)
  try {
    const packer = createGzip()
    const written = (async () => {
      for await (const chunk of packer) await output.write(chunk as Buffer)
    })()
    const write = (chunk: Buffer) =>
      new Promise<void>((resolve, reject) => packer.write(chunk, error => (error ? reject(error) : resolve())))
    for (const { name, path } of files) {
      const found = await openFound(name, path)
      if (!found) continue
      const { input } = found
      try {
        manifest.files[found.name] = await packFile(found.name, input, write)
      } finally {
        await input.close()
      }
    }
    const text = Buffer.from(JSON.stringify(manifest))
    for (const chunk of tarHeader(MANIFEST, text.length, manifest.created)) await write(chunk)
    for (const chunk of [text, padding(text.length), TAR_END]) await write(chunk)
    packer.end()
    await written
    await output.sync()
  } finally {
    await output.close()
  }
}

/**
 * A file, or its compressed form if it was compressed since it was listed (a recording), or null if
 * it was removed.
 */
async function openFound(name: string, path: string): Promise<{ name: string; input: FileHandle } | null> {
  for (const suffix of ['', '.gz']) {
    try {
      return { name: name + suffix, input: await open(path + suffix, 'r') }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  return null
}

async function packFile(name: string, input: FileHandle, write: (chunk: Buffer) => Promise<void>): Promise<string> {
  const { size, mtimeMs } = await input.stat()
  const hash = createHash('sha256')
  for (const chunk of tarHeader(name, size, mtimeMs)) await write(chunk)
  for await (const chunk of fileContent(input, size)) {
    hash.update(chunk)
    await write(chunk)
  }
  await write(padding(size))
  return hash.digest('hex')
}

/** Reads the whole backup and compares every sum. */
async function readManifest(file: string): Promise<Manifest> {
  const sums: Record<string, string> = {}
  let manifest: Manifest | null = null
  for await (const { name, content } of readTar(decompressed(file))) {
    if (name !== MANIFEST) sums[name] = await hashOf(content)
    else {
      const parts: Buffer[] = []
      for await (const part of content) parts.push(part)
      manifest = JSON.parse(Buffer.concat(parts).toString('utf8')) as Manifest
    }
  }
  if (!manifest) throw new Error('it has no manifest')
  if (manifest.format > FORMAT) throw new Error(`a newer Signalbox (${manifest.version}) wrote it`)
  for (const [name, sum] of Object.entries(manifest.files))
    if (sums[name] !== sum) throw new Error(sums[name] === undefined ? `${name} is missing` : `${name} is damaged`)
  const other = Object.keys(sums).find(name => manifest.files[name] === undefined)
  if (other !== undefined) throw new Error(`${other} is not in its manifest`)
  if (sums[STORE] === undefined) throw new Error('it has no store')
  return manifest
}

async function* decompressed(file: string): AsyncGenerator<Buffer> {
  const source = createReadStream(file)
  const decompressor = createGunzip()
  source.on('error', error => decompressor.destroy(error))
  try {
    for await (const chunk of source.pipe(decompressor)) yield chunk as Buffer
  } finally {
    source.destroy()
  }
}

function* filesBelow(directory: string, prefix: string): Generator<{ name: string; path: string }> {
  if (!existsSync(directory)) return
  for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name)
    const name = `${prefix}/${relative(directory, path).split('\\').join('/')}`
    // Sockets, and files that were removed meanwhile, are not kept.
    if (entry.isFile() && statSync(path, { throwIfNoEntry: false })) yield { name, path }
  }
}

/**
 * Null for a directory that this home directory does not have. @throws Error for a name that leads
 * out of it.
 */
function pathOf(name: string, { directories }: BackupPaths): string | null {
  const [prefix = '', ...parts] = name.split('/')
  if (parts.length === 0 || parts.some(part => part === '' || part === '.' || part === '..'))
    throw new Error(`it has a file "${name}"`)
  const directory = directories[prefix]
  return directory === undefined ? null : join(directory, ...parts)
}

/** A file of a restore that was killed is there already. @throws Error for any other. */
async function requireNoOthers(manifest: Manifest, paths: BackupPaths): Promise<void> {
  for (const [name, sum] of Object.entries(manifest.files)) {
    const path = name === STORE ? null : pathOf(name, paths)
    if (path === null || !existsSync(path)) continue
    if ((await hashOf(createReadStream(path))) !== sum)
      throw new Error(`${path} exists with another content; a restore replaces nothing`)
  }
}

/** Complete, or not there. */
async function writeNew(path: string, content: AsyncIterable<Buffer>): Promise<void> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.new-${randomBytes(4).toString('hex')}`
  const file = await open(draft, 'wx', 0o600)
  try {
    for await (const chunk of content) await file.write(chunk)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, path)
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'the file does not exist',
  EISDIR: 'it is a directory',
  ENOSPC: 'the disk is full',
  Z_DATA_ERROR: 'it is damaged, or not a backup',
  Z_BUF_ERROR: 'its end is missing',
}

function backupError(file: string, error: unknown): SignalboxError {
  if (error instanceof SignalboxError) return error
  const { code, message } = error as NodeJS.ErrnoException
  const why = REASONS[code ?? ''] ?? message
  return new SignalboxError('E_BACKUP', `${file}: ${why}`, { cause: error })
}
