import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { AgentUnderTest } from './agent-under-test.js'

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
