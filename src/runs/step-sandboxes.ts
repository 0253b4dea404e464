import { createHash } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Activity } from '../activity/index.js'
import type { Ledger } from '../approvals/index.js'
import { newNonce } from '../clock/index.js'
import { type AgentTurn, runStream, type StepCall } from '../engine/index.js'
import type { EventData } from '../events/index.js'
import { distrustRepository } from '../git/index.js'
import {
  HOST_TOOL,
  hostInput,
  programInSandbox,
  projectGrants,
  type SandboxRequest,
  type SandboxSettings,
  sandboxFor,
} from '../host/index.js'
import type { StepProgram } from '../process/index.js'
import { FilteringProxy, type HostRequest } from '../sandbox/index.js'
import type { EventStore } from '../store/index.js'
import type { StepApprovals } from './step-approvals.js'
import { StepPaths } from './step-paths.js'

interface StepSandboxesOptions {
  settings: SandboxSettings
  store: EventStore
  approvals: Pick<StepApprovals, 'ask'>
  /** Where hosts are that a person allowed for a project; a worker has none. */
  ledger?: Pick<Ledger, 'list' | 'isProven'> | undefined
}

/** Who runs in the sandbox, and what it needs besides its project. */
interface SandboxedStep {
  agent: string
  /** The directory of the step's prompt and results. */
  directory?: string
  /** What the node asks for. */
  sandbox?: SandboxRequest | undefined
}

/**
 * The sandboxes of steps of runs: of their agents, and of the commands that check an agent's work,
 * because these run what the agent wrote. A host or path that a sandbox refuses becomes a request
 * of the step.
 */
export class StepSandboxes {
  readonly #options: StepSandboxesOptions

  constructor(options: StepSandboxesOptions) {
    this.#options = options
  }

  /** What the run asks for, or the node where the run has no sandbox. A node cannot turn it off. */
  async sandboxOf(run: string, ofNode?: SandboxRequest): Promise<SandboxRequest> {
    const { sandbox } = await this.#created(run)
    return sandbox && sandbox.use !== 'off' ? sandbox : (ofNode ?? { use: 'off' })
  }

  async #created(run: string): Promise<Partial<EventData<'run.created'>>> {
    const [created] = await this.#options.store.readStream(runStream(run), { limit: 1 })
    return (created?.data ?? {}) as Partial<EventData<'run.created'>>
  }

  /**
   * The program in its sandbox; null if it gets none. @throws SignalboxError `E_NOT_READY`,
   * `E_INPUT`
   */
  async prepare(call: StepCall, step: SandboxedStep, program: StepProgram) {
    const { settings, ledger } = this.#options
    const sandbox = await this.sandboxOf(call.run, step.sandbox)
    const proxySocket = join(settings.runtimeDirectory, 'sandbox', shortName(call.name), 'proxy.sock')
    const { file, args, cwd, env } = program
    // A run works in a worktree; what a person allows holds for the project that it belongs to.
    const { project = cwd } = await this.#created(call.run)
    const granted = ledger ? await projectGrants(ledger, project) : { hosts: [], paths: [] }
    const planned = await sandboxFor({ sandbox }, step.agent, settings, {
      file,
      cwd,
      environment: env,
      directory: null,
      ...(step.directory !== undefined && { stepDirectory: step.directory }),
      proxySocket,
      grantsOf: async () => granted.paths,
    })
    if (!planned) return null
    if (!planned.plan.paths.some(({ path }) => path === join(cwd, '.git'))) distrustRepository(cwd)
    const own = { ...planned, plan: { ...planned.plan, env: { ...planned.plan.env, ...ownVariables(env) } } }
    const inside = programInSandbox(own, { file, args }, { proxySocket, path: env.PATH })
    // A request that is open when the step ends would be decided for nothing.
    const ended = new AbortController()
    const ask = (tool: string, input: unknown) =>
      this.#ask(
        { ...call, signal: AbortSignal.any([call.signal, ended.signal]) },
        { agent: step.agent, cwd, project },
        { tool, input },
      )
    const proxy =
      planned.plan.network === 'filtered'
        ? await this.#openProxy(ask, granted.hosts, planned.plan.hosts, proxySocket, error => {
            if (ended.signal.aborted || call.signal.aborted) return
            call.notice('warning', `a host was refused, because no person could be asked: ${(error as Error).message}`)
          })
        : null
    const close = () => {
      ended.abort()
      proxy?.close()
      rmSync(dirname(proxySocket), { recursive: true, force: true })
    }
    const observe = (pid: number) => {
      const paths = new StepPaths({
        plan: planned.plan,
        pid,
        command: [basename(file), ...args].join(' '),
        directory: dirname(proxySocket),
        ask,
        notice: text => call.notice('info', text),
        onError: error => call.notice('warning', `a path could not be opened: ${(error as Error).message}`),
      })
      return {
        activity: (activity: object) => paths.activity(activity as Activity),
        printed: (line: string) => paths.printed(line),
      }
    }
    return { ...inside, close, observe }
  }

  async #ask(
    call: StepCall,
    turn: Pick<AgentTurn, 'agent' | 'cwd'> & { project: string },
    what: { tool: string; input: unknown },
  ): Promise<boolean> {
    const request = { requestId: newNonce(), ...what }
    return (await this.#options.approvals.ask(call, turn, request, { options: STEP_OPTIONS })).isAllowed
  }

  async #openProxy(
    askPerson: (tool: string, input: unknown) => Promise<boolean>,
    granted: readonly string[],
    hosts: readonly string[],
    path: string,
    onError: (error: unknown) => void,
  ): Promise<FilteringProxy> {
    const allowed = new Set(granted)
    const waiting = new Map<string, Promise<boolean>>()
    const ask = (wanted: HostRequest) => askPerson(HOST_TOOL, hostInput(wanted))
    const proxy = new FilteringProxy({
      hosts,
      ask: async wanted => {
        const name = `${wanted.host}:${wanted.port}`
        if (allowed.has(name)) return true
        const asking = waiting.get(name) ?? ask(wanted)
        waiting.set(name, asking)
        const isAllowed = await asking.finally(() => waiting.delete(name))
        // The step ends soon: what a person allows holds until then.
        if (isAllowed) allowed.add(name)
        return isAllowed
      },
      onError,
    })
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    await proxy.listen(path)
    return proxy
  }
}

/** How long a person lets the sandbox of a step be open. */
const STEP_OPTIONS = [
  { key: 'allow', label: 'Allow for this step', meaning: 'allow-once' },
  { key: 'project', label: 'Allow for this project', meaning: 'allow-always' },
  { key: 'deny', label: 'Deny', meaning: 'deny' },
] as const

/** Variables that a step gets from us: they name files of the step, and values of its graph. */
function ownVariables(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => /^(SIGNALBOX|ATTRACTOR|CONTEXT)_/.test(name)))
}

/** Paths of sockets have about a hundred characters. */
function shortName(step: string): string {
  return createHash('sha256').update(step).digest('hex').slice(0, 16)
}
