import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { CORPUS } from '../support/requirements.js'

/** What real agents printed and left on disk at known points: a part is here, more in the corpus. */
const ROOTS = [join(import.meta.dirname, 'fixtures'), CORPUS]

/** Paths of the recordings in a folder, each name once. */
export function recorded(folder: string, isWanted: (name: string) => boolean): string[] {
  const found = new Map<string, string>()
  for (const root of ROOTS.map(root => join(root, folder)).filter(root => existsSync(root)))
    for (const name of readdirSync(root).filter(isWanted)) if (!found.has(name)) found.set(name, join(root, name))
  return [...found.values()]
}
