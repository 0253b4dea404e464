import { type AgentAdapter, agentNames, type FoundAgent, loadAgent, loadPack, type SignIn } from '../agents/index.js'
import type { LoadedConfig } from '../config/index.js'
import { toSignalboxError } from '../errors/index.js'
import { runCommand } from '../process/index.js'
import { isInRange } from '../screen/pack/index.js'
import type { DoctorContext, DoctorFinding } from './finding.js'

/** How long a program may take to print its version. */
const VERSION_MS = 15_000

/** What is known about an agent; `--json` prints all of it. */
export interface AgentFinding {
  title: string
  file: string | null
  version: string | null
  /** Whether the pack covers this version; null without a pack or a version. */
  isVersionKnown: boolean | null
  /** Versions whose recorded screens the pack was tested with. */
  triedWith: string[]
  signIn: SignIn | null
  /** Where the status comes from, besides the screen. */
  authorities: string[]
}

/** Checks every agent: installed, version, signed in, sources of its status. Runs in parallel. */
export async function examineAgents(context: DoctorContext, loaded: LoadedConfig | null): Promise<DoctorFinding[]> {
  return Promise.all(agentNames().map(name => examineAgent(name, context, loaded)))
}

async function examineAgent(name: string, context: DoctorContext, loaded: LoadedConfig | null): Promise<DoctorFinding> {
  const agent = await loadAgent(name)
  const configured = loaded?.config.agents[name]?.command ?? null
  const environment = { env: context.env, cwd: context.cwd, configuredCommand: configured }
  const location = agent.locate(environment)
  if (!location.found) return missingAgent(agent, location.looked, configured)
  const { version, problem: versionProblem } = await readVersion(agent, location, context)
  const signIn = agent.signIn?.(environment) ?? null
  const pack = agent.pack === null || version === null ? null : await loadPack(agent.pack, null, version)
  const isVersionKnown = pack === null || version === null ? null : isInRange(version, pack.range)
  const triedWith = pack?.evidence ?? []
  const authorities = authoritiesOf(agent, loaded)
  const file = [location.file, ...location.prefix].join(' ')
  const finding: AgentFinding = { title: agent.title, file, version, isVersionKnown, triedWith, signIn, authorities }
  const problem = problemOf(agent, finding, versionProblem)
  return {
    check: name,
    level: problem ? 'warning' : 'ok',
    message: [
      [version, file].filter(part => part !== null).join('  '),
      ...(signIn ? [describeSignIn(signIn)] : []),
      `status from: ${[...authorities, 'screen'].join(', ')}`,
      ...(pack ? [describeTests(pack.evidence, version)] : []),
      ...(problem?.message !== undefined ? [problem.message] : []),
    ].join(' · '),
    ...(problem?.next !== undefined && { next: problem.next }),
    agent: finding,
  }
}

/** An agent that is not installed is fine, unless the settings name its program. */
function missingAgent(agent: AgentAdapter, looked: string, configured: string | null): DoctorFinding {
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

function problemOf(
  agent: AgentAdapter,
  finding: AgentFinding,
  versionProblem: string | null,
): { message?: string; next?: string } | null {
  if (agent.version && finding.version === null)
    return {
      message: `version unknown${versionProblem === null ? '' : `: ${versionProblem}`}`,
      next: `run ${agent.programs[0] ?? agent.name} --version yourself`,
    }
  if (finding.signIn?.state === 'no') return finding.signIn.next === undefined ? {} : { next: finding.signIn.next }
  if (finding.isVersionKnown === false)
    return {
      message: 'this version is not covered by its pack',
      next: 'it may still work; signalbox drift and signalbox explain show how well',
    }
  return null
}

function describeSignIn({ state, because }: SignIn): string {
  const words = { yes: 'signed in', no: 'not signed in', unknown: 'sign-in unknown' }
  return `${words[state]} (${because})`
}

function describeTests(versions: readonly string[], version: string | null): string {
  if (versions.length === 0) return 'screens not tested'
  if (version !== null && versions.includes(version)) return 'screens tested with this version'
  return `screens tested with ${versions.join(', ')}`
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

/** Runs outside the project, so that no file of it can influence the program. */
async function readVersion(
  agent: AgentAdapter,
  location: FoundAgent,
  { env }: DoctorContext,
): Promise<{ version: string | null; problem: string | null }> {
  if (!agent.version) return { version: null, problem: null }
  const args = [...location.prefix, ...agent.version.args]
  try {
    const { stdout, stderr } = await runCommand(location.file, args, {
      cwd: '/',
      env,
      timeoutMs: VERSION_MS,
      maxBytes: 64 * 1024,
    })
    const version = agent.version.pattern.exec(stdout)?.[1] ?? agent.version.pattern.exec(stderr)?.[1] ?? null
    return { version, problem: null }
  } catch (error) {
    return { version: null, problem: toSignalboxError(error).message }
  }
}
