import { randomUUID } from 'node:crypto'
import { mkdirSync, realpathSync, statfsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  type AgentAdapter,
  adapterForProgram,
  type FoundAgent,
  type LivePack,
  type LivePacks,
  loadAgent,
} from '../agents/index.js'
import { SignalboxError } from '../errors/index.js'
import type { SpawnRequest } from '../keeper/index.js'
import { sessionMark, withLimitMark } from '../process/index.js'
import { wireHooks } from '../reports/index.js'
import type { OpenedPath } from '../sandbox/index.js'
import type { AgentTraits, SessionRecord } from '../sessions/index.js'
import { SIZE_MAX } from '../terminal/index.js'
import { isRunning } from './find-session.js'
import { SessionProxies } from './sandbox/session-proxies.js'
import { type PlannedSandbox, programInSandbox, type SandboxRequest, sandboxFor } from './sandbox/session-sandbox.js'
import { sessionEnvironment } from './session-environment.js'
import type { HostSettings } from './settings.js'

/** A person's request for a session, as a surface passes it on. */
export interface StartRequest {
  /** The id of the session; by default a new one. */
  id?: string
  /** An agent's name; null for any other program: then `args` is its command line. */
  agent: string | null
  args: readonly string[]
  cwd: string
  /** The environment of the person's terminal; null if the request comes from no terminal. */
  terminal: Readonly<Record<string, string>> | null
  size: { cols: number; rows: number } | null
  person: string
  label: string | null
  /** The agent's own id of the conversation to resume. */
  resume: string | null
  /** The agent's own id of the conversation that a new one begins with. */
  fork?: string
  /** The step of a run that the session works on: its processes carry the mark of the step. */
  step?: string
  /** The sandbox to start it in. If absent, as the settings define. */
  sandbox?: SandboxRequest | undefined
  /** Variables that say where the agent of a resumed conversation keeps its files. */
  agentVariables?: Readonly<Record<string, string>>
  /** The session that held the conversation before. */
  resumedFrom?: string
  /** Over the Agent Client Protocol instead of a terminal. */
  channel?: 'acp' | undefined
}

export interface PreparedSession {
  spawn: SpawnRequest
  agentName: string
  /** Its arguments, without the program. */
  agentArgs: string[]
  agentSessionId: string | null
  live: LivePack
  /** The sandbox that it runs in. */
  sandbox: PlannedSandbox | null
}

/** The person at this machine, who may start as many sessions as the host can hold. */
const LOCAL_PERSON = 'local'

/** @throws SignalboxError `E_LIMIT`, with the limit and the sessions that run. */
export function checkLimits(records: readonly SessionRecord[], person: string, settings: HostSettings): void {
  const running = records.filter(isRunning)
  if (running.length >= settings.maxSessions) refuse(running, settings.maxSessions, 'sessions.max_total')
  const { maxPerPerson } = settings.sessions
  const theirs = running.filter(record => record.person === person)
  if (person !== LOCAL_PERSON && maxPerPerson > 0 && theirs.length >= maxPerPerson)
    refuse(theirs, maxPerPerson, 'sessions.max_per_person')
}

function refuse(running: readonly SessionRecord[], limit: number, setting: string): never {
  const shown = running.slice(0, 10).map(({ number, agent }) => `${number} (${agent})`)
  const more = running.length > shown.length ? ` and ${running.length - shown.length} more` : ''
  throw new SignalboxError(
    'E_LIMIT',
    `${running.length} sessions are running; the limit is ${limit} (${setting}): ${shown.join(', ')}${more}`,
    { next: 'stop one, or raise the limit in the settings' },
  )
}

/**
 * Checks everything that can be wrong before anything is created, and builds what the keeper needs.
 */
