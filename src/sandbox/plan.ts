import { existsSync, lstatSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, extname, isAbsolute, join, resolve, sep } from 'node:path'
import type { OpenedPath } from './open-path.js'
import { profileOf } from './profiles.js'
import { isBelow } from './refusals.js'

export type SandboxNetwork = 'off' | 'filtered' | 'on'

/** What a person lets into a sandbox, from the settings and the command line. */
export interface SandboxPolicy {
  network: SandboxNetwork
  /** Hosts that the filtering proxy lets through: `example.com`, `.example.com` with subdomains. */
  hosts: readonly string[]
  read: readonly string[]
  write: readonly string[]
  /** Names of environment variables. */
  env: readonly string[]
}

/** A path that is visible in the sandbox, and why. */
export interface SandboxPath {
  path: string
  access: 'read' | 'write' | 'private'
  why: string
  /** The sandbox gets a copy of the file: changes to it are lost with the sandbox. */
  isCopy?: true | undefined
  /** The copy. */
  source?: string | undefined
  /** No person is asked to open it: what is in there decides about Signalbox, or runs outside. */
  isProtected?: true | undefined
}

/** Everything that a backend needs to make the sandbox. */
export interface SandboxPlan {
  /** In the order in which they are mounted: later ones lie above earlier ones. */
  paths: readonly SandboxPath[]
  network: SandboxNetwork
  hosts: readonly string[]
  cwd: string
  home: string
  env: Readonly<Record<string, string>>
}

export interface PlanRequest {
  agent: string
  file: string
  cwd: string
  home: string
  env: Readonly<Record<string, string>>
  /** Names of variables that Signalbox, or the settings of the agent, set for the agent. */
  given?: readonly string[] | undefined
  policy: SandboxPolicy
  /** Directories of Signalbox: nothing of them is visible, except `own`. */
  hidden: readonly string[]
  /**
   * What the session itself needs of Signalbox: its settings of hooks, the socket for their
   * reports.
   */
  own: readonly SandboxPath[]
  /** Paths that a person allowed for this project. */
  granted?: readonly OpenedPath[]
  /** Programs that must be readable besides that of the agent. */
  programs: readonly string[]
  /** The directory of the person's own packs, whose profiles replace ours. */
  packs?: string | null
}

/**
 * Variables of every program. Others of the person are left out: they may contain secrets and
 * addresses of sockets.
 */
const ENVIRONMENT =
  /^(PATH|HOME|USER|LOGNAME|LANG|LC_\w+|TERM|COLORTERM|TERM_PROGRAM\w*|TZ|SHELL|NO_COLOR|FORCE_COLOR|SIGNALBOX_(SESSION|STEP|SOCKET|HOOK_TOKEN|DEMO_\w+))$/
/**
 * Where the sockets of docker, D-Bus, the SSH agent and display servers are, and files of other
 * programs.
 */
const HIDDEN_DIRECTORIES = ['/tmp', '/var/tmp', '/run', '/dev/shm', '/home', '/root', '/mnt', '/media', '/srv']
/** Name resolution, where /etc/resolv.conf is a link into /run. */
const RESOLVER_DIRECTORIES = ['/run/systemd/resolve', '/run/resolvconf', '/run/NetworkManager']

/** What is inside the sandbox, decided by the profile of the agent and the person's policy. */
export function planSandbox(request: PlanRequest): SandboxPlan {
  const { agent, cwd, home, policy } = request
  const profile = profileOf(agent, request.packs ?? null)
  const shown = (
    path: string,
    access: SandboxPath['access'],
    why: string,
    more: Partial<SandboxPath> = {},
  ): SandboxPath[] => {
    const full = fullPath(path, request)
    return full !== null && existsSync(full) ? [{ path: realpathSync(full), access, why, ...more }] : []
  }
  const hidden = [...HIDDEN_DIRECTORIES, home, ...request.hidden].filter(
    path => existsSync(path) && !lstatSync(path).isSymbolicLink(),
  )
  const isHidden = (path: string) => hidden.some(above => isBelow(path, above))
  const named = new Set([...profile.env, ...policy.env, ...(request.given ?? [])])
  const programs = [request.file, ...request.programs, ...(request.env.PATH ?? '').split(':').filter(isAbsolute)]
  return {
    paths: [
      { path: '/', access: 'read', why: 'the system, read-only' },
      ...[...new Set(hidden)].map(path => ({
        path,
        access: 'private' as const,
        why: hiddenReason(path, request),
        ...(request.hidden.includes(path) && { isProtected: true as const }),
      })),
      ...(policy.network === 'on' ? RESOLVER_DIRECTORIES.flatMap(path => shown(path, 'read', 'name resolution')) : []),
      ...[...new Set(programs.flatMap(programDirectories))]
        .filter(path => isHidden(path) && existsSync(path) && !request.hidden.some(above => isBelow(path, above)))
        .map(path => ({ path, access: 'read' as const, why: 'programs' })),
      ...profile.read.flatMap(path => shown(path, 'read', `${agent} reads its settings there`)),
      ...profile.write.flatMap(path => shown(path, 'write', `${agent} keeps its sign-in and conversations there`)),
      ...profile.env
        .filter(name => /^(?!XDG_).*_(HOME|DIR)$/.test(name) && isAbsolute(request.env[name] ?? ''))
        .flatMap(name => shown(request.env[name]!, 'write', `${name} names it`)),
      ...profile.protect.flatMap(path =>
        shown(path, 'read', `${agent} runs what it names, also outside a sandbox`, { isProtected: true }),
      ),
      ...profile.copy.flatMap(path =>
        shown(path, 'write', 'a copy: changes end with the session', { isCopy: true, isProtected: true }),
      ),
      ...policy.read.flatMap(path => shown(path, 'read', 'sandbox.read')),
      ...policy.write.flatMap(path => shown(path, 'write', 'sandbox.write')),
      ...(request.granted ?? []).flatMap(({ path, access }) => shown(path, access, 'you allowed it for this project')),
      { path: cwd, access: 'write', why: 'the project' },
      ...gitPaths(cwd),
      ...request.own.map(entry => ({ ...entry, isProtected: true as const })),
    ],
    network: policy.network,
    hosts: [...new Set([...profile.hosts, ...policy.hosts])],
    cwd,
    home,
    env: Object.fromEntries(Object.entries(request.env).filter(([name]) => ENVIRONMENT.test(name) || named.has(name))),
  }
}

