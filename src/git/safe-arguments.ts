import { existsSync, readFileSync, statSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import { SignalboxError } from '../errors/index.js'
import { isWithoutLinks } from './find-repository.js'

/*
 * Arguments that keep git from starting programs that the content of a working tree chooses. An
 * agent may write there what it likes: a repository in the repository with a configuration of its
 * own, attributes, a file that names another configuration. Git would start filters and merge
 * drivers of these outside the agent's sandbox, while it only compares files.
 */

/** Commands that look at files of the working tree. */
const ON_TREE = new Set([
  'add',
  'apply',
  'checkout',
  'clean',
  'commit',
  'diff',
  'merge',
  'read-tree',
  'reset',
  'restore',
  'rm',
  'stash',
  'status',
  'switch',
])
const PROGRAMS = String.raw`^(filter\..*\.(clean|smudge|process)|merge\..*\.driver|gpg\.(.*\.)?program|include(if\..*)?\.path)$`

type Ask = (args: readonly string[]) => Promise<string>

/** The index of the command among the arguments, after `-c name=value`. */
export function commandAt(args: readonly string[]): number {
  let at = 0
  while (args[at] === '-c') at += 2
  return at
}

/**
 * @param index the index that git uses instead of its own
 * @throws SignalboxError `E_GIT` if an agent's repository names programs, or a repository takes its
 * configuration from elsewhere.
 */
export async function safeArguments(cwd: string, args: readonly string[], ask: Ask, index?: string): Promise<string[]> {
  const at = commandAt(args)
  const command = args[at] ?? ''
  if (!ON_TREE.has(command) || args.includes('--no-index')) return [...args]
  checkRedirection(cwd)
  await checkPrograms(cwd, ask)
  const rest = args.slice(at + 1)
  if (command === 'status' || command === 'diff')
    return [...args.slice(0, at), command, '--ignore-submodules=dirty', ...rest]
  const isOfPaths = (command === 'add' || command === 'commit') && args.includes('--')
  return [...args, ...(isOfPaths && !(index && isWithoutLinks(index)) ? await withoutNested(ask) : [])]
}

/**
 * A `commondir` in the directory of a repository is a way to give it another configuration; only
 * the directories of worktrees have one.
 */
function checkRedirection(cwd: string): void {
  const file = join(cwd, '.git', 'commondir')
  if (!existsSync(file)) return
  throw new SignalboxError('E_GIT', `${file} gives this repository the configuration of another one`, {
    next: `inspect and delete it before you run git in ${cwd}: an agent may have written it`,
  })
}

/** Directories without a repository when a sandbox was started there. */
const withoutRepository = new Set<string>()

/** From now on, a repository that appears in this directory counts as created by an agent. */
export function distrustRepository(directory: string): void {
  withoutRepository.add(directory)
}

/** @throws SignalboxError `E_GIT` if an agent's repository names programs for git to start. */
async function checkPrograms(cwd: string, ask: Ask): Promise<void> {
  if (withoutRepository.size === 0) return
  const root = (await ask(['rev-parse', '--show-toplevel'])).trim()
  if (!withoutRepository.has(root) && !withoutRepository.has(cwd)) return
  const named = (await ask(['config', '--local', '--name-only', '--get-regexp', PROGRAMS])).trim()
  if (named === '') return
  const [key] = named.split('\n')
  throw new SignalboxError(
    'E_GIT',
    `${root} was created in a sandbox, and its configuration names programs that git would start (${key})`,
    {
      next: `check ${key} in .git/config; run git yourself if you trust it`,
    },
  )
}

/** Repositories in the repository, except for submodules whose directory git itself made. */
async function withoutNested(ask: Ask): Promise<string[]> {
  const links = (await ask(['ls-files', '--stage', '-z', ':/']))
    .split('\0')
    .filter(entry => entry.startsWith('160000 '))
    .map(entry => entry.slice(entry.indexOf('\t') + 1))
  if (links.length === 0) return []
  const root = (await ask(['rev-parse', '--show-toplevel'])).trim()
  const modules = resolve(root, (await ask(['rev-parse', '--git-path', 'modules'])).trim())
  return links.filter(path => !isSubmodule(join(root, path), modules)).map(path => `:(top,exclude,literal)${path}`)
}

function isSubmodule(directory: string, modules: string): boolean {
  const path = join(directory, '.git')
  if (!existsSync(path)) return true
  if (statSync(path).isDirectory()) return false
  const target = /^gitdir: (.*)$/m.exec(readFileSync(path, 'utf8'))?.[1] ?? ''
  return resolve(directory, target).startsWith(`${modules}${sep}`)
}
