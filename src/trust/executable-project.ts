import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { isAbsolute, join, relative, resolve } from 'node:path'
import { Git } from '../git/index.js'
import { type ExecutableFiles, hashOf, PROJECT_SETTINGS } from './executable-files.js'

/**
 * What would be run when agents work in a project and their work is committed: settings that start
 * programs, and hooks inside it. With a revision, as of that revision: a worktree is created from
 * it.
 */
export async function executableProject(directory: string, revision: string | null = null): Promise<ExecutableFiles> {
  const git = new Git(directory)
  const project = realpathSync((await git.root()) ?? directory)
  const hooks = await hooksInside(git, project)
  const files = revision === null ? onDisk(project, hooks) : await inRevision(git, revision, hooks)
  const { code, stdout } = await git.try(['rev-parse', '--path-format=absolute', '--git-common-dir'])
  return {
    project,
    commonDirectory: code === 0 ? stdout.trim() : null,
    files,
    commands: [],
    hash: hashOf(files),
  }
}

/**
 * The directory of the project's own hooks (`core.hooksPath` inside it). Hooks in `.git` are never
 * cloned: the person put them there.
 */
async function hooksInside(git: Git, project: string): Promise<string | null> {
  const { code, stdout } = await git.try(['config', '--get', 'core.hooksPath'])
  const path = code === 0 ? relative(project, resolve(project, stdout.trim())) : ''
  return path === '' || path.startsWith('..') || isAbsolute(path) || path.split('/')[0] === '.git' ? null : path
}

function onDisk(project: string, hooks: string | null): Record<string, string> {
  const directory = hooks === null ? null : join(project, hooks)
  const own = directory !== null && existsSync(directory) ? readdirSync(directory).map(name => join(hooks!, name)) : []
  const found = [...PROJECT_SETTINGS, ...own.sort()].filter(path => {
    const file = join(project, path)
    return existsSync(file) && statSync(file).isFile()
  })
  return Object.fromEntries(found.map(path => [path, digest(readFileSync(join(project, path)))]))
}

async function inRevision(git: Git, revision: string, hooks: string | null): Promise<Record<string, string>> {
  const wanted = [...PROJECT_SETTINGS, ...(hooks === null ? [] : [`${hooks}/`])]
  const listed = await git.run(['ls-tree', '-r', '--full-tree', '-z', '--name-only', revision, '--', ...wanted])
  const files: Record<string, string> = {}
  for (const path of listed.split('\0').filter(Boolean).sort())
    files[path] = digest(await git.run(['cat-file', 'blob', `${revision}:${path}`]))
  return files
}

function digest(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}
