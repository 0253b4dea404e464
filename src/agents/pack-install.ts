import { createHash } from 'node:crypto'
import { lstat, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { SignalboxError } from '../errors/index.js'
import { Git } from '../git/index.js'
import { buildPack, readSources } from './pack-files.js'

/*
 * Packs of other people. A pack is data: one TOML file whose patterns are checked when it is read
 * and timed when they run, so nothing of its source is ever executed. From git only that file is
 * read, without a checkout. The hash of each installed file is recorded, and a file that changed
 * since is reported.
 */
const LIMIT = 256 * 1024
const RECORD = 'installed.json'

export interface InstalledPack {
  file: string
  source: string
  commit: string | null
  sha256: string
}

export interface FetchedPack {
  agent: string
  /** The name of the file under `<config>/packs/<agent>/`. */
  name: string
  text: string
  source: string
  commit: string | null
  sha256: string
}

/** Reads a pack from a file or a git address (`address#ref:path`), and checks it. */
export async function fetchPack(source: string): Promise<FetchedPack> {
  const { text, name, commit } = isGitAddress(source) ? await fromGit(source) : await fromFile(source)
  if (text.length > LIMIT)
    throw new SignalboxError('E_PACK', `the pack is ${text.length} bytes long; the limit is ${LIMIT}`)
  const { agent } = buildPack([{ file: source, text }], [], null)
  return { agent, name, text, source, commit, sha256: createHash('sha256').update(text).digest('hex') }
}

/** Writes it to the person's packs, where it extends the shipped one, and records its hash. */
export async function installPack(pack: FetchedPack, user: string): Promise<string> {
  const directory = join(user, pack.agent)
  const file = join(directory, pack.name)
  const records = await readInstalled(pack.agent, user)
  const [, own] = await readSources(pack.agent, { user })
  if (own.some(other => other.file === file) && !records.some(record => record.file === pack.name))
    throw new SignalboxError('E_PACK', `${file} exists and was not installed by this command`, {
      next: 'rename or remove your own file first',
    })
  // The pack must work on top of what is there.
  const [shipped] = await readSources(pack.agent, { user: null })
  buildPack(shipped, [...own.filter(other => other.file !== file), { file, text: pack.text }], null)
  await mkdir(directory, { recursive: true })
  await writeFile(file, pack.text)
  const record: InstalledPack = { file: pack.name, source: pack.source, commit: pack.commit, sha256: pack.sha256 }
  await writeRecords(directory, [...records.filter(other => other.file !== pack.name), record])
  return file
}

export async function removePack(agent: string, user: string): Promise<string[]> {
  const records = await readInstalled(agent, user)
  for (const { file } of records) await rm(join(user, agent, file), { force: true })
  await rm(join(user, agent, RECORD), { force: true })
  return records.map(({ file }) => join(user, agent, file))
}

export async function readInstalled(agent: string, user: string): Promise<InstalledPack[]> {
  const text = await readFile(join(user, agent, RECORD), 'utf8').catch(() => '[]')
  try {
    return JSON.parse(text) as InstalledPack[]
  } catch {
    return []
  }
}

/** Installed files whose content is not what was installed. */
export async function changedPacks(agent: string, user: string): Promise<string[]> {
  const changed: string[] = []
  for (const record of await readInstalled(agent, user)) {
    const text = await readFile(join(user, agent, record.file), 'utf8').catch(() => null)
    if (text !== null && createHash('sha256').update(text).digest('hex') !== record.sha256)
      changed.push(join(user, agent, record.file))
  }
  return changed
}

async function writeRecords(directory: string, records: readonly InstalledPack[]): Promise<void> {
  await writeFile(join(directory, RECORD), `${JSON.stringify(records, null, 2)}\n`)
}

function isGitAddress(source: string): boolean {
  return /^(?:https|ssh|file):\/\/|^[\w.-]+@[\w.-]+:|\.git(?:#|$)/u.test(source)
}

async function fromFile(source: string): Promise<{ text: string; name: string; commit: null }> {
  const found = await lstat(source).catch(() => null)
  if (!found?.isFile())
    throw new SignalboxError('E_INPUT', `"${source}" is not a file`, {
      next: 'name a pack file, or a git address: https://host/repository.git#branch:path/to/pack.toml',
    })
  return { text: await readFile(source, 'utf8'), name: tomlName(source), commit: null }
}

async function fromGit(source: string): Promise<{ text: string; name: string; commit: string }> {
  const [, address, ref, path] = /^([^#]+)(?:#([^:]*)(?::(.+))?)?$/u.exec(source) ?? []
  if (!address || address.startsWith('-') || ref?.startsWith('-'))
    throw new SignalboxError('E_INPUT', `"${source}" is not a git address`)
  const directory = await mkdtemp(join(tmpdir(), 'signalbox-pack-'))
  try {
    const git = new Git(directory)
    await git.run(['init', '--quiet', '--bare'])
    await git.run(['fetch', '--quiet', '--depth', '1', '--', address, ref || 'HEAD'])
    const commit = (await git.run(['rev-parse', 'FETCH_HEAD'])).trim()
    const file = path ?? onlyPack((await git.run(['ls-tree', '-r', '--name-only', commit])).split('\n'))
    return { text: await git.run(['show', `${commit}:${file}`]), name: tomlName(file), commit }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

function onlyPack(files: readonly string[]): string {
  const packs = files.filter(file => file.endsWith('.toml') && !file.includes('fixtures/'))
  if (packs.length === 1) return packs[0]!
  throw new SignalboxError('E_INPUT', `the repository has ${packs.length} TOML files`, {
    next: `name one: #branch:path${packs.length > 0 ? `, such as ${packs.slice(0, 5).join(', ')}` : ''}`,
  })
}

function tomlName(path: string): string {
  const name = basename(path)
  if (!/^[\w.-]+\.toml$/u.test(name)) throw new SignalboxError('E_INPUT', `"${name}" is not the name of a TOML file`)
  return name
}
