import type { Clock, Timer } from '../clock/index.js'
import { isEvent } from '../events/index.js'
import type { EventStore, StoredEvent, Subscription } from '../store/index.js'
import { CLOCK_STEP_MS } from './grants.js'
import type { Ledger } from './ledger.js'
import type { ApprovalRecord } from './record.js'

interface LedgerSweeperOptions {
  store: EventStore
  ledger: Ledger
  clock: Clock
  onError(error: unknown): void
}

/** The events that end requests or grants. */
const FOLLOWED = [
  'approval.requested',
  'session.ended',
  'session.lost',
  'project.trusted',
  'project.distrusted',
  'config.changed',
]
/** How often the clocks are compared; steps below a minute have no effect. */
const SWEEP_MS = 10_000

/**
 * Closes requests at their deadlines, and ends grants with their time, session, trust or settings.
 * A deadline is reached when either the wall clock or the monotonic clock says so: setting the wall
 * clock back does not give more time. A wall clock that steps by more than a minute ends all
 * grants, because their end is then unknown.
 */
export class LedgerSweeper {
  readonly #options: LedgerSweeperOptions
  /** The monotonic time at which each pending request is due. */
  readonly #due = new Map<string, number>()
  #subscription: Subscription | null = null
  #timer: Timer | null = null
  #offset: number
  /** How far the store's clock is ahead of this machine's. */
  #aheadMs = 0
  #isOpen = true
  #working: Promise<void> = Promise.resolve()

  constructor(options: LedgerSweeperOptions) {
    this.#options = options
    this.#offset = options.clock.now() - options.clock.monotonic()
  }

  /** Starts with the open requests, then follows the log. */
  async start(): Promise<void> {
    const { store, ledger, clock } = this.#options
    const after = await store.head()
    const [last] = await store.readAll({ after: Math.max(0, after - 1), limit: 1 })
    // The last event is in the future: the wall clock was set back while no daemon ran. In a shared
    // store it may come from a machine whose clock is ahead.
    if (!store.isShared && last && last.at - clock.now() > CLOCK_STEP_MS)
      await ledger.grants.endWhere(() => true, 'clock')
    this.#aheadMs = (await store.now()) - clock.now()
    for (const record of await ledger.list({ isOpenOnly: true })) this.#track(record)
    this.#subscription = store.subscribe({ after, types: FOLLOWED, onError: this.#options.onError }, events => {
      for (const event of events) this.#enqueue(() => this.#follow(event))
    })
    this.#enqueue(() => this.sweep())
  }

  #follow(event: StoredEvent): Promise<void> {
    const id = event.stream.slice(event.stream.indexOf('/') + 1)
    if (event.type === 'approval.requested') return this.#requested(id)
    if (isEvent(event, 'project.trusted') || isEvent(event, 'project.distrusted'))
      return this.#trustChanged(event.data.path)
    if (event.type === 'config.changed') return this.#options.ledger.grants.endOutdated()
    return this.#endOfSession(id)
  }

  /** Ends everything that is due now. Called by a timer, and by tests. */
  async sweep(): Promise<void> {
    const { store, ledger, clock } = this.#options
    this.#aheadMs = (await store.now()) - clock.now()
    const offset = clock.now() - clock.monotonic()
    if (Math.abs(offset - this.#offset) > CLOCK_STEP_MS) await ledger.grants.endWhere(() => true, 'clock')
    this.#offset = offset
    for (const [id, dueAt] of this.#due) {
      const record = await ledger.get(id)
      if (record?.state !== 'pending' || !record.deadline) {
        this.#due.delete(id)
        continue
      }
      if (clock.monotonic() < dueAt && clock.now() + this.#aheadMs < record.deadline.at) continue
      await ledger.expired(record)
      this.#due.delete(id)
    }
    await ledger.grants.endOutdated()
    this.#setTimer()
  }

  /** Resolves when all events so far are processed. */
  async untilProcessed(): Promise<void> {
    await this.#subscription?.poll()
    await this.#working
  }

  async close(): Promise<void> {
    this.#isOpen = false
    this.#subscription?.close()
    this.#timer?.cancel()
    await this.#working
  }

  #track(record: ApprovalRecord): void {
    const { clock } = this.#options
    // The engine handles the deadline of a gate: its graph says where to continue.
    if (record.state !== 'pending' || !record.deadline || record.deadline.owner === 'graph') return
    this.#due.set(record.id, clock.monotonic() + Math.max(0, record.deadline.at - clock.now() - this.#aheadMs))
  }

  async #requested(id: string): Promise<void> {
    const { ledger } = this.#options
    const record = await ledger.get(id)
    if (!record) return
    this.#track(record)
    this.#setTimer()
    const { agent, project, agentVersion } = record.subject
    // A grant for one version of an agent does not hold for the next.
    await ledger.grants.endWhere(
      grant => grant.agent === agent && grant.project === project && grant.agentVersion !== agentVersion,
      'agent version',
    )
  }

  async #endOfSession(session: string): Promise<void> {
    await this.#options.ledger.grants.endWhere(
      ({ scope }) => scope.kind === 'session' && scope.session === session,
      'scope',
    )
  }

  /** Trust decides which files of a project may run: a grant does not outlive a change of it. */
  async #trustChanged(project: string): Promise<void> {
    await this.#options.ledger.grants.endWhere(grant => grant.project === project, 'trust')
  }

  #setTimer(): void {
    this.#timer?.cancel()
    if (!this.#isOpen) return
    const now = this.#options.clock.monotonic()
    const next = Math.min(SWEEP_MS, ...[...this.#due.values()].map(due => Math.max(0, due - now)))
    this.#timer = this.#options.clock.setTimer(next, () => this.#enqueue(() => this.sweep()))
  }

  /** Runs tasks one after the other; a failed task is reported, and the next one runs. */
  #enqueue(work: () => Promise<void>): void {
    this.#working = this.#working.then(async () => {
      if (!this.#isOpen) return
      try {
        await work()
      } catch (error) {
        this.#options.onError(error)
        this.#setTimer()
      }
    })
  }
}
