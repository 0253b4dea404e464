import {
  type ApprovalRecord,
  approvalKindOf,
  chooseOption,
  type Ledger,
  type MenuPort,
  requestFromMenu,
} from '../approvals/index.js'
import { type Clock, delay } from '../clock/index.js'
import type { Menu } from '../screen/index.js'
import type { Sink } from './sink.js'

export interface SessionApprovalsOptions {
  subject: { agent: string; session: string; project: string; cwd: string; hostName: string }
  ledger: Ledger
  clock: Clock
  sinks: readonly Sink[]
  menu: MenuPort
  isExited(): boolean
  onError(error: unknown): void
}

/** Nobody may have typed into the pane for so long before a decision is typed. */
const QUIET_MS = 1_000

/** The menus of one session as requests in the ledger: raised when they appear, settled when they go, answered when decided. */
export class SessionApprovals {
  readonly #options: SessionApprovalsOptions
  #open: ApprovalRecord | null = null
  /** Someone attached pressed keys since the request was raised: an answer may be theirs. */
  #sawKeys = false
  #lastKeysAt = Number.NEGATIVE_INFINITY
  #isApplying = false
  /** One decision is typed at a time, in the order they were made. */
  #queue: Promise<void> = Promise.resolve()

  constructor(options: SessionApprovalsOptions) {
    this.#options = options
  }

  get open(): ApprovalRecord | null {
    return this.#open
  }

  get isApplying(): boolean {
    return this.#isApplying
  }

  noteKeys(): void {
    this.#sawKeys = true
    this.#lastKeysAt = this.#options.clock.monotonic()
  }

  async raise(menu: Menu, instance: string): Promise<void> {
    const { ledger, sinks, subject } = this.#options
    const kind = approvalKindOf(menu)
    this.#sawKeys = false
    if (!kind) return
    this.#open = await ledger.request(requestFromMenu(menu, { kind, subject, instance }))
    for (const sink of sinks) await this.#guard(() => sink.ask(this.#open!))
  }

  /** After a restart: the request that the ledger has for the menu on screen; every other open one of this session is over. */
  async takeOver(live: { menu: Menu; instance: string } | null): Promise<'known' | 'new' | 'none'> {
    const open = (await this.#options.ledger.list({ isOpenOnly: true })).filter(
      record => record.subject.session === this.#options.subject.session,
    )
    const mine = live && open.find(record => record.menuPrint === live.menu.print && record.instance === live.instance)
    for (const record of open) {
      if (record === mine) continue
      await this.#close(record)
      await this.#tellEnd(record.id)
    }
    this.#open = mine ?? null
    if (!live) return 'none'
    return mine ? 'known' : 'new'
  }

  /** The menu has gone. Decided: whoever applies it looks for proof. Pending: someone answered in the terminal, or it was withdrawn. */
  async settle(): Promise<void> {
    const record = this.#open && (await this.#options.ledger.get(this.#open.id))
    if (!record) return
    if (record.state === 'pending' || this.#options.isExited()) await this.#close(record)
    await this.#refresh()
  }

  /** Types a decision into the agent's menu. Safe to call again: it looks before it types. */
  apply(record: ApprovalRecord): Promise<void> {
    const done = this.#queue.then(() => this.#applyNow(record.id))
    this.#queue = done.catch(() => undefined)
    return done
  }

  async #applyNow(id: string): Promise<void> {
    const { ledger, clock, menu } = this.#options
    const record = await ledger.get(id)
    if (record?.state !== 'decided' || !record.decision) return
    // The menu on screen belongs to another request, however alike: this one's is gone.
    if (this.#open && this.#open.id !== id) {
      await ledger.stale(record, 'gone')
      return this.#tellEnd(id)
    }
    this.#isApplying = true
    try {
      // From here on keys of others are refused; those under way get time to arrive.
      await delay(clock, Math.max(0, this.#lastKeysAt + QUIET_MS - clock.monotonic()))
      const option = record.request.options.find(candidate => candidate.key === record.decision!.option)
      const outcome = await chooseOption(
        menu,
        { print: record.menuPrint ?? '', label: option?.label ?? '' },
        { clock, onStep: step => ledger.delivering(record, step) },
      )
      if (outcome.result === 'applied')
        await ledger.applied(record, [{ kind: 'screen', keys: outcome.keys.length }], clock.now())
      else await ledger.stale(record, outcome.reason)
      await this.#tellEnd(id)
    } finally {
      this.#isApplying = false
    }
  }

  async #close(record: ApprovalRecord): Promise<void> {
    const { ledger, clock } = this.#options
    if (this.#options.isExited()) await ledger.cancelled(record, 'session ended')
    else if (record.state === 'decided') {
      const wasConfirmed = record.delivery.some(attempt => attempt.step === 'confirm')
      if (wasConfirmed) await ledger.applied(record, [{ kind: 'screen' }], clock.now())
      else await ledger.stale(record, 'gone')
    } else if (this.#sawKeys) await ledger.observed(record, [{ kind: 'screen' }], clock.now())
    else await ledger.stale(record, 'gone')
  }

  async #refresh(): Promise<void> {
    const record = this.#open && (await this.#options.ledger.get(this.#open.id))
    if (!record) return
    if (isOpen(record)) this.#open = record
    else await this.#tellEnd(record.id)
  }

  /** A request has come to its end: every sink learns which, also when another request is open by now. */
  async #tellEnd(id: string): Promise<void> {
    const record = await this.#options.ledger.get(id)
    if (!record || isOpen(record)) return
    if (this.#open?.id === id) this.#open = null
    for (const sink of this.#options.sinks) await this.#guard(() => sink.settle(record))
  }

  async #guard(call: () => Promise<void>): Promise<void> {
    try {
      await call()
    } catch (error) {
      this.#options.onError(error)
    }
  }
}

function isOpen(record: ApprovalRecord): boolean {
  return record.state === 'pending' || record.state === 'decided'
}
