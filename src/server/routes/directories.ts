import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { z } from 'zod'
import { type Route, route } from '../route.js'
import { answer } from '../schemas/common.js'
import { directoryList } from '../schemas/projects.js'

const SHOWN_MAX = 40
/** A directory with more entries is not worth sorting for a list of a few. */
const ENTRIES_MAX = 5_000

export const directoryRoutes: readonly Route[] = [
  route({
    id: 'directories.list',
    method: 'GET',
    path: '/directories',
    summary: 'Directories of this machine that continue a path, to choose where a session starts.',
    // A person who may start an agent in a directory may also see its name.
    access: 'approver',
    query: z.strictObject({
      path: z.string().max(1_000).default('').describe('the beginning of a path; empty: the home directory'),
    }),
    answers: { 200: answer('by name; hidden ones only if their dot was given', directoryList) },
    handle: ({ parts, query, json }) => {
      const home = parts.env.HOME ?? '/'
      const typed = query.path.replace(/^~(?=\/|$)/, home)
      const wanted = typed === '' ? `${home}/` : typed
      return json({ home, items: isAbsolute(wanted) ? directoriesAt(wanted) : [] })
    },
  }),
]

function directoriesAt(wanted: string): z.output<typeof directoryList>['items'] {
  const base = wanted.endsWith('/') ? wanted : dirname(wanted)
  const start = wanted.slice(base.endsWith('/') ? base.length : base.length + 1).toLowerCase()
  return namesIn(base)
    .filter(name => name.toLowerCase().startsWith(start) && (start.startsWith('.') || !name.startsWith('.')))
    .sort((a, b) => a.localeCompare(b, 'en'))
    .map(name => join(base, name))
    .filter(isDirectory)
    .slice(0, SHOWN_MAX)
    .map(path => ({ path, isRepository: existsSync(join(path, '.git')) }))
}

/** None of a directory that does not exist or may not be read. */
function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).slice(0, ENTRIES_MAX)
  } catch {
    return []
  }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
