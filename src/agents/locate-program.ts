import { closeSync, openSync, readSync, realpathSync } from 'node:fs'
import { basename, delimiter, dirname, isAbsolute, join, relative, sep } from 'node:path'
import { findExecutable } from '../process/index.js'
import type { AgentEnvironment, AgentLocation, FoundAgent } from './adapter.js'
import { expandHome, homeDirectory } from './home-directory.js'

/**
 * Finds an agent's program without starting it: the configured command, else the first of its names
 * in PATH, else where its installer puts it.
 *
 * PATH entries inside the project are ignored: a repository must not choose the program that is
 * started in it. A home directory does not count as a project, although people work in it.
 */
export function locateProgram(
  names: readonly string[],
  environment: AgentEnvironment,
  installerPaths: readonly string[] = [],
): AgentLocation {
  const { env, cwd, configuredCommand } = environment
  const path = pathOutsideProject(environment)
  if (configuredCommand !== null) {
    const command = expandHome(configuredCommand, env)
    const isRelativePath = command.includes('/') && !isAbsolute(command)
    const file = isRelativePath ? null : findExecutable(command, { path, cwd })
    return file
      ? startable(file, environment)
      : { found: false, looked: isRelativePath ? `${command}, which is neither a name nor an absolute path` : command }
  }
  for (const name of names) {
    const file = findExecutable(name, { path, cwd })
    if (file) return startable(file, environment)
  }
  for (const path of installerPaths) {
    const file = findExecutable(expandHome(path, env), { path: undefined, cwd })
    if (file) return startable(file, environment)
  }
  return { found: false, looked: [...names, ...installerPaths].join(', ') }
}

function pathOutsideProject({ env, cwd }: AgentEnvironment): string | undefined {
  const project = realPath(cwd)
  if (isWithin(realPath(homeDirectory(env)), project)) return env.PATH
  return env.PATH?.split(delimiter)
    .filter(entry => !isWithin(realPath(entry), project))
    .join(delimiter)
}

/**
 * Resolves the real path, so that the program starts the same file that was checked. One kind of
 * link is kept: version managers point the names of many tools at one launcher, which depends on
 * the name it is called by.
 *
 * A Node script is run with the Node next to it, as version managers install them, before any other
 * in PATH: its packages were installed for that one.
 */
function startable(found: string, { env, cwd }: AgentEnvironment): FoundAgent {
  const real = realPath(found)
  const interpreter = interpreterOf(real)
  if (interpreter === null) {
    const name = basename(found).replace(/\.exe$/i, '')
    return { found: true, file: basename(real).replace(/\.exe$/i, '') === name ? real : found, prefix: [] }
  }
  if (interpreter !== 'node') return { found: true, file: real, prefix: [] }
  const beside = findExecutable(join(dirname(found), 'node'), { path: undefined, cwd })
  if (beside) return { found: true, file: beside, prefix: [real] }
  return findExecutable('node', { path: env.PATH, cwd })
    ? { found: true, file: real, prefix: [] }
    : { found: true, file: process.execPath, prefix: [real] }
}

/** The interpreter in the first line, or null if the file is not a script. */
function interpreterOf(file: string): string | null {
  const head = Buffer.alloc(256)
  let length = 0
  try {
    const handle = openSync(file, 'r')
    try {
      length = readSync(handle, head, 0, head.length, 0)
    } finally {
      closeSync(handle)
    }
  } catch {
    // A program may be executable but not readable; then it is not a script.
    return null
  }
  const first = head.subarray(0, length).toString('latin1').split('\n', 1)[0]!
  if (!first.startsWith('#!')) return null
  const words = first.slice(2).trim().split(/\s+/)
  const program = basename(words[0] ?? '')
  return program === 'env'
    ? (words.slice(1).find(word => !word.startsWith('-') && !word.includes('=')) ?? null)
    : program
}

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

function isWithin(path: string, root: string): boolean {
  if (!isAbsolute(path)) return false
  const inside = relative(root, path)
  return inside === '' || (inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside))
}
