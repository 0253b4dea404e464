import type { AgentAdapter, HeadlessAgent, PermissionLevel } from '../../agents/index.js'
import { agentNames, loadAgent, PERMISSION_LEVELS } from '../../agents/index.js'
import type { LoadedConfig } from '../../config/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { OneshotInput, Role } from '../../oneshot/index.js'
import { agentPlace } from '../agent-place.js'
import type { CommandContext } from '../context.js'

type Options = Record<string, unknown>
type Settings = LoadedConfig['config']['oneshot']

/** What the flags and the settings make of a oneshot. @throws SignalboxError `E_INPUT`, `E_CONFIG`, `E_AGENT_MISSING` */
export async function readOneshot(
  context: CommandContext,
  task: string,
  options: Options,
  settings: Settings,
): Promise<Omit<OneshotInput, 'base' | 'branch'>> {
  const text = (flag: string, setting: string | null): string | null => (options[flag] as string | undefined) ?? setting
  const both = text('agent', settings.agent)
  const worker = await readRole(context, 'worker', {
    agent: text('worker', settings.worker) ?? both,
    model: text('workerModel', settings.worker_model) ?? text('model', settings.model),
    permissions: text('permissions', settings.permissions),
    header: text('workerHeader', settings.worker_header),
    endpoint: text('workerEndpoint', settings.worker_endpoint) ?? text('endpoint', settings.endpoint),
    apiKeyEnv: text('workerApiKeyEnv', settings.worker_api_key_env) ?? text('apiKeyEnv', settings.api_key_env),
    mayAsk: options.input !== false,
  })
  const auditor = await readRole(context, 'auditor', {
    agent: text('auditor', settings.auditor) ?? both,
    model: text('auditorModel', settings.auditor_model) ?? text('model', settings.model),
    permissions: text('auditorPermissions', settings.auditor_permissions),
    header: text('auditorHeader', settings.auditor_header),
    endpoint: text('auditorEndpoint', settings.auditor_endpoint) ?? text('endpoint', settings.endpoint),
    apiKeyEnv: text('auditorApiKeyEnv', settings.auditor_api_key_env) ?? text('apiKeyEnv', settings.api_key_env),
    mayAsk: options.input !== false,
  })
  const reworkerHeader = text('reworkerHeader', settings.reworker_header)
  return {
    task,
    worker,
    auditor,
    ...(reworkerHeader !== null && { reworkerHeader }),
    maxIterations: wholeNumber('--max-iterations', options.maxIterations, settings.max_iterations, 1),
    auditorAsks: 1,
    inactivityMs: durationMs('--inactivity-threshold', options.inactivityThreshold, settings.inactivity_threshold),
    toolInactivityMs: durationMs(
      '--tool-inactivity-threshold',
      options.toolInactivityThreshold,
      settings.tool_inactivity_threshold,
    ),
    exitGraceMs: settings.exit_grace * 1000,
    killGraceMs: 5_000,
    timeoutMs: durationMs('--timeout', options.timeout, settings.timeout ?? 0),
    checks: ((options.check as string[] | undefined) ?? settings.check).map(splitWords),
    isLive: options.live === true || settings.live,
  }
}

interface RoleWish {
  agent: string | null
  model: string | null
  permissions: string | null
  header: string | null
  endpoint: string | null
  apiKeyEnv: string | null
  /** False: nobody may be asked. */
  mayAsk: boolean
}

