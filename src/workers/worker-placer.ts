import { getRun, isEnded, type LostWorker, type PlacementChoice, type RunState } from '../engine/index.js'
import { SignalboxError } from '../errors/index.js'
import { isEvent, newEvent } from '../events/index.js'
import type { EventStore } from '../store/index.js'
import { chooseWorker, type PlacementCandidate, type PlacementRequest } from './placement.js'
import { WORKER_LEASE_MS } from './protocol.js'
import { workerAway } from './worker-away.js'
import type { WorkerView } from './worker-hub.js'
import { type WorkerRecord, workerStream } from './worker-record.js'
import type { WorkerRegistry } from './worker-registry.js'

export interface WorkerPlacerOptions {
  store: EventStore
  registry: WorkerRegistry
  /** Where child runs go: to the worker of their parent, if it has room, or to any. */
  childPlacement: 'same' | 'spread'
  list(): Promise<WorkerView[]>
  isConnected(worker: string): boolean
  wake(run: string): void
}

/** What tells whether the worker of a run has files that were not saved. */
const WORKSPACE_EVENTS: ReadonlySet<string> = new Set(['run.placed', 'workspace.saved', 'workspace.unsaved'])

/** Chooses the worker of a run or session, and moves runs. `placement.ts` has the rules. */
export class WorkerPlacer {
  readonly #options: WorkerPlacerOptions

  constructor(options: WorkerPlacerOptions) {
    this.#options = options
  }

  /** A worker for a new session, or why none can have it. */
  async placeSession(request: PlacementRequest, agent: string | null): Promise<ReturnType<typeof chooseWorker>> {
    const candidates = (await this.#options.list()).map(({ record, isConnected, isFull, clockOffsetMs, sessions }) => ({
      record: { ...record, maxSteps: record.maxSessions },
      isConnected,
      isFull,
      clockOffsetMs,
      steps: sessions.length,
      runs: 0,
    }))
    const able = candidates.filter(({ record }) => agent === null || record.agents.includes(agent))
    if (able.length === 0 && candidates.length > 0) return { waits: `no worker has the agent ${agent}` }
    return chooseWorker(request, able)
  }

  async place({ placement, placed, moveTo, parent, unsaved, onLoss }: RunState): Promise<PlacementChoice> {
    const mayLose = moveTo?.isLossy === true || onLoss?.option === 'move'
    const request = mayLose ? elsewhere(placement) : (placement ?? {})
    const target = moveTo?.worker ? { worker: moveTo.worker } : request
    const record = placed && (await this.#options.registry.get(placed.worker))
    const isThere = record !== null && record.state !== 'lost' && record.state !== 'removed'
    if (!isThere) {
      if (record && unsaved && !mayLose) return { lost: await this.#lost(record) }
      return chooseWorker(moveTo?.isLossy ? target : request, await this.#candidates(), await this.#workerOf(parent))
    }
    if (!moveTo) return { stay: true }
    const others = (await this.#candidates()).filter(candidate => candidate.record.id !== record.id)
    const choice = chooseWorker(target, others)
    return 'waits' in choice ? { stay: true } : choice
  }

  async #lost(record: WorkerRecord): Promise<LostWorker> {
    const holder = await this.#options.store.leaseHolder(workerStream(record.id))
    const since = holder ? holder.until - WORKER_LEASE_MS : record.changedAt
    return { name: record.name, since, mayReturn: record.state === 'lost' }
  }

  async #workerOf(parent: RunState['parent']): Promise<string | null> {
    const { store, childPlacement } = this.#options
    if (parent === null || childPlacement === 'spread') return null
    return (await getRun(store, parent.run)).worker
  }

  /**
   * Moves a run to another worker: to this one, or to any that it may be on.
   * @throws SignalboxError `E_STATE` if no worker has it, or none can have it; or if its worker is
   * away and could still come back with what it has done, unless the move may lose that.
   */
  async move(
    run: string,
    { to, by, isLossy = false }: { to?: string | undefined; by: string; isLossy?: boolean },
  ): Promise<void> {
    const { store, wake } = this.#options
    const { worker, placement, status } = await getRun(store, run)
    if (worker === null || isEnded(status))
      throw new SignalboxError('E_STATE', `no worker has run ${run}`, { next: 'signalbox workers lists what each has' })
    if (!isLossy) await this.#refuseLoss(run, worker)
    const target = to === undefined ? undefined : await this.#options.registry.find(to)
    const others = (await this.#candidates()).filter(({ record }) => record.id !== worker)
    const request = isLossy ? elsewhere(placement) : (placement ?? {})
    const choice = chooseWorker(target ? { worker: target.id } : request, others)
    if ('waits' in choice) throw new SignalboxError('E_STATE', `run ${run} cannot move: ${choice.waits}`)
    const asked = newEvent('run.move-asked', {
      ...(target && { to: target.id }),
      by,
      ...(isLossy && { isLossy: true as const }),
    })
    await store.append(`run/${run}`, 'any', [asked])
    wake(run)
  }

  /** Refuses a move that would lose unsaved work. */
  async #refuseLoss(run: string, worker: string): Promise<void> {
    const { store } = this.#options
    const events = await store.readStream(`run/${run}`)
    const last = events.findLast(({ type }) => WORKSPACE_EVENTS.has(type))
    if (last && isEvent(last, 'workspace.unsaved'))
      throw new SignalboxError('E_STATE', `files of step ${last.data.step} were not saved: ${last.data.reason}`, {
        next: `mend that, and the next step saves them; or move without them: signalbox runs move ${run} --lossy`,
      })
    if (this.#options.isConnected(worker)) return
    const holder = await store.leaseHolder(workerStream(worker))
    // Another server is connected to it.
    if (holder && holder.until > (await store.now())) return
    const saved = events.findLast(({ type }) => type === 'workspace.saved')
    const loss = saved
      ? `what run ${run} did there since its last save at ${new Date(saved.at).toISOString()} would be lost`
      : `nothing that run ${run} did there was saved, and all of it would be lost`
    const { message } = workerAway(await this.#options.registry.get(worker), holder)
    throw new SignalboxError('E_STATE', `${message}; ${loss}`, {
      next: `wait for the worker, or signalbox runs move ${run} --lossy`,
    })
  }

  async #candidates(): Promise<PlacementCandidate[]> {
    const views = await this.#options.list()
    return views.map(({ runs, ...view }) => ({ ...view, runs: runs.length }))
  }
}

/** A person gives up what is on the worker of a run: it may leave it, even if it is bound to it. */
function elsewhere(placement: PlacementRequest | null): PlacementRequest {
  const { worker: _, ...request } = placement ?? {}
  return request
}
