import { accessSync, constants, existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { OpenedPath } from './open-path.js'
import type { SandboxPath } from './plan.js'

/*
 * Which paths a sandbox refused, found in what programs print.
 *
 * No system call reports refusals: in the sandbox, a hidden path does not exist (ENOENT) and a
 * read-only one fails with EROFS. A program that cares prints the path with the error. So every
 * line with a known error and a path is a candidate, and the plan decides: it counts only if the
 * path exists outside for this user and the plan is why the program did not get it. A program that
 * prints nothing about it raises no request; one that prints a wrong error raises a request that
 * names the path, and a person decides.
 */

/** A path that a program did not get, in its own words. */
export interface PathCandidate {
  path: string
  access: 'read' | 'write'
  /** The line that says so. */
  message: string
}

/** A path that a sandbox refused. */
export interface Refusal extends OpenedPath {
  message: string
  /** The path as the program named it, where that one does not exist. */
  wanted?: string
}

const READ_ONLY = /read-only file ?system|\bEROFS\b/i
const MISSING =
  /no such file or directory|\bENOENT\b|cannot (?:open|access|stat|find)|(?:file|path|directory) (?:not found|does not exist)|does not exist/i
const CREATING = /cannot (?:create|touch|make)|could not create|nonexistent|failed to create/i
const QUOTED = /['"‘“`]((?:~?\/)[^'"’”`]+)['"’”`]/g
const BARE = /(?:^|[\s:=([])((?:~?\/)[^\s:,;'"’”`()[\]]+)/g
const LINE_MAX = 4_096
const PATHS_IN_LINE_MAX = 4
/** Directories that the kernel provides; no plan decides about them. */
const KERNEL_DIRECTORIES = ['/proc', '/sys', '/dev']

/** Paths that the lines of a text name together with an error. */
export function candidatesIn(text: string): PathCandidate[] {
  return text.split('\n').flatMap(line => {
    if (line.length > LINE_MAX) return []
    const isWrite = READ_ONLY.test(line) || CREATING.test(line)
    if (!isWrite && !MISSING.test(line)) return []
    const quoted = [...line.matchAll(QUOTED)].map(match => match[1]!)
    const paths = quoted.length > 0 ? quoted : [...line.matchAll(BARE)].map(match => match[1]!)
    const message = line.trim()
    return [...new Set(paths)]
      .slice(0, PATHS_IN_LINE_MAX)
      .map((path): PathCandidate => ({ path: path.replace(/\.$/, ''), access: isWrite ? 'write' : 'read', message }))
  })
}

/**
 * The refusal behind a candidate; null if the plan is not the reason. A file that is to be written
 * and does not exist is asked for as the directory in which it would be.
 */
export function refusalOf(candidate: PathCandidate, paths: readonly SandboxPath[], home: string): Refusal | null {
  const { access, message } = candidate
  const named = candidate.path.startsWith('~/') ? join(home, candidate.path.slice(2)) : candidate.path
  const existing = existsSync(named) ? named : access === 'write' ? dirname(named) : null
  if (existing === null || !existsSync(existing)) return null
  const path = realpathSync(existing)
  if (path === '/' || KERNEL_DIRECTORIES.some(above => isBelow(path, above))) return null
  const inside = paths.filter(entry => isBelow(path, entry.path)).at(-1)
  const isRefused = inside?.access === 'private' || (access === 'write' && inside?.access === 'read')
  // Showing a path below a protected one would show the protected one as well.
  const isProtected = paths.some(entry => entry.isProtected && (isBelow(path, entry.path) || isBelow(entry.path, path)))
  if (!isRefused || isProtected || !isAllowedOutside(path, access)) return null
  return { path, access, message, ...(existing !== named && { wanted: named }) }
}

function isAllowedOutside(path: string, access: 'read' | 'write'): boolean {
  try {
    accessSync(path, access === 'read' ? constants.R_OK : constants.R_OK | constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** By path segments. */
export function isBelow(path: string, above: string): boolean {
  return path === above || path.startsWith(above.endsWith('/') ? above : `${above}/`)
}
