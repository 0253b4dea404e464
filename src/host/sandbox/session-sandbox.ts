import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { loadConfig } from '../../config/index.js'
import { ownProgram, PACKAGE_ROOT, wrapperIn } from '../../process/index.js'
import {
  bridgedProgram,
  createAgentDirectories,
  createGitDirectories,
  isContainer,
  type OpenedPath,
  parseBackend,
  planSandbox,
  type SandboxBackend,
  type SandboxedProgram,
  type SandboxNetwork,
  type SandboxPath,
  type SandboxPlan,
  sandboxedProgram,
} from '../../sandbox/index.js'
import type { ClientDirectories, SessionRecord } from '../../sessions/index.js'
import { allowedEnvironment } from '../session-environment.js'
import type { HostSettings } from '../settings.js'
import { projectFile } from '../settings-files.js'

/** What a person asks for: `use` is `off` or a backend. */
export interface SandboxRequest {
  use: string
  network?: SandboxNetwork | undefined
}

/** A sandbox that is ready to be made. */
export interface PlannedSandbox {
  backend: SandboxBackend
  plan: SandboxPlan
}

/** The settings of a host that its sandboxes need. */
export type SandboxSettings = Pick<
  HostSettings,
  'sandbox' | 'hookSocket' | 'daemonSocket' | 'keeperSocket' | 'runtimeDirectory' | 'settingsFile'
>

interface Inside {
  file: string
  cwd: string
  environment: Record<string, string>
  /** The variables of it that Signalbox, or the settings of the agent, set for the agent. */
  given?: readonly string[]
  /** The session's directory with its settings of hooks; null without hooks. */
  directory: string | null
  /** The directory of a step with its prompt and its results. */
  stepDirectory?: string
  /** The socket of its proxy, for a filtered network. */
  proxySocket: string
  /** Paths that a person allowed for a project. */
  grantsOf?(project: string): Promise<readonly OpenedPath[]>
  /** Nothing is started: nothing is created either. */
  isExplanation?: boolean
}

/** The sandbox of a session, or null if it gets none. */
export async function sandboxFor(
  { sandbox }: { sandbox?: SandboxRequest | undefined },
  agent: string,
  settings: SandboxSettings,
  { file, cwd, environment, given, directory, stepDirectory, proxySocket, grantsOf, isExplanation = false }: Inside,
): Promise<PlannedSandbox | null> {
  if (!settings.sandbox) return null
  const ofProject = projectSandbox(cwd, settings.settingsFile)
  const use = sandbox?.use ?? ofProject.use ?? settings.sandbox.use
  if (use === 'off') return null
  const { hidden } = settings.sandbox
  const network = sandbox?.network ?? ofProject.network
  const policy = { ...settings.sandbox.policy, ...(network && { network }) }
  const settingsOfProject = nearestProjectFile(cwd)
  const own: SandboxPath[] =
    directory === null
      ? []
      : [
          { path: directory, access: 'read', why: 'the hooks of this session' },
          { path: dirname(settings.hookSocket), access: 'read', why: 'the socket for reports of hooks' },
        ]
  // An agent that changes it would be outside a sandbox the next time.
  if (settingsOfProject !== null)
    own.push({ path: settingsOfProject, access: 'read', why: 'settings of Signalbox for this project' })
  if (stepDirectory !== undefined)
    own.push({ path: stepDirectory, access: 'write', why: 'prompt and results of this step' })
  const backend = parseBackend(use)
  if (!isContainer(backend))
    own.push({ path: dirname(proxySocket), access: 'read', why: 'the way to hosts and paths that you allow' })
  const home = environment.HOME ?? homedir()
  const { packs = null } = settings.sandbox
  if (!isExplanation) {
    createAgentDirectories(agent, { home, cwd, env: environment, packs })
    createGitDirectories(cwd)
  }
  const plan = planSandbox({
    agent,
    file,
    cwd,
    home,
    env: { ...environment, ...(directory !== null && { SIGNALBOX_SOCKET: settings.hookSocket }) },
    given,
    policy,
    hidden: [...hidden, ...[settings.daemonSocket, settings.keeperSocket].map(dirname)],
    own,
    granted: (await grantsOf?.(cwd)) ?? [],
    programs: [process.execPath, join(PACKAGE_ROOT, 'package.json')],
    packs,
  })
  return { backend, plan }
}

