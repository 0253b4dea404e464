import { type ApprovalRecord, approvalKindOf, chooseOption, type Ledger, type MenuPort, requestFromMenu } from '../approvals/index.js'
import type { Clock } from '../clock/index.js'
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

/** The menus of one session as requests in the ledger: raised when they appear, settled when they go, answered when decided. */
export class SessionApprovals {
  readonly #options: SessionApprovalsOptions
  #open: ApprovalRecord | null = null
  /** Someone attached pressed keys since the request was raised: an answer may be theirs. */
  #sawKeys = false
  #isApplying = false

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
    const open = (await this.#options.ledger.list({ isOpenOnly: true })).filter(record => record.subject.session === this.#options.subject.session)
    const mine = live && open.find(record => record.menuPrint === live.menu.print && record.instance === live.instance)
    for (const record of open) if (record !== mine) await this.#close(record)
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
  async apply(record: ApprovalRecord): Promise<void> {
    if (this.#isApplying || !record.decision || record.state !== 'decided') return
    const { ledger, clock, menu } = this.#options
    this.#isApplying = true
    try {
      const option = record.request.options.find(candidate => candidate.key === record.decision!.option)
      const outcome = await chooseOption(
        menu,
        { print: record.menuPrint ?? '', label: option?.label ?? '' },
        { clock, onStep: step => ledger.delivering(record, step) },
      )
      if (outcome.result === 'applied') await ledger.applied(record, [{ kind: 'screen', keys: outcome.keys.length }], clock.now())
      else await ledger.stale(record, outcome.reason)
      await this.#refresh()
    } finally {
      this.#isApplying = false
    }
  }

  async #close(record: ApprovalRecord): Promise<void> {
    const { ledger, clock } = this.#options
    if (record.state !== 'pending' && record.state !== 'decided') return
    if (this.#options.isExited()) return ledger.cancelled(record, 'session ended')
    if (record.state === 'decided') {
      const wasConfirmed = record.delivery.some(attempt => attempt.step === 'confirm')
      return wasConfirmed ? ledger.applied(record, [{ kind: 'screen' }], clock.now()) : ledger.stale(record, 'gone')
    }
    return this.#sawKeys ? ledger.observed(record, [{ kind: 'screen' }], clock.now()) : ledger.stale(record, 'gone')
  }

  async #refresh(): Promise<void> {
    const record = this.#open && (await this.#options.ledger.get(this.#open.id))
    if (record && (record.state === 'pending' || record.state === 'decided')) {
      this.#open = record
      return
    }
    this.#open = null
    if (record) for (const sink of this.#options.sinks) await this.#guard(() => sink.settle(record))
  }

  async #guard(call: () => Promise<void>): Promise<void> {
    try {
      await call()
    } catch (error) {
      this.#options.onError(error)
    }
  }
}
