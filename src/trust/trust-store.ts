import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SignalboxError } from '../errors/index.js'
import { isEvent, newEvent } from '../events/index.js'
import { Git } from '../git/index.js'
import type { EventStore, ProjectedEvent, Projection } from '../store/index.js'
import { type ExecutableFiles, hashOf } from './executable-files.js'

/** The files of a project that a person trusts. */
export interface TrustRecord {
  path: string
  commonDirectory: string | null
  by: string
  at: number
  files: Readonly<Record<string, string>>
}

export const trustProjection: Projection<TrustRecord> = {
  name: 'trust',
  version: 1,
  types: ['project.trusted', 'project.distrusted'],
  key: event => event.stream.slice('project/'.length),
  evolve,
}

function evolve(record: TrustRecord | null, event: ProjectedEvent): TrustRecord | null {
  if (isEvent(event, 'project.trusted')) {
    const { path, commonDirectory, by, files } = event.data
    return { path, commonDirectory, by, at: event.at, files: { ...record?.files, ...files } }
  }
  return event.type === 'project.distrusted' && record ? { ...record, at: event.at, files: {} } : record
}

export interface TrustCheck {
  isTrusted: boolean
  /** Files that are not trusted yet, and those that changed since. */
  added: string[]
  changed: string[]
}

/** The minimum number of hash digits that a person must give; fewer could match by chance. */
const HASH_PREFIX = 16
/** Larger files are compared by hash alone. */
const KEPT_FILE_MAX_BYTES = 256 * 1024

/**
 * The files that people trust, by project. Looked up by the real path of the project, never by
 * anything that a file in it says; a changed file must be trusted again, with the difference shown.
 */
export class TrustStore {
  readonly #store: EventStore
  readonly #directory: string

  constructor(store: EventStore, dataDirectory: string) {
    this.#store = store
    this.#directory = join(dataDirectory, 'trust')
  }

  async check({ project, commonDirectory, files }: ExecutableFiles): Promise<TrustCheck> {
    const record = await this.#record(project)
    // A path that now holds another repository is another project.
    const known = record && record.commonDirectory === commonDirectory ? record.files : {}
    const added = Object.keys(files).filter(file => !Object.hasOwn(known, file))
    const changed = Object.keys(files).filter(file => Object.hasOwn(known, file) && known[file] !== files[file])
    return { isTrusted: added.length === 0 && changed.length === 0, added, changed }
  }

  /** @throws SignalboxError `E_UNTRUSTED` */
  async require(found: ExecutableFiles, { trust, by }: { trust?: string; by: string }): Promise<void> {
    const { isTrusted, added, changed } = await this.check(found)
    if (isTrusted) return
    if (trust !== undefined && namesHash(trust, found.hash)) return this.grant(found, { by, how: 'hash' })
    throw untrusted(found, { added, changed }, trust)
  }

  async grant(found: ExecutableFiles, { by, how }: { by: string; how: 'asked' | 'hash' }): Promise<void> {
    const { project, commonDirectory, hash, files } = found
    for (const [file, digest] of Object.entries(files)) this.#saveContent(join(project, file), digest)
    const data = { path: project, commonDirectory, by, how, hash, files }
    await this.#store.append(streamOf(project), 'any', [newEvent('project.trusted', data)])
  }

  /** False if there was nothing to revoke. */
  async revoke(project: string, by: string): Promise<boolean> {
    const record = await this.#record(project)
    if (!record || Object.keys(record.files).length === 0) return false
    await this.#store.append(streamOf(project), 'any', [newEvent('project.distrusted', { path: project, by })])
    return true
  }

  async list(): Promise<TrustRecord[]> {
    const records = (await this.#store.documents<TrustRecord>(trustProjection.name)).map(({ state }) => state)
    return records.filter(({ files }) => Object.keys(files).length > 0).sort((a, b) => (a.path < b.path ? -1 : 1))
  }

  /** How a file differs from its trusted content; null if the old text is not kept. */
  async difference({ project }: ExecutableFiles, file: string): Promise<string | null> {
    const before = (await this.#record(project))?.files[file]
    if (before === undefined || !existsSync(this.#contentPath(before))) return null
    const arguments_ = [
      'diff',
      '--no-index',
      '--no-color',
      '--no-ext-diff',
      this.#contentPath(before),
      join(project, file),
    ]
    const { stdout } = await new Git(project).try(arguments_)
    return stdout.split('\n').slice(4).join('\n')
  }

  async #record(project: string): Promise<TrustRecord | null> {
    return (await this.#store.document<TrustRecord>(trustProjection.name, keyOf(project)))?.state ?? null
  }

  #contentPath(digest: string): string {
    return join(this.#directory, digest)
  }

  /** Saves the content only if it is still the one that was shown. */
  #saveContent(path: string, digest: string): void {
    if (!existsSync(path) || existsSync(this.#contentPath(digest))) return
    const content = readFileSync(path)
    if (content.length > KEPT_FILE_MAX_BYTES || createHash('sha256').update(content).digest('hex') !== digest) return
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 })
    writeFileSync(this.#contentPath(digest), content, { mode: 0o600 })
  }
}

function namesHash(given: string, hash: string): boolean {
  return given.length >= HASH_PREFIX && hash.startsWith(given.toLowerCase())
}

function untrusted(
  { project, hash, files }: ExecutableFiles,
  { added, changed }: { added: string[]; changed: string[] },
  given?: string,
): SignalboxError {
  const what = changed.length > 0 ? `${changed.join(', ')} changed since it was trusted` : 'it is not trusted yet'
  const wrong = given === undefined ? '' : '; the given hash does not match'
  return new SignalboxError('E_UNTRUSTED', `nothing of ${project} was run: ${what}${wrong}`, {
    next: `review ${[...changed, ...added].slice(0, 5).join(', ')}; then trust what you have reviewed: --trust ${hashOf(files)}, or "trust" in a request`,
    details: { project, hash, added, changed },
  })
}

function streamOf(project: string): string {
  return `project/${keyOf(project)}`
}

function keyOf(project: string): string {
  return createHash('sha256').update(project).digest('hex').slice(0, 32)
}