export async function prepareSession(
  request: StartRequest,
  context: {
    id: string
    settings: HostSettings
    packs: LivePacks
    env: NodeJS.ProcessEnv
    isReachable: boolean
    /** Paths that a person allowed for a project. */
    grantsOf?(project: string): Promise<OpenedPath[]>
  },
): Promise<PreparedSession> {
  const { id, settings } = context
  const cwd = checkDirectory(request.cwd)
  checkFreeSpace(settings)
  const size = checkSize(request.size ?? settings.size)
  const [program, ...programArgs] = request.args
  if (request.agent === null && program === undefined) {
    throw new SignalboxError('E_INPUT', 'there is nothing to start', { next: 'name an agent, or a program after --' })
  }
  const adapter = request.agent === null ? await adapterForProgram(program!) : await loadAgent(request.agent)
  const args = request.agent === null ? programArgs : [...request.args]
  const env = { ...(request.terminal ?? context.env), ...request.agentVariables }
  // A path names that very file.
  const configuredCommand =
    request.agent === null && program!.includes('/')
      ? resolve(cwd, program!)
      : (settings.commands?.[adapter.name] ?? null)
  const location = adapter.locate({ env, cwd, configuredCommand })
  if (!location.found) {
    throw new SignalboxError('E_AGENT_MISSING', `${adapter.title} was not found (looked for ${location.looked})`, {
      next: adapter.install,
    })
  }
  const isAcp = request.channel === 'acp'
  const live = await context.packs.acquire(
    isAcp ? null : (adapter.pack ?? (await context.packs.nameFor(adapter.programs[0] ?? ''))),
  )
  // Hooks report to the daemon's socket: for a session of a foreground command nothing listens
  // there.
  const wired = context.isReachable && !isAcp ? wireHooks(id, adapter, settings) : null
  const custom = request.agent === null ? undefined : settings.agents?.[adapter.name]
  const allArgs = [...(custom?.args ?? []), ...args]
  const command = isAcp
    ? {
        ...acpCommand(adapter, location, { args: allArgs, env: { ...env, ...custom?.env }, cwd }),
        agentSessionId: request.resume,
      }
    : adapter.interactive(location, {
        args: [...forkArguments(adapter, request.fork), ...allArgs],
        resume: request.resume,
        newSessionId: randomUUID(),
        wiring: wired?.wiring ?? null,
        env,
      })
  const environment = sessionEnvironment({
    terminal: request.terminal,
    daemon: context.env,
    pass: settings.envPass,
    pack: live.pack,
    adapter: { ...custom?.env, ...request.agentVariables, ...command.env, ...wired?.env },
    session: id,
    step: request.step,
    keep: request.agent === 'demo' ? ['SIGNALBOX_DEMO_SCENARIO', 'SIGNALBOX_DEMO_HOME', 'SIGNALBOX_DEMO_SPEED'] : [],
  })
  const proxySocket = SessionProxies.socketOf(join(settings.runtimeDirectory, 'sandbox'), id)
  const sandbox = await sandboxFor(request, adapter.name, settings, {
    file: command.file,
    cwd,
    environment,
    given: Object.keys({ ...live.pack.env.set, ...custom?.env, ...command.env, ...wired?.env }),
    directory: wired?.wiring.directory ?? null,
    proxySocket,
    ...(context.grantsOf && { grantsOf: context.grantsOf }),
  })
  const inside = sandbox
    ? programInSandbox(sandbox, command, { proxySocket, path: environment.PATH })
    : { ...command, env: environment }
  const mark = request.step ?? sessionMark(id)
  const marked = withLimitMark(mark, inside, { path: environment.PATH, cwd })
  const recordings = join(settings.dataDirectory, 'recordings')
  mkdirSync(recordings, { recursive: true, mode: 0o700 })
  return {
    agentName: adapter.name,
    agentArgs: adapter.name === 'generic' ? [...request.args] : args,
    agentSessionId: command.agentSessionId,
    live,
    sandbox,
    spawn: {
      id,
      file: marked.file,
      args: marked.args,
      cwd,
      env: inside.env,
      ...size,
      recording: join(recordings, `${id}.cast`),
      ...(isAcp && { pipes: true as const }),
      command: [command.file, ...command.args].join(' '),
    },
  }
}

