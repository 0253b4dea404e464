import { getRun, isEnded, type PlacementChoice, type RunState } from '../engine/index.js'
import { SignalboxError } from '../errors/index.js'
import { newEvent } from '../events/index.js'
import type { EventStore } from '../store/index.js'
import { chooseWorker, type PlacementCandidate, type PlacementRequest } from './placement.js'
import { workerAway } from './worker-away.js'
import type { WorkerView } from './worker-hub.js'
import { workerStream } from './worker-record.js'
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

  async place({ placement, placed, moveTo, parent }: RunState): Promise<PlacementChoice> {
    const request = placement ?? {}
    const record = placed && (await this.#options.registry.get(placed.worker))
    const isThere = record !== null && record.state !== 'lost' && record.state !== 'removed'
    if (!isThere) return chooseWorker(request, await this.#candidates(), await this.#workerOf(parent))
    if (!moveTo) return { stay: true }
    const others = (await this.#candidates()).filter(candidate => candidate.record.id !== record.id)
    const choice = chooseWorker(moveTo.worker === null ? request : { worker: moveTo.worker }, others)
    return 'waits' in choice ? { stay: true } : choice
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
    if (!isLossy && !this.#options.isConnected(worker)) await this.#refuseLoss(run, worker)
    const target = to === undefined ? undefined : await this.#options.registry.find(to)
    const others = (await this.#candidates()).filter(({ record }) => record.id !== worker)
    const choice = chooseWorker(target ? { worker: target.id } : (placement ?? {}), others)
    if ('waits' in choice) throw new SignalboxError('E_STATE', `run ${run} cannot move: ${choice.waits}`)
    const asked = newEvent('run.move-asked', { ...(target && { to: target.id }), by })
    await store.append(`run/${run}`, 'any', [asked])
    wake(run)
  }

  /** Refuses a move that would lose unsaved work. */
  async #refuseLoss(run: string, worker: string): Promise<void> {
    const { store } = this.#options
    const holder = await store.leaseHolder(workerStream(worker))
    // Another server is connected to it.
    if (holder && holder.until > (await store.now())) return
    const saved = (await store.readStream(`run/${run}`)).findLast(({ type }) => type === 'workspace.saved')
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