async function readRole(context: CommandContext, name: 'worker' | 'auditor', wish: RoleWish): Promise<Role> {
  const adapter = wish.agent === null ? await firstAgent(context) : await loadAgent(wish.agent)
  if (!adapter.headless)
    throw new SignalboxError('E_INPUT', `${adapter.title} cannot be the ${name}: it does not work without a terminal`, {
      next: `agents that do: ${(await headlessAgents()).join(', ')}`,
    })
  const location = adapter.locate(agentPlace(context, adapter.name))
  if (!location.found)
    throw new SignalboxError('E_AGENT_MISSING', `${adapter.title} was not found (looked for ${location.looked})`, {
      next: adapter.install,
    })
  if (wish.model !== null && !adapter.headless.takesModel)
    throw new SignalboxError('E_INPUT', `${adapter.title} takes no model`, { next: 'leave --model out' })
  const { levels, needsEndpoint } = adapter.headless
  if (needsEndpoint && wish.endpoint === null)
    throw new SignalboxError('E_INPUT', `${adapter.name} needs an address`, {
      next: '--endpoint http://127.0.0.1:11434/v1 (Ollama), or oneshot.endpoint in the settings',
    })
  const permissions = (wish.permissions ?? defaultLevel(name, adapter.headless, wish.mayAsk)) as PermissionLevel
  if (permissions === 'ask' && !wish.mayAsk)
    throw new SignalboxError('E_NEEDS_HUMAN', 'with --no-input nobody can be asked', { next: '--permissions edits' })
  if (!PERMISSION_LEVELS.includes(permissions))
    throw new SignalboxError('E_INPUT', `"${permissions}" is no permission level`, {
      next: `one of ${PERMISSION_LEVELS.join(', ')}`,
    })
  if (!levels.includes(permissions))
    throw new SignalboxError('E_CONFIG', `${adapter.title} has no permission level "${permissions}"`, {
      next: `the nearest that it has is "${nearestLevel(permissions, levels)}"${permissions === 'ask' ? '; --live asks in a terminal' : ''}`,
    })
  return {
    agent: adapter.name,
    permissions,
    ...(wish.model !== null && { model: wish.model }),
    ...(wish.header !== null && { header: wish.header }),
    ...(needsEndpoint && wish.endpoint !== null && { endpoint: wish.endpoint }),
    ...(needsEndpoint && wish.apiKeyEnv !== null && { apiKeyEnv: wish.apiKeyEnv }),
  }
}

function defaultLevel(
  role: 'worker' | 'auditor',
  { levels, asksByDefault }: HeadlessAgent,
  mayAsk: boolean,
): PermissionLevel {
  if (role === 'auditor') return 'read'
  if (asksByDefault && mayAsk) return 'ask'
  return levels.includes('edits') ? 'edits' : levels.at(-1)!
}

/** The widest of those that allow no more; else the narrowest. */
export function nearestLevel(wanted: PermissionLevel, levels: readonly PermissionLevel[]): PermissionLevel {
  const upTo = PERMISSION_LEVELS.slice(0, PERMISSION_LEVELS.indexOf(wanted))
  return levels.findLast(level => upTo.includes(level)) ?? levels[0]!
}

/** The first agent that is there and signed in as far as one can tell; the demo agent only when it is named. */
export async function firstAgent(context: CommandContext): Promise<AgentAdapter> {
  for (const name of agentNames().filter(candidate => candidate !== 'demo')) {
    const adapter = await loadAgent(name)
    const environment = agentPlace(context, name)
    if (
      adapter.headless &&
      !adapter.headless.needsEndpoint &&
      adapter.locate(environment).found &&
      adapter.signIn?.(environment).state !== 'no'
    )
      return adapter
  }
  throw new SignalboxError('E_AGENT_MISSING', 'no agent was found on this machine', {
    next: 'install one (signalbox doctor lists them), or try --agent demo',
  })
}

async function headlessAgents(): Promise<string[]> {
  const adapters = await Promise.all(agentNames().map(loadAgent))
  return adapters.filter(adapter => adapter.headless).map(adapter => adapter.name)
}

export function wholeNumber(flag: string, given: unknown, otherwise: number, min: number): number {
  if (given === undefined) return otherwise
  const value = Number(given)
  if (!Number.isInteger(value) || value < min)
    throw new SignalboxError('E_INPUT', `${flag} takes a whole number from ${min} on, not "${given}"`)
  return value
}

const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `90`, `90s`, `5m`, `1h`; 0 is off. `seconds` is the default. */
export function durationMs(flag: string, given: unknown, seconds: number): number {
  if (given === undefined) return seconds * 1000
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(String(given).trim())
  if (!match) throw new SignalboxError('E_INPUT', `${flag} takes a time such as 90s or 5m, not "${given}"`)
  return Number(match[1]) * UNITS[match[2] ?? 's']!
}

/** Words of a command line as a shell would split them, quotes understood and nothing else. */
export function splitWords(line: string): string[] {
  const words: string[] = []
  let word: string | null = null
  let quote: string | null = null
  for (let at = 0; at < line.length; at++) {
    const character = line[at]!
    if (quote !== null) {
      if (character === quote) quote = null
      else if (character === '\\' && quote === '"' && at + 1 < line.length) word += line[++at]!
      else word += character
    } else if (character === '"' || character === "'") {
      quote = character
      word ??= ''
    } else if (character === '\\' && at + 1 < line.length) word = (word ?? '') + line[++at]!
    else if (/\s/.test(character)) {
      if (word !== null) words.push(word)
      word = null
    } else word = (word ?? '') + character
  }
  if (quote !== null) throw new SignalboxError('E_INPUT', `a quote is not closed in: ${line}`)
  if (word !== null) words.push(word)
  return words
}
