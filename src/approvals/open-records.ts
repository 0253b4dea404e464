import type { EventStore } from '../store/index.js'
import { type ApprovalRecord, approvalsProjection, isOpen } from './record.js'

/** Usually only a few records have changed; a new ledger reads all, in growing pages. */
const FIRST_PAGE = 8
const PAGE_MAX = 512
const PASSES_MAX = 3
/** How many closed requests are remembered, for reports that come late. */
const CLOSED_KEPT = 200

/**
 * The open approvals, kept in memory and updated from the store before every read. The store
 * returns documents by their newest change, so reading those that changed since the last time is
 * enough, whichever process changed them. A ledger with years of closed requests is as fast as a
 * new one.
 */
export class OpenRecords {
  readonly #store: EventStore
  readonly #records = new Map<string, ApprovalRecord>()
  readonly #closed = new Map<string, ApprovalRecord>()
  #position = 0
  #head = -1
  #refreshing: Promise<void> = Promise.resolve()

  constructor(store: EventStore) {
    this.#store = store
  }

  /** Oldest first. */
  async list(): Promise<ApprovalRecord[]> {
    const refreshed = this.#refreshing.then(async () => {
      // A record that changes while pages are read may be missed; another pass finds it.
      for (let passes = 0; passes < PASSES_MAX && (await this.#refresh()); passes++);
    })
    this.#refreshing = refreshed.catch(() => undefined)
    await refreshed
    return [...this.#records.values()].sort((a, b) => a.requestedAt - b.requestedAt)
  }

  /** The requests that were closed while this process ran, oldest first. */
  async recentlyClosed(): Promise<ApprovalRecord[]> {
    await this.list()
    return [...this.#closed.values()]
  }

  /** False when nothing had changed. */
  async #refresh(): Promise<boolean> {
    const head = await this.#store.head()
    if (head === this.#head) return false
    const isFirst = this.#head < 0
    const seen = new Map<string, ApprovalRecord>()
    let newest = this.#position
    for (let before = Number.MAX_SAFE_INTEGER, limit = FIRST_PAGE; ; limit = Math.min(limit * 4, PAGE_MAX)) {
      const page = await this.#store.documents<ApprovalRecord>(approvalsProjection.name, { limit, before })
      const changed = page.filter(document => document.position > this.#position)
      for (const { key, state, position } of changed) {
        newest = Math.max(newest, position)
        // A record that changes while pages are read may appear twice; the first one is the newest.
        if (!seen.has(key)) seen.set(key, state)
      }
      if (changed.length < page.length || page.length < limit) break
      before = page.at(-1)!.position
    }
    for (const [key, record] of seen) {
      if (isOpen(record)) this.#records.set(key, record)
      else {
        this.#records.delete(key)
        if (!isFirst) this.#remember(key, record)
      }
    }
    this.#position = newest
    this.#head = head
    return true
  }

  #remember(key: string, record: ApprovalRecord): void {
    this.#closed.delete(key)
    this.#closed.set(key, record)
    for (const oldest of this.#closed.keys()) {
      if (this.#closed.size <= CLOSED_KEPT) return
      this.#closed.delete(oldest)
    }
  }
}
