import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Pack, parsePack } from '../screen/index.js'

const SHIPPED = fileURLToPath(new URL('../../packs', import.meta.url))

/** The pack of an agent: the user's own directory before the shipped one; the generic pack where there is none. */
export async function loadPack(agent: string | null, userDirectory: string | null): Promise<Pack> {
  const directories = [userDirectory, SHIPPED].filter(directory => directory !== null)
  for (const directory of directories) {
    if (agent === null) break
    const file = await firstToml(join(directory, agent))
    if (file) return parsePack(await readFile(file, 'utf8'), file)
  }
  return parsePack('pack = 1\nagent = "generic"\n', 'generic')
}

async function firstToml(directory: string): Promise<string | null> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [] as string[]
    throw error
  })
  const name = names.filter(candidate => candidate.endsWith('.toml')).sort()[0]
  return name ? join(directory, name) : null
}
