import type { Ledger } from '../approvals/index.js'
import type { EventData } from '../events/index.js'
import type { SessionPort, SessionRecord } from '../sessions/index.js'
import type { EventStore, Subscription } from '../store/index.js'
import type { PaneRegistry } from '../supervision/index.js'
import type { RemoteSessions } from './remote/index.js'
import { SANDBOX_CHANNEL } from './sandbox/sandbox-requests.js'

interface DispatcherOptions {
  store: EventStore
  ledger: Ledger
  remote: RemoteSessions
  /** Null in a host without supervision: its sessions are not named. */
  panes: PaneRegistry | null
  recordOf(session: string): Promise<SessionRecord>
  whenLive(session: string): Promise<SessionPort | null>
  onError(error: unknown): void
}

/** Follows the log for the sessions of this host: delivers decisions, and names sessions. */
export class DecisionDispatcher {
  readonly #options: DispatcherOptions
  readonly #subscriptions: Subscription[] = []

  constructor(options: DispatcherOptions) {
    this.#options = options
  }

  async start(): Promise<void> {
    await this.#followDecisions()
    await this.#followPrompts()
  }

  close(): void {
    for (const subscription of this.#subscriptions) subscription.close()
  }

  /** Any process may record a decision; this host delivers those of its sessions. */
  async #followDecisions(): Promise<void> {
    const { store, ledger, onError } = this.#options
    const after = await store.head()
    this.#subscriptions.push(
      store.subscribe({ after, types: ['approval.decided'], onError }, events => {
        for (const event of events) void this.#apply(event.stream.slice('approval/'.length)).catch(onError)
      }),
    )
    for (const record of await ledger.list({ isOpenOnly: true })) {
      if (record.state === 'decided') void this.#apply(record.id).catch(onError)
    }
  }

  async #apply(approval: string): Promise<void> {
    const { ledger, remote, whenLive } = this.#options
    const record = await ledger.get(approval)
    const id = record?.subject.session
    // A worker that is away receives it when it is back.
    if (!record || id === undefined || record.source.channel === SANDBOX_CHANNEL) return
    if (remote.has(id) && !remote.get(id)) return
    await (await whenLive(id))?.apply(record)
  }

  /** A session without a name is named after its first prompt. */
  async #followPrompts(): Promise<void> {
    const { store, panes, recordOf, onError } = this.#options
    if (!panes) return
    const types = ['turn.opened', 'turn.prompted'] as const
    const name = async (session: string) => {
      const { label, title } = await recordOf(session)
      if (label === undefined && title !== undefined) panes.renamed(session, title)
    }
    this.#subscriptions.push(
      store.subscribe({ after: await store.head(), types, onError }, events => {
        const sessions = events.map(event => (event.data as EventData<(typeof types)[number]>).session)
        for (const session of new Set(sessions)) void name(session).catch(onError)
      }),
    )
  }
}
