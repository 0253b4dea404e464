import { createHash } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
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
    const [created] = await this.#options.store.readStream(runStream(run), { limit: 1 })
    const { sandbox } = (created?.data ?? {}) as Partial<EventData<'run.created'>>
    return sandbox && sandbox.use !== 'off' ? sandbox : (ofNode ?? { use: 'off' })
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
    const planned = await sandboxFor({ sandbox }, step.agent, settings, {
      file,
      cwd,
      environment: env,
      directory: null,
      ...(step.directory !== undefined && { stepDirectory: step.directory }),
      proxySocket,
      grantsOf: async project => (ledger ? (await projectGrants(ledger, project)).paths : []),
    })
    if (!planned) return null
    if (!planned.plan.paths.some(({ path }) => path === join(cwd, '.git'))) distrustRepository(cwd)
    const own = { ...planned, plan: { ...planned.plan, env: { ...planned.plan.env, ...ownVariables(env) } } }
    const inside = programInSandbox(own, { file, args }, { proxySocket, path: env.PATH })
    const proxy =
      planned.plan.network === 'filtered'
        ? await this.#openProxy(call, step, cwd, planned.plan.hosts, proxySocket)
        : null
    const close = () => {
      proxy?.close()
      rmSync(dirname(proxySocket), { recursive: true, force: true })
    }
    const observe = (pid: number) => {
      const paths = new StepPaths({
        plan: planned.plan,
        pid,
        directory: dirname(proxySocket),
        ask: (tool, input) => this.#ask(call, { agent: step.agent, cwd }, tool, input),
        onError: error => call.notice('warning', `a path could not be opened: ${(error as Error).message}`),
      })
      return (activity: object) => paths.take(activity as Activity)
    }
    return { ...inside, close, observe }
  }

  async #ask(call: StepCall, turn: Pick<AgentTurn, 'agent' | 'cwd'>, tool: string, input: unknown): Promise<boolean> {
    return (await this.#options.approvals.ask(call, turn, { requestId: newNonce(), tool, input })).isAllowed
  }

  async #openProxy(
    call: StepCall,
    { agent }: SandboxedStep,
    cwd: string,
    hosts: readonly string[],
    path: string,
  ): Promise<FilteringProxy> {
    const { ledger } = this.#options
    const allowed = new Set(ledger ? (await projectGrants(ledger, cwd)).hosts : [])
    const waiting = new Map<string, Promise<boolean>>()
    const ask = (wanted: HostRequest) => this.#ask(call, { agent, cwd }, HOST_TOOL, hostInput(wanted))
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
    })
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    await proxy.listen(path)
    return proxy
  }
}

/** Variables that a step gets from us: they name files of the step, and values of its graph. */
function ownVariables(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => /^(SIGNALBOX|ATTRACTOR|CONTEXT)_/.test(name)))
}

/** Paths of sockets have about a hundred characters. */
function shortName(step: string): string {
  return createHash('sha256').update(step).digest('hex').slice(0, 16)
}
