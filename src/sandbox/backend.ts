import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SignalboxError } from '../errors/index.js'
import { findExecutable } from '../process/index.js'
import { type BubblewrapLaunch, bubblewrapCommand } from './bubblewrap.js'
import { containerCommand } from './container.js'
import { SHARED_DIRECTORY } from './open-path.js'
import type { SandboxPlan } from './plan.js'
import { seatbeltProfile } from './seatbelt.js'
import { seccompFilter } from './seccomp.js'

/**
 * `auto`: bubblewrap on Linux, sandbox-exec on macOS. Containers name their image:
 * `docker:<image>`.
 */
export type SandboxBackend = 'auto' | 'bubblewrap' | 'seatbelt' | `docker:${string}` | `podman:${string}`

export interface SandboxedProgram {
  file: string
  args: readonly string[]
  env: Record<string, string>
}

const SEARCH = '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/opt/homebrew/bin'
const NAME = /^(auto|bubblewrap|seatbelt|(docker|podman):[\w./:@-]+)$/

/** @throws SignalboxError `E_INPUT` */
export function parseBackend(text: string): SandboxBackend {
  if (NAME.test(text)) return text as SandboxBackend
  throw new SignalboxError('E_INPUT', `unknown sandbox "${text}"`, {
    next: 'use auto, bubblewrap, seatbelt, docker:<image> or podman:<image>',
  })
}

/** An image has its own programs: ours are not visible in it. */
export function isContainer(backend: SandboxBackend): boolean {
  return backend.includes(':')
}

/**
 * The program in the sandbox. @throws SignalboxError `E_NOT_READY` if this machine cannot make the
 * sandbox.
 */
export function sandboxedProgram(
  backend: SandboxBackend,
  planned: SandboxPlan,
  program: { file: string; args: readonly string[] },
  path: string | undefined,
  /** The session's own directory, for what bubblewrap needs beside its command line. */
  directory?: string,
): SandboxedProgram {
  const search = `${path ?? ''}:${SEARCH}`
  const [kind, ...image] = (backend === 'auto' ? defaultBackend() : backend).split(':')
  const problem = sandboxProblem(kind!, search)
  if (problem !== null) throw new SignalboxError('E_NOT_READY', `no sandbox: ${problem}`, { next: adviceFor(kind!) })
  const tool = toolOf(kind!, search)!
  const plan = directory === undefined ? planned : withCopies(planned, directory)
  const env = { ...plan.env }
  if (kind === 'bubblewrap') return { ...bubblewrapCommand(tool, plan, program, launchIn(directory, search)), env }
  if (kind === 'seatbelt')
    return { file: tool, args: ['-p', seatbeltProfile(plan), program.file, ...program.args], env }
  const user = process.getuid ? `${process.getuid()}:${process.getgid!()}` : null
  return { ...containerCommand(tool, image.join(':'), plan, program, kind === 'docker' ? user : null), env }
}

/** Makes the copies of files that the sandbox may change for itself. */
function withCopies(plan: SandboxPlan, directory: string): SandboxPlan {
  const copies = join(directory, 'copies')
  const paths = plan.paths.map((entry, index) => {
    if (!entry.isCopy) return entry
    mkdirSync(copies, { recursive: true, mode: 0o700 })
    const source = join(copies, String(index))
    copyFileSync(entry.path, source)
    return { ...entry, source }
  })
  return { ...plan, paths }
}

/** Writes what a launch needs into the session's directory. */
function launchIn(directory: string | undefined, search: string): BubblewrapLaunch {
  if (directory === undefined) return {}
  const filter = seccompFilter(process.arch)
  const file = join(directory, 'filter.bpf')
  const shared = join(directory, SHARED_DIRECTORY)
  mkdirSync(shared, { recursive: true, mode: 0o700 })
  if (filter) writeFileSync(file, filter, { mode: 0o600 })
  const unshare = canOpenPaths(search) ? findExecutable('unshare', { path: search, cwd: '/' }) : null
  return { ...(unshare !== null && { outer: { unshare, shared } }), ...(filter && { filter: file }) }
}

/** Backends that worked in a trial; a trial takes as long as starting a sandbox. */
const working = new Set<string>()
const openable = new Map<string, boolean>()

/**
 * Whether paths can be shown in a sandbox of bubblewrap that runs. Some systems let bubblewrap make
 * user namespaces, and no other program.
 */
export function canOpenPaths(path: string | undefined): boolean {
  const search = `${path ?? ''}:${SEARCH}`
  const [bwrap, unshare, nsenter] = ['bwrap', 'unshare', 'nsenter'].map(name =>
    findExecutable(name, { path: search, cwd: '/' }),
  )
  if (!bwrap || !unshare || !nsenter) return false
  const known = openable.get(bwrap)
  if (known !== undefined) return known
  const plan = { paths: [{ path: '/', access: 'read' as const, why: '' }], network: 'off' as const, hosts: [] }
  const tried = bubblewrapCommand(
    bwrap,
    { ...plan, cwd: '/', home: '/', env: {} },
    { file: 'true', args: [] },
    { outer: { unshare, shared: tmpdir() } },
  )
  const works = spawnSync(tried.file, [...tried.args], { timeout: 10_000 }).status === 0
  openable.set(bwrap, works)
  if (works) working.add(bwrap)
  return works
}

/** The reason why this machine cannot make such a sandbox; null if it can. */
export function sandboxProblem(kind: string, path: string | undefined): string | null {
  const tool = toolOf(kind, `${path ?? ''}:${SEARCH}`)
  if (tool === null) return `${programOf(kind)} was not found`
  if (kind !== 'bubblewrap' || working.has(tool) || canOpenPaths(path)) return null
  const { status, stderr } = spawnSync(
    tool,
    ['--ro-bind', '/', '/', '--unshare-user-try', '--unshare-net', '--unshare-pid', '--proc', '/proc', 'true'],
    { encoding: 'utf8', timeout: 10_000 },
  )
  if (status === 0) working.add(tool)
  return status === 0 ? null : (stderr ?? '').trim().split('\n')[0] || 'bubblewrap does not work here'
}

export function defaultBackend(): 'bubblewrap' | 'seatbelt' {
  return process.platform === 'darwin' ? 'seatbelt' : 'bubblewrap'
}

function toolOf(kind: string, path: string): string | null {
  return findExecutable(programOf(kind), { path, cwd: '/' })
}

function programOf(kind: string): string {
  return kind === 'bubblewrap' ? 'bwrap' : kind === 'seatbelt' ? 'sandbox-exec' : kind
}

function adviceFor(kind: string): string {
  if (kind !== 'bubblewrap') return `install ${programOf(kind)}, or choose another sandbox`
  return 'install bubblewrap (apt install bubblewrap); it needs user namespaces: sysctl kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns'
}
