import type { Clock, Timer } from '../clock/index.js'
import { isEvent } from '../events/index.js'
import type { EventStore, StoredEvent, Subscription } from '../store/index.js'
import { STEP_MS } from './grants.js'
import type { Ledger } from './ledger.js'
import type { ApprovalRecord } from './record.js'

export interface LedgerSweeperOptions {
  store: EventStore
  ledger: Ledger
  clock: Clock
  onError(error: unknown): void
}

/** What requests and grants may end with. */
const FOLLOWED = [
  'approval.requested',
  'session.ended',
  'session.lost',
  'project.trusted',
  'project.distrusted',
  'config.changed',
]
/** How often the wall clock is compared with the steady one. A step shorter than a minute ends nothing, so this is often enough. */
const LOOK_MS = 10_000

/**
 * What happens to requests and grants by time and by the end of what they belong to. Deadlines follow whichever of wall and steady time
 * comes first: a wall clock that is set back does not give more time, and one that is set forward does not take a decision away. A wall
 * clock that steps by more than a minute ends all grants, because nobody can say any more when they would have ended.
 */
export class LedgerSweeper {
  readonly #options: LedgerSweeperOptions
  /** Steady time at which each pending request is due. */
  readonly #due = new Map<string, number>()
  #subscription: Subscription | null = null
  #timer: Timer | null = null
  #offset: number
  #isOpen = true
  #working: Promise<void> = Promise.resolve()

  constructor(options: LedgerSweeperOptions) {
    this.#options = options
    this.#offset = options.clock.now() - options.clock.monotonic()
  }

  /** Takes up what is open, and from then on follows the log. */
  async start(): Promise<void> {
    const { store, ledger, clock } = this.#options
    const after = await store.head()
    const [last] = await store.readAll({ after: Math.max(0, after - 1), limit: 1 })
    // The log ends in the future: the wall clock was set back while nobody watched.
    if (last && last.at - clock.now() > STEP_MS) await ledger.grants.endWhere(() => true, 'clock')
    for (const record of await ledger.list({ isOpenOnly: true })) this.#note(record)
    this.#subscription = store.subscribe({ after, types: FOLLOWED, onError: this.#options.onError }, events => {
      for (const event of events) this.#later(() => this.#follow(event))
    })
    this.#later(() => this.look())
  }

  #follow(event: StoredEvent): Promise<void> {
    const id = event.stream.slice(event.stream.indexOf('/') + 1)
    if (event.type === 'approval.requested') return this.#requested(id)
    if (isEvent(event, 'project.trusted') || isEvent(event, 'project.distrusted'))
      return this.#trustChanged(event.data.path)
    if (event.type === 'config.changed') return this.#options.ledger.grants.endOutdated()
    return this.#endOfSession(id)
  }

  /** Everything that is due now. Called by its own timer; a test may call it too. */
  async look(): Promise<void> {
    const { ledger, clock } = this.#options
    const offset = clock.now() - clock.monotonic()
    if (Math.abs(offset - this.#offset) > STEP_MS) await ledger.grants.endWhere(() => true, 'clock')
    this.#offset = offset
    for (const [id, dueAt] of this.#due) {
      const record = await ledger.get(id)
      if (record?.state !== 'pending' || !record.deadline) {
        this.#due.delete(id)
        continue
      }
      if (clock.monotonic() < dueAt && clock.now() < record.deadline.at) continue
      await ledger.expired(record)
      this.#due.delete(id)
    }
    await ledger.grants.endOutdated()
    this.#setTimer()
  }

  /** Resolves when what has come so far is worked off. */
  async settled(): Promise<void> {
    await this.#subscription?.poll()
    await this.#working
  }

  async close(): Promise<void> {
    this.#isOpen = false
    this.#subscription?.close()
    this.#timer?.cancel()
    await this.#working
  }

  #note(record: ApprovalRecord): void {
    const { clock } = this.#options
    // A gate's deadline belongs to its graph, which also knows where to go then.
    if (record.state !== 'pending' || !record.deadline || record.deadline.owner === 'graph') return
    this.#due.set(record.id, clock.monotonic() + Math.max(0, record.deadline.at - clock.now()))
  }

  async #requested(id: string): Promise<void> {
    const { ledger } = this.#options
    const record = await ledger.get(id)
    if (!record) return
    this.#note(record)
    this.#setTimer()
    const { agent, project, agentVersion } = record.subject
    // What was allowed to one version of an agent was not allowed to the next.
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

  /** What was allowed in a project was allowed as it was then: files that may run by themselves now, or no more, are another one. */
  async #trustChanged(project: string): Promise<void> {
    await this.#options.ledger.grants.endWhere(grant => grant.project === project, 'trust')
  }

  #setTimer(): void {
    this.#timer?.cancel()
    if (!this.#isOpen) return
    const now = this.#options.clock.monotonic()
    const next = Math.min(LOOK_MS, ...[...this.#due.values()].map(due => Math.max(0, due - now)))
    this.#timer = this.#options.clock.setTimer(next, () => this.#later(() => this.look()))
  }

  /** One thing after the other; what fails is told and the rest goes on. */
  #later(work: () => Promise<void>): void {
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