/** A path of a profile or the settings; null if it is below a variable that is not set. */
function fullPath(path: string, { home, cwd, env }: Pick<PlanRequest, 'home' | 'cwd' | 'env'>): string | null {
  if (path.startsWith('~/')) return join(home, path.slice(2))
  const variable = /^\$(\w+)(.*)$/.exec(path)
  if (!variable) return resolve(cwd, path)
  const directory = env[variable[1]!] ?? ''
  return isAbsolute(directory) ? `${directory}${variable[2]}` : null
}

/**
 * Creates the directories in which an agent keeps its conversations: one that did not exist would
 * be private to the sandbox, and end with it. Creates protected paths: one that did not exist could
 * be created in the sandbox.
 */
export function createAgentDirectories(
  agent: string,
  request: Pick<PlanRequest, 'home' | 'cwd' | 'env' | 'packs'>,
): void {
  const { write, protect } = profileOf(agent, request.packs ?? null)
  for (const path of write) {
    const full = fullPath(path, request)
    if (full !== null) mkdirSync(full, { recursive: true, mode: 0o700 })
  }
  for (const path of protect) {
    const full = fullPath(path, request)
    if (full === null || existsSync(full) || !existsSync(dirname(full))) continue
    if (extname(full) === '') mkdirSync(full, { mode: 0o700 })
    else writeFileSync(full, /\.jsonc?$/.test(full) ? '{}\n' : '', { mode: 0o600, flag: 'wx' })
  }
}

/**
 * A worktree keeps its objects in the repository that it belongs to. Git's hooks and configuration
 * stay read-only: a person would later run them outside the sandbox.
 */
function gitPaths(cwd: string): SandboxPath[] {
  const git = join(cwd, '.git')
  if (!existsSync(git)) return []
  const writable = (path: string, why: string): SandboxPath => ({ path, access: 'write', why })
  const fixed = (paths: readonly string[], why: string): SandboxPath[] =>
    paths.filter(path => existsSync(path)).map(path => ({ path, access: 'read', why, isProtected: true }))
  const runsPrograms = (repository: string) =>
    fixed(
      GIT_PROGRAMS.map(name => join(repository, name)),
      'git runs what is in there',
    )
  // A directory that is mounted cannot be renamed, and another one put in its place.
  if (lstatSync(git).isDirectory()) return [writable(git, 'the repository'), ...runsPrograms(git)]
  const worktree = worktreeOf(git)
  if (worktree === null) return fixed([git], 'a link to another repository')
  const { own, common } = worktree
  const names = ['commondir', 'gitdir', 'config.worktree']
  return [
    writable(common, 'the repository of this worktree'),
    ...runsPrograms(common),
    ...fixed([join(common, 'worktrees')], 'other worktrees'),
    writable(own, 'the state of this worktree'),
    ...fixed(
      names.map(name => join(own, name)),
      'git runs what it names',
    ),
    ...fixed([git], 'names the repository'),
  ]
}

/** Files that git runs, or that name programs to run. */
const GIT_PROGRAMS = ['hooks', 'config', 'config.worktree', 'commondir', 'info/attributes', 'modules']

/** Creates those that can be empty: what does not exist cannot be made read-only. */
export function createGitDirectories(cwd: string): void {
  const git = join(cwd, '.git')
  const repository = !existsSync(git) ? null : lstatSync(git).isDirectory() ? git : worktreeOf(git)?.common
  for (const name of repository ? ['hooks', 'modules'] : [])
    mkdirSync(join(repository!, name), { recursive: true, mode: 0o755 })
}

/**
 * The directory of a worktree in its repository, and the repository, if worktree and repository
 * name each other; null for any other `.git` file.
 */
function worktreeOf(file: string): { own: string; common: string } | null {
  try {
    const own = realpathSync(resolve(dirname(file), /^gitdir: (.*)$/m.exec(readFileSync(file, 'utf8'))![1]!))
    if (realpathSync(readFileSync(join(own, 'gitdir'), 'utf8').trim()) !== realpathSync(file)) return null
    return { own, common: realpathSync(resolve(own, readFileSync(join(own, 'commondir'), 'utf8').trim())) }
  } catch {
    return null
  }
}

/** The directory of a program, and that of the package it belongs to. */
function programDirectories(path: string): string[] {
  if (!existsSync(path)) return []
  const real = realpathSync(path)
  const packageEnd = real.indexOf(`${sep}node_modules${sep}`)
  const own = lstatSync(real).isDirectory() ? real : dirname(real)
  return [
    own,
    ...(packageEnd < 0 ? [] : [join(real.slice(0, packageEnd), 'node_modules')]),
    ...(own === path ? [] : [dirname(path)]),
  ]
}

function hiddenReason(path: string, { home, hidden }: PlanRequest): string {
  if (hidden.includes(path)) return 'files and sockets of Signalbox are not visible'
  if (path === home) return 'empty, except for what is listed below'
  return 'empty: files and sockets of other programs are not visible'
}
