import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

/** The directory of a run's files: prompts, activities, exports. */
export function runDirectory(dataDirectory: string, run: string): string {
  const directory = join(dataDirectory, 'runs', run)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  return directory
}