/**
 * What the file of the project asks for. It needs no trust: from a project the settings accept only
 * what is narrower than the person's own.
 */
function projectSandbox(cwd: string, userFile: string | undefined): Partial<SandboxRequest> {
  const path = nearestProjectFile(cwd)
  if (path === null) return {}
  try {
    const files = { ...(userFile !== undefined && { userFile }), projectFile: { path, trusted: true } }
    const { use, network } = loadConfig({ environment: {}, ...files }).config.sandbox
    return { use, network }
  } catch {
    // Commands that use the file report its problems.
    return {}
  }
}

/** In the directory or above it, up to the root of the repository. */
function nearestProjectFile(directory: string): string | null {
  const file = projectFile(directory)
  if (existsSync(file)) return file
  const isRoot = existsSync(join(directory, '.git')) || dirname(directory) === directory
  return isRoot ? null : nearestProjectFile(dirname(directory))
}

/**
 * The program in its sandbox. With a filtered network a small program of ours runs beside it, which
 * makes the socket of the proxy a port.
 */
export function programInSandbox(
  { backend, plan }: PlannedSandbox,
  program: { file: string; args: readonly string[] },
  { proxySocket, path }: { proxySocket: string; path: string | undefined },
): SandboxedProgram {
  const isBridged = plan.network === 'filtered' && !isContainer(backend)
  return sandboxedProgram(
    backend,
    plan,
    isBridged ? bridgedProgram(ownProgram('sandbox/bridge-main'), proxySocket, program) : program,
    path,
    dirname(proxySocket),
  )
}

/** What is in the sandbox of an agent, without starting it. */
export async function explainSandbox(
  agent: string,
  settings: HostSettings,
  { file, cwd, environment, given }: Pick<Inside, 'file' | 'cwd' | 'environment' | 'given'>,
): Promise<SandboxPlan> {
  const directory = join(settings.runtimeDirectory, 'sessions', '<session>')
  const proxySocket = join(settings.runtimeDirectory, 'sandbox', '<session>', 'proxy.sock')
  const inside = { file, cwd, environment, ...(given && { given }), directory, proxySocket, isExplanation: true }
  return (await sandboxFor({ sandbox: { use: 'auto' } }, agent, settings, inside))!.plan
}

/**
 * Where Signalbox reads and writes for the agent of a session that has no sandbox. Null for one in
 * a sandbox, in a container or on another machine: what the daemon did for it would be outside.
 */
export async function clientDirectoriesOf(
  record: Pick<SessionRecord, 'id' | 'agent' | 'args' | 'cwd' | 'sandbox' | 'agentVariables'>,
  settings: HostSettings,
): Promise<ClientDirectories | null> {
  const { id, agent, args, cwd, sandbox, agentVariables } = record
  if (sandbox !== undefined || (agent === 'generic' && wrapperIn(args) !== null)) return null
  const { dataDirectory, runtimeDirectory, packDirectory, daemonSocket, keeperSocket } = settings
  const environment = { ...allowedEnvironment(process.env, settings.envPass), ...agentVariables }
  const plan = settings.sandbox && (await explainSandbox(agent, settings, { file: process.execPath, cwd, environment }))
  const isProtected = ({ path, isProtected: is }: SandboxPath) => is === true && path.startsWith(join(cwd, '/'))
  return {
    uploads: join(dataDirectory, 'uploads', id),
    project: cwd,
    own: [
      ...[dataDirectory, runtimeDirectory, join(packDirectory, '..')],
      ...(settings.sandbox?.hidden ?? []),
      ...[daemonSocket, keeperSocket].map(dirname),
    ],
    protected: [projectFile(cwd), ...(plan?.paths.filter(isProtected).map(({ path }) => path) ?? [])],
  }
}
