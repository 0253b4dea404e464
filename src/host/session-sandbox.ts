import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { PACKAGE_ROOT } from '../process/index.js'
import {
  parseBackend,
  planSandbox,
  type SandboxBackend,
  type SandboxNetwork,
  type SandboxPath,
  type SandboxPlan,
} from '../sandbox/index.js'
import type { HostSettings } from './settings.js'

/** What a person asks for: `use` is `off` or a backend. */
export interface SandboxRequest {
  use: string
  network?: SandboxNetwork | undefined
}

interface Inside {
  file: string
  cwd: string
  environment: Record<string, string>
  /** The session's directory with its settings of hooks; null without hooks. */
  directory: string | null
  /** The socket of its proxy, for a filtered network. */
  proxySocket: string
}

/** The sandbox of a session, or null if it gets none. */
export function sandboxFor(
  { sandbox }: { sandbox?: SandboxRequest | undefined },
  agent: string,
  settings: Pick<HostSettings, 'sandbox' | 'hookSocket' | 'daemonSocket' | 'keeperSocket' | 'runtimeDirectory'>,
  { file, cwd, environment, directory, proxySocket }: Inside,
): { backend: SandboxBackend; plan: SandboxPlan } | null {
  const use = sandbox?.use ?? settings.sandbox?.use ?? 'off'
  if (use === 'off' || !settings.sandbox) return null
  const { hidden } = settings.sandbox
  const policy = { ...settings.sandbox.policy, ...(sandbox?.network && { network: sandbox.network }) }
  const own: SandboxPath[] =
    directory === null
      ? []
      : [
          { path: directory, access: 'read', why: 'the hooks of this session' },
          { path: dirname(settings.hookSocket), access: 'read', why: 'the socket for reports of hooks' },
        ]
  if (policy.network === 'filtered')
    own.push({ path: dirname(proxySocket), access: 'read', why: 'the proxy to allowed hosts' })
  const plan = planSandbox({
    agent,
    file,
    cwd,
    home: environment.HOME ?? homedir(),
    env: { ...environment, ...(directory !== null && { SIGNALBOX_SOCKET: settings.hookSocket }) },
    policy,
    hidden: [...hidden, ...[settings.daemonSocket, settings.keeperSocket].map(dirname)],
    own,
    programs: [process.execPath, join(PACKAGE_ROOT, 'package.json')],
  })
  return { backend: parseBackend(use), plan }
}

/** What is in the sandbox of an agent, without starting it. */
export function explainSandbox(
  agent: string,
  settings: HostSettings,
  { file, cwd, environment }: Pick<Inside, 'file' | 'cwd' | 'environment'>,
): SandboxPlan {
  const directory = join(settings.runtimeDirectory, 'sessions', '<session>')
  const proxySocket = join(settings.runtimeDirectory, 'sandbox', '<session>', 'proxy.sock')
  const inside = { file, cwd, environment, directory, proxySocket }
  return sandboxFor({ sandbox: { use: 'auto' } }, agent, settings, inside)!.plan
}
