import type { EventStore } from '../store/index.js'
import { type ApprovalRecord, approvalsProjection, isOpen } from './record.js'

/** Mostly a few have changed; a ledger that has just opened reads all, in pages that grow. */
const FIRST_PAGE = 8
const LARGEST_PAGE = 512
const MOST_LOOKS = 3
/** Closed requests that are remembered, for reports that come after the end. */
const REMEMBERED = 200

/**
 * The open approvals, kept in memory and brought up to date from the store before every answer. Documents come newest change first, so
 * looking at those that changed since the last time is enough, whichever process changed them: a ledger with years of closed requests
 * answers as fast as a new one.
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
      // A record that moves while pages are read may be missed; looking again finds it.
      for (let looks = 0; looks < MOST_LOOKS && (await this.#refresh()); looks++);
    })
    this.#refreshing = refreshed.catch(() => undefined)
    await refreshed
    return [...this.#records.values()].sort((a, b) => a.requestedAt - b.requestedAt)
  }

  /** Those that were closed while this process watched, oldest first. */
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
    for (let before = Number.MAX_SAFE_INTEGER, limit = FIRST_PAGE; ; limit = Math.min(limit * 4, LARGEST_PAGE)) {
      const page = await this.#store.documents<ApprovalRecord>(approvalsProjection.name, { limit, before })
      const changed = page.filter(document => document.position > this.#position)
      for (const { key, state, position } of changed) {
        newest = Math.max(newest, position)
        // A record that changes while pages are read may come twice; the first one read is the newest.
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
      if (this.#closed.size <= REMEMBERED) return
      this.#closed.delete(oldest)
    }
  }
}
