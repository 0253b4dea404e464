import { type AgentAdapter, agentNames, type FoundAgent, loadAgent, loadPack, type SignIn } from '../../agents/index.js'
import type { LoadedConfig } from '../../config/index.js'
import { toSignalboxError } from '../../errors/index.js'
import { runCommand } from '../../process/index.js'
import { isInRange } from '../../screen/pack/index.js'
import type { CommandContext } from '../context.js'
import type { Finding } from './checks.js'

/** A program that does not tell its version in this time is not waited for. */
const VERSION_MS = 15_000

/** What is known of one agent; `--json` prints it whole. */
export interface AgentFinding {
  title: string
  file: string | null
  version: string | null
  /** Whether the pack was made for this version; null when there is no pack, or no version. */
  isVersionKnown: boolean | null
  /** Versions whose real screens the pack was tried on. */
  triedWith: string[]
  signIn: SignIn | null
  /** Ways by which Signalbox learns what the agent does, beside its screen. */
  authorities: string[]
}

/** Every agent CLI: found, its version, signed in, what it tells, what to fix. Programs are asked for their version at the same time. */
export async function examineAgents(context: CommandContext, loaded: LoadedConfig | null): Promise<Finding[]> {
  return Promise.all(agentNames().map(name => examineAgent(name, context, loaded)))
}

async function examineAgent(name: string, context: CommandContext, loaded: LoadedConfig | null): Promise<Finding> {
  const agent = await loadAgent(name)
  const configured = loaded?.config.agents[name]?.command ?? null
  const environment = { env: context.env, cwd: context.cwd, configuredCommand: configured }
  const location = agent.locate(environment)
  if (!location.found) return missing(agent, location.looked, configured)
  const version = await askVersion(agent, location, context)
  const signIn = agent.signIn?.(environment) ?? null
  const pack = agent.pack === null || version === null ? null : await loadPack(agent.pack, null, version)
  const isVersionKnown = pack === null || version === null ? null : isInRange(version, pack.range)
  const triedWith = pack?.evidence ?? []
  const authorities = authoritiesOf(agent, loaded)
  const file = [location.file, ...location.prefix].join(' ')
  const finding: AgentFinding = { title: agent.title, file, version, isVersionKnown, triedWith, signIn, authorities }
  const problem = problemOf(agent, finding)
  return {
    check: name,
    level: problem ? 'warning' : 'ok',
    message: [
      [version, file].filter(part => part !== null).join('  '),
      ...(signIn ? [describeSignIn(signIn)] : []),
      `tells by ${[...authorities, 'screen'].join(', ')}`,
      ...(pack ? [describeTrials(pack.evidence, version)] : []),
      ...(problem?.message !== undefined ? [problem.message] : []),
    ].join(' · '),
    ...(problem?.next !== undefined && { next: problem.next }),
    agent: finding,
  }
}

/** An agent that nobody uses is no fault; a program that somebody configured and that is not there is one. */
function missing(agent: AgentAdapter, looked: string, configured: string | null): Finding {
  const finding: AgentFinding = {
    title: agent.title,
    file: null,
    version: null,
    isVersionKnown: null,
    triedWith: [],
    signIn: null,
    authorities: [],
  }
  return configured === null
    ? { check: agent.name, level: 'note', message: 'not found', next: agent.install, agent: finding }
    : {
        check: agent.name,
        level: 'warning',
        message: `not found: ${looked}`,
        next: `set agents.${agent.name}.command to a name in PATH or an absolute path`,
        agent: finding,
      }
}

function problemOf(agent: AgentAdapter, finding: AgentFinding): { message?: string; next?: string } | null {
  if (agent.version && finding.version === null)
    return { message: 'does not tell its version', next: `run ${agent.programs[0] ?? agent.name} --version yourself` }
  if (finding.signIn?.state === 'no') return finding.signIn.next === undefined ? {} : { next: finding.signIn.next }
  if (finding.isVersionKnown === false)
    return {
      message: 'its screens are known for other versions',
      next: 'it may still work; signalbox drift and signalbox explain show how well',
    }
  return null
}

function describeSignIn({ state, because }: SignIn): string {
  const words = { yes: 'signed in', no: 'not signed in', unknown: 'sign-in unknown' }
  return `${words[state]} (${because})`
}

function describeTrials(versions: readonly string[], version: string | null): string {
  if (versions.length === 0) return 'its screens were never tried'
  if (version !== null && versions.includes(version)) return 'its screens were tried with this version'
  return `its screens were tried with ${versions.join(', ')}`
}

function authoritiesOf(agent: AgentAdapter, loaded: LoadedConfig | null): string[] {
  const isWired = loaded === null || (loaded.config.hooks.enabled && loaded.config.agents[agent.name]?.hooks !== false)
  return [
    ...(agent.reports.events ? ['events'] : []),
    ...(agent.reports.hooks ? [isWired ? 'hooks' : 'hooks (switched off)'] : []),
    ...(agent.reports.osc7501 ? ['OSC 7501'] : []),
    ...(agent.reports.transcript ? ['transcript'] : []),
  ]
}

/** Asked away from the project: what lies there must not have a say in it. */
async function askVersion(agent: AgentAdapter, location: FoundAgent, context: CommandContext): Promise<string | null> {
  if (!agent.version) return null
  const args = [...location.prefix, ...agent.version.args]
  try {
    const { stdout, stderr } = await runCommand(location.file, args, {
      cwd: '/',
      env: context.env,
      timeoutMs: VERSION_MS,
      maxBytes: 64 * 1024,
    })
    return agent.version.pattern.exec(stdout)?.[1] ?? agent.version.pattern.exec(stderr)?.[1] ?? null
  } catch (error) {
    context.note(`${agent.title}: ${toSignalboxError(error).message}`)
    return null
  }
}
