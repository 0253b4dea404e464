import { posix } from 'node:path'
import { visibleText } from '../../text/index.js'
import { AGENT_FILES, AGENT_FOLDERS, CI_FILES, CI_FOLDERS, HOOK_FILES, SHELL_FILES } from './path-rules.js'
import type { Reason } from './reason.js'
import { isSecretPath } from './secret-names.js'

export interface PathContext {
  project: string
  home: string
  /** The directory for relative paths; null after a `cd` to an unknown directory. */
  cwd: string | null
  /** Resolves symbolic links, where the caller has access to the file system. */
  realPath?: ((path: string) => string) | undefined
}

export type Access = 'read' | 'write' | 'delete'

const VERB: Record<Access, string> = { read: 'reads', write: 'writes', delete: 'deletes' }
/** Devices that store nothing. */
const HARMLESS = new Set(['/dev/null', '/dev/stdin', '/dev/stdout', '/dev/stderr', '/dev/tty', '/dev/zero'])

/** Why access to this path is risky. Only reading inside the project is low. */
export function ratePath(path: string, access: Access, context: PathContext): Reason[] {
  const shown = visibleText(path, { newlines: 'show', tabs: 'show' })
  if (HARMLESS.has(path)) return []
  const whole = resolvePath(path, context)
  if (whole === null) return [{ level: 'elevated', text: `${VERB[access]} ${shown}, and where that lies is not known` }]
  const real = context.realPath?.(whole) ?? whole
  const reasons: Reason[] = []
  for (const absolute of new Set([whole, real])) {
    const special = specialPath(absolute, access, context)
    if (special) reasons.push({ level: 'high', text: `${VERB[access]} ${special}: ${shown}` })
    if (!isInside(absolute, context.project)) {
      const where = absolute === whole ? shown : `${shown} is really ${visibleText(absolute)}`
      reasons.push({ level: 'high', text: `${VERB[access]} outside the project: ${where}` })
    }
  }
  if (access !== 'read') reasons.push({ level: 'elevated', text: `${VERB[access]} inside the project: ${shown}` })
  return reasons
}

/** Resolves `..` and `~` lexically. Null for paths that only a shell could resolve. */
export function resolvePath(path: string, { home, cwd }: PathContext): string | null {
  if (path === '~' || path.startsWith('~/')) return posix.normalize(`${home}${path.slice(1)}`)
  if (path.startsWith('~')) return `/home/${path.slice(1)}`
  if (posix.isAbsolute(path)) return posix.normalize(path)
  return cwd === null ? null : posix.resolve(cwd, path)
}

/** Compares segments, not text: `/p-evil` is not inside `/p`. */
export function isInside(path: string, directory: string): boolean {
  const relative = posix.relative(directory, path)
  return relative !== '..' && !relative.startsWith('../') && !posix.isAbsolute(relative)
}

/** Compares names without case, because some file systems do so. */
function specialPath(path: string, access: Access, { project, home }: PathContext): string | null {
  const segments = path
    .toLowerCase()
    .split('/')
    .filter(segment => segment !== '')
  const name = segments.at(-1) ?? ''
  const has = (folder: string) => hasRun(segments, folder.split('/'))
  if (isSecretPath(path)) return 'a file that holds credentials'
  if (access === 'read') return null
  if (path === project || path === home || path === '/') return 'a whole directory'
  if (AGENT_FILES.has(name) || AGENT_FOLDERS.some(has)) return 'settings of agents'
  if (has('.signalbox') || has('.config/signalbox') || name === '.signalbox.toml') return 'settings of Signalbox'
  if (has('.git/hooks') || has('.husky') || HOOK_FILES.has(name)) return 'hooks that run by themselves'
  if (segments.includes('.git')) return 'the repository’s own files'
  if (CI_FILES.has(name) || CI_FOLDERS.some(has)) return 'what CI runs'
  if (SHELL_FILES.has(name)) return 'a file that shells run at start'
  return null
}

function hasRun(segments: readonly string[], run: readonly string[]): boolean {
  return segments.some((_, start) => run.every((part, index) => segments[start + index] === part))
}
