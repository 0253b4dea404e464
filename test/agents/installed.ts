import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { AcpAdapterUnderTest, AgentUnderTest } from './agent-under-test.js'

/** Where the CLIs are installed: outside the project, and kept. */
export function agentsDirectory(): string {
  return (
    process.env.SIGNALBOX_TEST_AGENTS_DIR ??
    join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'signalbox-test-agents')
  )
}

/** The directory of an agent's programs. */
export function installed(agent: AgentUnderTest): string {
  const directory = join(agentsDirectory(), `${agent.name}-${agent.version}`, 'node_modules', '.bin')
  if (existsSync(join(directory, agent.program))) return directory
  throw new Error(`${agent.package}@${agent.version} is not installed: npm run test:agents -- ${agent.name}`)
}

/** Where the adapter of an agent is installed. */
export function adapterDirectory({ program, version }: AcpAdapterUnderTest): string {
  return join(agentsDirectory(), `${program}-${version}`)
}

/** The directory of the adapter's program, if the agent needs one and it is installed. */
export function installedAdapter({ acp }: AgentUnderTest): string | null {
  if (acp === undefined || acp === 'itself') return null
  return join(adapterDirectory(acp), 'node_modules', '.bin')
}
