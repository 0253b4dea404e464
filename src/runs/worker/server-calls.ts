import { join } from 'node:path'
import type { Activity } from '../../activity/index.js'
import type { PermissionAnswer } from '../../agents/index.js'
import type { Ledger } from '../../approvals/index.js'
import type { Clock } from '../../clock/index.js'
import {
  type AgentTurn,
  ChildObserveSteps,
  ChildSteerSteps,
  ChildStopSteps,
  getRun,
  type RunState,
  readRun,
  runStream,
  type StepCall,
  simulatedSteps,
  type Workflow,
} from '../../engine/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { BlobStore } from '../../store/blobs/index.js'
import type { EventStore } from '../../store/index.js'
import { BlobFiles, type ServerPort, WorkerHub, type WorkerSessionsPort } from '../../workers/index.js'
import { WORKFLOWS } from '../create-run-host.js'
import { StepApprovals } from '../step-approvals.js'
import { WorkspaceBlobs, waitingDirectoryOf } from '../workspaces/workspace-blobs.js'
import { WorkspaceSource } from '../workspaces/workspace-source.js'

/*
 * What the steps of a worker ask of the server: the two ends of each call. The hub has checked that
 * the run is the worker's own.
 */

export interface OpenHubOptions {
  store: EventStore
  ledger: Ledger
  clock: Clock
  lostAfterMs: number
  childPlacement: 'same' | 'spread'
  dataDirectory: string
  blobs: BlobStore
  servers?: ConstructorParameters<typeof WorkerHub>[0]['servers']
  sessions: WorkerSessionsPort
  wake(run: string): void
  handOver?(run: string): void
  onError(error: unknown): void
}

/** The server's side of the workers, with the answers to their calls. */
export function openWorkerHub(options: OpenHubOptions): OpenedHub {
  const { store, ledger, clock } = options
  const approvals = new StepApprovals({ store, ledger, clock })
  const files = new BlobFiles(join(options.dataDirectory, 'blobs'))
  const bundles = new WorkspaceBlobs({
    files,
    waitingDirectory: waitingDirectoryOf(options.dataDirectory),
    store,
    blobs: options.blobs,
    clock,
    onError: options.onError,
  })
  const source = new WorkspaceSource({ dataDirectory: options.dataDirectory, store, bundles })
  const hub: WorkerHub = new WorkerHub({
    store,
    clock,
    lostAfterMs: options.lostAfterMs,
    childPlacement: options.childPlacement,
    sessions: options.sessions,
    wake: options.wake,
    ...(options.handOver && { handOver: options.handOver }),
    onError: options.onError,
    ...(options.servers && { servers: options.servers }),
    workflows: WORKFLOWS,
    performers: {
      'graph.child_look': new ChildObserveSteps(store),
      'graph.child_steer': new ChildSteerSteps(store),
      'graph.child_stop': new ChildStopSteps(store),
      'graph.simulated': simulatedSteps,
    },
    call: async (method, run, params, signal) => {
      if (method === 'run.events') return store.readStream(runStream(run))
      if (method === 'blob.read' || method === 'blob.write') {
        const state = await stateOf(store, run)
        return method === 'blob.read' ? readBlob(state, source, bundles, params) : writeBlob(run, bundles, params)
      }
      if (method === 'approval.ask') return approvals.ask(...approvalCallOf(run, params, signal))
      if (method === 'approval.withdraw') return approvals.withdraw(nameOf(run, params))
      throw new SignalboxError('E_ROLE', `workers cannot call "${method}"`)
    },
    workspaceOf: run => source.needsOf(run),
  })
  const updateWorktree = async (run: string) => {
    const { placement, cwd } = await getRun(store, run)
    if (placement && source.isOwn(cwd)) await source.updateWorktree(await stateOf(store, run))
  }
  return { hub, bundles, updateWorktree }
}

export interface OpenedHub {
  hub: WorkerHub
  /** Started and closed by the caller. */
  bundles: Pick<WorkspaceBlobs, 'start' | 'close'>
  /** Brings the workspace of a run that workers had into its worktree on this machine. */
  updateWorktree(run: string): Promise<void>
}

async function stateOf(store: EventStore, run: string): Promise<RunState> {
  const { kind } = await getRun(store, run)
  const workflow = WORKFLOWS.find(candidate => candidate.kind === kind) as unknown as Workflow
  return (await readRun(store, run, workflow)).run
}

/** A worker reads what the run started from and what was last saved, and nothing else. */
async function readBlob(
  run: RunState,
  source: WorkspaceSource,
  bundles: WorkspaceBlobs,
  params: Record<string, unknown>,
): Promise<string> {
  const { blob, offset } = params as { blob: string; offset: number }
  if (!(await source.mayRead(run, blob))) throw new SignalboxError('E_ROLE', 'the blob does not belong to the run')
  await bundles.path(blob)
  return bundles.files.read(blob, offset).toString('base64')
}

async function writeBlob(run: string, bundles: WorkspaceBlobs, params: Record<string, unknown>): Promise<null> {
  const { files: blobs } = bundles
  const { blob, offset, data, isLast } = params as { blob: string; offset: number; data: string; isLast: boolean }
  blobs.path(blob)
  const draft = blobs.draft(`${run}-${blob.slice(0, 12)}`)
  blobs.write(draft, offset, Buffer.from(data, 'base64'))
  if (!isLast) return null
  blobs.keep(draft, blob)
  await bundles.share(blob)
  return null
}

type Asked = Parameters<StepApprovals['ask']>

function approvalCallOf(run: string, params: Record<string, unknown>, signal: AbortSignal): Asked {
  const { agent, cwd, requestId, tool, input } = params as Record<string, string>
  // Notices of the step come from the worker; this one names the request, which only the server
  // has.
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