/** @throws SignalboxError `E_INPUT` */
function forkArguments({ title, fork }: AgentAdapter, id: string | undefined): string[] {
  if (id === undefined) return []
  if (fork) return fork(id)
  throw new SignalboxError('E_INPUT', `${title} cannot fork a conversation`, {
    next: 'resume it after it has ended, or start a new session',
  })
}

/**
 * How an agent is started that speaks the Agent Client Protocol. @throws SignalboxError `E_INPUT`
 */
function acpCommand(
  adapter: AgentAdapter,
  location: FoundAgent,
  start: { args: readonly string[]; env: NodeJS.ProcessEnv; cwd: string },
): { file: string; args: string[]; env: Record<string, string> } {
  // Any other program is started as it was given.
  if (adapter.name === 'generic') return { file: location.file, args: [...location.prefix, ...start.args], env: {} }
  const command = adapter.acp?.(location, start)
  if (command) return { env: {}, ...command }
  throw new SignalboxError('E_INPUT', `${adapter.title} does not speak the Agent Client Protocol itself`, {
    next: adapter.acpInstall ?? `start it in a terminal: signalbox start ${adapter.name}`,
  })
}

/** The pack of a session's agent; a session without a terminal needs none. */
export async function packFor(
  { agent, channel, args }: Pick<SessionRecord, 'agent' | 'channel' | 'args'>,
  packs: LivePacks,
): Promise<LivePack> {
  if (channel === 'acp') return packs.acquire(null)
  if (agent === 'generic') return packs.acquire(await packs.nameFor(args[0] ?? ''))
  const adapter = await loadAgent(agent).catch(() => null)
  return packs.acquire(adapter?.pack ?? null)
}

/** What the agent of a session reports besides its screen, and how its conversation is resumed. */
export async function agentTraits(agent: string, { hooks }: HostSettings): Promise<AgentTraits> {
  const adapter: AgentAdapter | null = agent === 'generic' ? null : await loadAgent(agent).catch(() => null)
  return {
    hasTranscript: adapter?.transcript !== undefined,
    hasHooks: adapter?.hooks !== undefined && hooks.isEnabled && !hooks.offFor.includes(agent),
    canResume: adapter !== null,
    ...(adapter?.acpReadsItself && { readsItself: true as const }),
    ...(adapter?.compact !== undefined && { compact: adapter.compact }),
    ...(adapter?.exitId && { exitId: rows => adapter.exitId!(rows) }),
  }
}

function checkDirectory(path: string): string {
  try {
    const real = realpathSync(path)
    if (statSync(real).isDirectory()) return real
  } catch (error) {
    throw new SignalboxError('E_INPUT', `the directory ${path} does not exist`, {
      next: 'give an existing one with --cwd',
      details: { fields: [{ path: 'cwd', message: 'no such directory' }] },
      cause: error,
    })
  }
  throw new SignalboxError('E_INPUT', `${path} is not a directory`, {
    next: 'give one with --cwd',
    details: { fields: [{ path: 'cwd', message: 'not a directory' }] },
  })
}

/** Refuses a session that could not be recorded to its end. */
function checkFreeSpace({ dataDirectory, minFreeMb }: HostSettings): void {
  const { bavail, bsize } = statfsSync(dataDirectory)
  const freeMb = Math.floor((bavail * bsize) / (1024 * 1024))
  if (freeMb >= minFreeMb) return
  throw new SignalboxError(
    'E_DISK_FULL',
    `only ${freeMb} MB are free in ${dataDirectory}; a session needs ${minFreeMb} MB (store.min_free_mb)`,
    { next: 'free some space, then try again' },
  )
}

/** Applies the emulator's limits, so that PTY and emulator have one size from the start. */
function checkSize({ cols, rows }: { cols: number; rows: number }): { cols: number; rows: number } {
  const clamp = (value: number, min: number) => Math.min(SIZE_MAX, Math.max(min, Math.trunc(value) || min))
  return { cols: clamp(cols, 2), rows: clamp(rows, 1) }
}
