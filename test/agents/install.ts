import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
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
  const named = `${agent.package}@${agent.version}`
  const packages = [...(agent.isBundle ? [] : [named]), ...(agent.also ?? [])]
  // npm removes what it has not installed itself: the bundle comes last.
  const isReady = ensure(directory, agent.isBundle ? 'node' : agent.program, packages)
  if (isReady && agent.isBundle) unpack(directory, agent, named)
  if (isReady) console.log(agent.name)
}

/** Installs a package without its dependencies. */
function unpack(directory: string, agent: AgentUnderTest, named: string): void {
  const place = join(directory, 'node_modules', agent.package)
  const program = join(directory, 'node_modules', '.bin', agent.program)
  if (existsSync(program)) return
  mkdirSync(place, { recursive: true })
  const args = ['pack', '--silent', '--pack-destination', directory, named]
  const file = spawnSync('npm', args, { cwd: directory, encoding: 'utf8' }).stdout.trim()
  spawnSync('tar', ['-xzf', join(directory, file), '-C', place, '--strip-components', '1'], { stdio: ['ignore', 2, 2] })
  const { bin: programs } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')) as {
    bin: Record<string, string>
  }
  const script = join(place, programs[agent.program]!)
  chmodSync(script, 0o755)
  symlinkSync(script, program)
}

function ensure(directory: string, name: string, packages: readonly string[]): boolean {
  const program = join(directory, 'node_modules', '.bin', name)
  if (!existsSync(program)) {
    mkdirSync(directory, { recursive: true })
    writeFileSync(join(directory, 'package.json'), '{ "private": true }\n')
    console.error(`Installing ${packages.join(', ')} …`)
    const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', ...packages]
    spawnSync('npm', args, { cwd: directory, stdio: ['ignore', 2, 2] })
  }
  if (existsSync(program)) return true
  console.error(`${packages[0]} could not be installed`)
  return false
}
