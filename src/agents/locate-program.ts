import { closeSync, openSync, readSync, realpathSync } from 'node:fs'
import { basename, delimiter, dirname, isAbsolute, join, relative, sep } from 'node:path'
import { findExecutable } from '../process/index.js'
import type { AgentEnvironment, AgentLocation, FoundAgent } from './adapter.js'
import { expandHome, homeDirectory } from './home-directory.js'

/**
 * Finds an agent's program without starting it: the configured command, else the first of its names in PATH, else the places its own
 * installer uses.
 *
 * PATH entries inside the project are passed over: a repository must not choose the program that is started in it. A home directory is no
 * project, although people work in it.
 */
export function locateProgram(
  names: readonly string[],
  environment: AgentEnvironment,
  installerPlaces: readonly string[] = [],
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
  for (const place of installerPlaces) {
    const file = findExecutable(expandHome(place, env), { path: undefined, cwd })
    if (file) return startable(file, environment)
  }
  return { found: false, looked: [...names, ...installerPlaces].join(', ') }
}

function pathOutsideProject({ env, cwd }: AgentEnvironment): string | undefined {
  const project = realPath(cwd)
  if (isWithin(realPath(homeDirectory(env)), project)) return env.PATH
  return env.PATH?.split(delimiter)
    .filter(entry => !isWithin(realPath(entry), project))
    .join(delimiter)
}

/**
 * The real path, so that what was looked at is what is started. One kind of link stays a link: version managers point the names of many
 * tools at one launcher, which goes by the name it was called with.
 *
 * A script of Node gets the Node that lies beside it, as version managers install them, before any other in PATH: it is the one its
 * packages were installed for.
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

/** Name of the interpreter in the first line, or null for a program of its own. */
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
    // Programs may be startable and not readable; those are no scripts.
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
  const way = relative(root, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}
