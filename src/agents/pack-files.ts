import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SignalboxError } from '../errors/index.js'
import { PACKAGE_ROOT } from '../process/index.js'
import {
  chooseRange,
  composePack,
  type Detection,
  isInRange,
  type Pack,
  type PackSource,
  readDetection,
  readRange,
} from '../screen/pack/index.js'

const SHIPPED = join(PACKAGE_ROOT, 'packs')
const GENERIC: PackSource = { file: 'generic', text: 'pack = 1\nagent = "generic"\n' }
/** Confidence factor of a pack for a version that it was not written for. */
const OTHER_VERSION = 0.9

/** Where packs are: shipped ones, and the person's, which override. Never projects. */
export interface PackDirectories {
  user: string | null
  shipped?: string
}

/**
 * Loads the pack of an agent for one of its versions (null: unknown yet, use the newest). Agents
 * without a pack, and null, get the generic pack, which reads by structure alone.
 * @throws SignalboxError `E_PACK` with file and line.
 */
export async function loadPack(
  agent: string | null,
  userDirectory: string | null,
  version: string | null = null,
): Promise<Pack> {
  const [shipped, own] = await readSources(agent ?? 'generic', { user: userDirectory })
  return buildPack(shipped, own, version)
}

/** The files of an agent, shipped and own, each sorted by name. */
export async function readSources(
  agent: string,
  directories: PackDirectories,
): Promise<[shipped: PackSource[], own: PackSource[]]> {
  const { user, shipped = SHIPPED } = directories
  return Promise.all([readToml(join(shipped, agent)), user === null ? [] : readToml(join(user, agent))])
}

/** Builds the pack from the file whose range contains the version, and the person's own on top. */
export function buildPack(shipped: readonly PackSource[], own: readonly PackSource[], version: string | null): Pack {
  const overlays = own.filter(source => version === null || isInRange(version, readRange(source)))
  const lower =
    shipped.length > 0
      ? chosenOf(shipped, version)
      : overlays.length > 0
        ? null
        : own.length > 0
          ? chosenOf(own, version)
          : GENERIC
  const pack = composePack([...(lower ? [lower] : []), ...overlays], { version })
  if (version !== null && !isInRange(version, pack.range)) pack.trust = OTHER_VERSION
  return pack
}

function chosenOf(sources: readonly PackSource[], version: string | null): PackSource {
  return sources.length === 1 ? sources[0]! : sources[chooseRange(sources.map(readRange), version).index]!
}

export async function packAgents({ user, shipped = SHIPPED }: PackDirectories): Promise<string[]> {
  const names = await Promise.all(
    [shipped, user].map(directory => (directory === null ? [] : subdirectories(directory))),
  )
  return [...new Set(names.flat())].sort()
}

/** The detection rules of all packs, or of one. An unreadable file detects nothing. */
export async function loadDetections(directories: PackDirectories, only: string | null = null): Promise<Detection[]> {
  const agents = only === null ? await packAgents(directories) : [only]
  const found = await Promise.all(
    agents.map(async agent => {
      const [shipped, own] = await readSources(agent, directories)
      return [...own, ...shipped].flatMap(source => {
        try {
          return readDetection(source, agent) ?? []
        } catch {
          return []
        }
      })
    }),
  )
  return found.flat()
}

export function packDirectory(agent: string, directory: string = SHIPPED): string {
  return join(directory, agent)
}

async function subdirectories(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(onMissing)
  return entries.filter(entry => entry.isDirectory()).map(entry => entry.name)
}

async function readToml(directory: string): Promise<PackSource[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(onMissing)
  const names = entries.filter(entry => entry.isFile() && entry.name.endsWith('.toml')).map(entry => entry.name)
  return Promise.all(
    names
      .sort()
      .map(async name => ({ file: join(directory, name), text: await readFile(join(directory, name), 'utf8') })),
  )
}

function onMissing(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return []
  throw new SignalboxError('E_PACK', `cannot read the packs: ${error.message}`, { cause: error })
}
