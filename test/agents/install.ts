import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentUnderTest } from './agent-under-test.js'
import { adapterDirectory, agentsDirectory } from './installed.js'
import { AGENTS, PROTOCOL_AGENTS } from './table/index.js'

// Installs the named CLIs (or all) and prints the names of those that are installed.
const all = [...AGENTS, ...PROTOCOL_AGENTS]
const wanted = process.argv.slice(2)
const unknown = wanted.filter(name => !all.some(agent => agent.name === name))
if (unknown.length > 0) {
  console.error(`no such agent: ${unknown.join(', ')}; known: ${all.map(agent => agent.name).join(', ')}`)
  process.exit(2)
}
for (const agent of all) {
  if (wanted.length > 0 && !wanted.includes(agent.name)) continue
  const directory = join(agentsDirectory(), `${agent.name}-${agent.version}`)
  const { acp } = agent
  if (typeof acp === 'object') ensure(adapterDirectory(acp), acp.program, [`${acp.package}@${acp.version}`])
  const packages = [`${agent.package}@${agent.version}`, ...(agent.also ?? [])]
  if (ensure(directory, agent.program, packages, agent.overrides)) console.log(agent.name)
}

function ensure(
  directory: string,
  name: string,
  packages: readonly string[],
  overrides: AgentUnderTest['overrides'] = {},
): boolean {
  const program = join(directory, 'node_modules', '.bin', name)
  if (!existsSync(program)) {
    mkdirSync(directory, { recursive: true })
    writeFileSync(join(directory, 'package.json'), `${JSON.stringify({ private: true, overrides })}\n`)
    console.error(`Installing ${packages.join(', ')} …`)
    const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', ...packages]
    spawnSync('npm', args, { cwd: directory, stdio: ['ignore', 2, 2] })
  }
  if (existsSync(program)) return true
  console.error(`${packages[0]} could not be installed`)
  return false
}
