import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * What real agents printed and left on disk at known points. A part of it is here; beside the checkout, or where SIGNALBOX_CORPUS says,
 * there may be more.
 */
const ROOTS = [
  join(import.meta.dirname, 'fixtures'),
  process.env.SIGNALBOX_CORPUS ?? join(import.meta.dirname, '../../../shared/corpus'),
]

/** Paths of the recordings in a folder, each name once. */
export function recorded(folder: string, isWanted: (name: string) => boolean): string[] {
  const found = new Map<string, string>()
  for (const root of ROOTS.map(root => join(root, folder)).filter(root => existsSync(root)))
    for (const name of readdirSync(root).filter(isWanted)) if (!found.has(name)) found.set(name, join(root, name))
  return [...found.values()]
}
