import type { Activity } from '../activity/index.js'
import type { PermissionAnswer } from '../agents/index.js'
import type { Ledger } from '../approvals/index.js'
import type { Clock } from '../clock/index.js'
import {
  type AgentTurn,
  ChildObserveSteps,
  ChildSteerSteps,
  ChildStopSteps,
  runStream,
  type StepCall,
  simulatedSteps,
} from '../engine/index.js'
import { SignalboxError } from '../errors/index.js'
import type { EventStore, StoredEvent } from '../store/index.js'
import { type ServerPort, WorkerHub } from '../workers/index.js'
import { WORKFLOWS } from './open-runs.js'
import { StepApprovals } from './step-approvals.js'

/*
 * What the steps of a worker ask of the server: the two ends of each call. The hub has checked that
 * the run is the worker's own.
 */

export interface OpenHubOptions {
  store: EventStore
  ledger: Ledger
  clock: Clock
  lostAfterMs: number
  wake(run: string): void
  onError(error: unknown): void
}

/** The server's side of the workers, with the answers to their calls. */
export function openWorkerHub(options: OpenHubOptions): WorkerHub {
  const { store, ledger, clock } = options
  const approvals = new StepApprovals({ store, ledger, clock })
  return new WorkerHub({
    ...options,
    workflows: WORKFLOWS,
    performers: {
      'graph.child_look': new ChildObserveSteps(store),
      'graph.child_steer': new ChildSteerSteps(store),
      'graph.child_stop': new ChildStopSteps(store),
      'graph.simulated': simulatedSteps,
    },
    call: async (method, run, params, signal) => {
      if (method === 'run.events') return store.readStream(runStream(run))
      if (method === 'approval.ask') return approvals.ask(...askedOf(run, params, signal))
      if (method === 'approval.withdraw') return approvals.withdraw(nameOf(run, params))
      throw new SignalboxError('E_ROLE', `workers cannot call "${method}"`)
    },
  })
}

type Asked = Parameters<StepApprovals['ask']>

function askedOf(run: string, params: Record<string, unknown>, signal: AbortSignal): Asked {
  const { agent, cwd, requestId, tool, input } = params as Record<string, string>
  // Notices of the step come from the worker; this one names the request, which only the server has.
  const call = { run, step: String(params.step), name: nameOf(run, params), signal, notice: () => undefined }
  return [call, { agent: agent!, cwd: cwd! }, { requestId: requestId!, tool: tool!, input }]
}

/** A step of another run is not the worker's. */
function nameOf(run: string, { step }: Record<string, unknown>): string {
  return `${run}/${String(step)}`
}

/** The requests of agents on a worker: decided on the server, as those of its own agents. */
export class RemoteApprovals implements Pick<StepApprovals, 'ask' | 'withdraw'> {
  readonly #server: ServerPort

  constructor(server: ServerPort) {
    this.#server = server
  }

  async ask(
    { run, step, signal }: Pick<StepCall, 'run' | 'step' | 'signal'>,
    { agent, cwd }: Pick<AgentTurn, 'agent' | 'cwd'>,
    { requestId, tool, input }: Pick<Extract<Activity, { type: 'approval' }>, 'requestId' | 'tool' | 'input'>,
  ): Promise<PermissionAnswer> {
    const params = { run, step, agent, cwd, requestId, tool, input }
    return (await this.#server.call('approval.ask', params, signal)) as PermissionAnswer
  }

  async withdraw(name: string): Promise<void> {
    const slash = name.indexOf('/')
    await this.#server.call('approval.withdraw', { run: name.slice(0, slash), step: name.slice(slash + 1) })
  }
}

/** A worker's view of the store: the events of its own runs, and nothing else. */
export function remoteStore(server: ServerPort): EventStore {
  const readStream = async (
    stream: string,
    { fromVersion = 1, limit }: { fromVersion?: number; limit?: number } = {},
  ) => {
    if (!stream.startsWith('run/')) throw refused(`read ${stream}`)
    const events = (await server.call('run.events', { run: stream.slice('run/'.length) })) as StoredEvent[]
    return events.filter(({ version }) => version >= fromVersion).slice(0, limit)
  }
  return new Proxy({ id: 'remote', isShared: true, readStream } as Partial<EventStore> as EventStore, {
    get(target, name: keyof EventStore) {
      // A promise that resolves with the store asks for `then`.
      if (name in target || (name as string) === 'then') return target[name]
      return () => Promise.reject(refused(`call ${name}`))
    },
  })
}

function refused(what: string): SignalboxError {
  return new SignalboxError('E_ROLE', `a worker cannot ${what}`, { next: 'run it on the server' })
}
