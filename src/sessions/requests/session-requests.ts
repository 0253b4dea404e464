import type { AgentReport } from '../../agents/index.js'
import type { ApprovalRecord } from '../../approvals/index.js'
import type { Menu } from '../../screen/index.js'
import { requestOfTool } from './build-request.js'
import { DecisionDelivery } from './decision-delivery.js'
import { OpenRequests, type SessionRequestsOptions } from './open-requests.js'
import { ReportedRequests } from './reported-requests.js'
import { isStructured, type OpenRequest } from './request-answer.js'
import { appearanceOf, ScreenRequests } from './screen-requests.js'

export type { SessionRequestsOptions }

/** A relay reconnects within five seconds; a menu is drawn at once. */
const ADOPTED_MS = 10_000

/**
 * The requests of one session in the ledger: raised when the agent asks, on screen or by a structured channel; settled when the dialog goes
 * or the agent says what became of it; answered when decided. Reports of one request are one approval, whichever comes first. Several may
 * be open at once; the one whose menu is on screen is *shown*, and only that one can be answered by keys.
 */
export class SessionRequests {
  readonly #book: OpenRequests
  readonly #screen: ScreenRequests
  readonly #told: ReportedRequests
  readonly #delivery: DecisionDelivery

  constructor(options: SessionRequestsOptions) {
    const book = new OpenRequests(options, (instance, print) => this.#screen.lookAgain(instance, print))
    const deliver = (record: ApprovalRecord) => void this.apply(record).catch(options.onError)
    this.#book = book
    this.#delivery = new DecisionDelivery({
      ...options,
      answers: book.answers,
      shownInstance: id => (book.shown?.id === id ? book.shown.instance : null),
      isShown: () => book.shown !== null,
      lastKeysAt: () => book.lastKeysAt,
      sawKeys: open => book.sawKeys(open),
    })
    this.#told = new ReportedRequests({ book, delivery: this.#delivery, deliver })
    this.#screen = new ScreenRequests({ book, nameEarlier: () => this.#told.nameEarlier(), deliver })
  }

  /** The one on screen, else the oldest. */
  get open(): ApprovalRecord | null {
    return this.#book.first?.record ?? null
  }

  get isApplying(): boolean {
    return this.#delivery.isTyping
  }

  noteKeys(): void {
    this.#book.noteKeys()
  }

  raise(menu: Menu, instance: string, since?: number): Promise<void> {
    return this.#screen.raise(menu, instance, since)
  }

  stands(menu: Menu, instance: string): void {
    this.#screen.stands(menu, instance)
  }

  settle(): Promise<void> {
    return this.#screen.settle()
  }

  hear(report: AgentReport): Promise<void> {
    return this.#told.hear(report)
  }

  /** Delivers a decision. Safe to call again: it looks before it answers. */
  async apply({ id }: ApprovalRecord): Promise<void> {
    const record = await this.#book.options.ledger.get(id)
    if (record?.state !== 'decided' || !record.decision) return
    const open = this.#book.get(id) ?? this.#book.adopt(record)
    open.record = record
    await this.#book.end(open, () => this.#delivery.deliver(open))
  }

  /** After a restart: the request that the ledger has for the menu on screen; those that only a menu told of are over without one. */
  async takeOver(live: { menu: Menu; instance: string } | null): Promise<'known' | 'new' | 'none'> {
    const book = this.#book
    const { ledger, subject } = book.options
    const records = (await ledger.list({ isOpenOnly: true })).filter(
      record => record.subject.session === subject.session,
    )
    const mine = live && records.find(record => isShownBy(record, live))
    for (const record of records) {
      const open = book.adopt(record)
      if (live && record === mine) await this.#takeShown(open, live)
      else await this.#takeUnseen(open)
    }
    if (!live) return 'none'
    return mine ? 'known' : 'new'
  }

  async #takeShown(open: OpenRequest, { menu, instance }: { menu: Menu; instance: string }): Promise<void> {
    const book = this.#book
    open.menu = menu
    book.shown = { id: open.record.id, instance, print: menu.print }
    // The agent may have told of the tool before anybody was there to hear it.
    const told = open.key === null ? requestOfTool(book.tools.unasked(), menu, '', book.context()) : null
    if (told) await book.name(open, told.key, told.request.request.tool)
  }

  async #takeUnseen(open: OpenRequest): Promise<void> {
    const book = this.#book
    if (book.options.isExited()) await book.cancel(open, 'session ended')
    else if (open.proof && open.record.state === 'pending') await book.closeUnanswered(open, true)
    else if (!isStructured(open) || open.proof) await book.end(open, () => this.#delivery.concludeWithoutMenu(open))
    else this.#watchAdopted(open)
  }

  /** Its relay may come back, its menu may appear, or the transcript tells its end; if nothing of that happens, it is gone. */
  #watchAdopted(open: OpenRequest): void {
    const book = this.#book
    const { clock, onError } = book.options
    clock.setTimer(ADOPTED_MS, () => {
      const isAlive = open.proof !== null || book.shown?.id === open.record.id || book.isHeld(open)
      if (!isAlive && book.has(open.record.id))
        void book.end(open, () => this.#delivery.concludeWithoutMenu(open)).catch(onError)
    })
  }
}

/** Equal menus come one after the other: only the very appearance that was decided may get keys. */
function isShownBy(
  { menuPrint, instance, joined = [] }: ApprovalRecord,
  live: { menu: Menu; instance: string },
): boolean {
  const seen = joined.filter(({ channel }) => channel === 'screen').map(({ requestKey }) => requestKey)
  return menuPrint === live.menu.print && [instance, ...seen].some(known => appearanceOf(known) === live.instance)
}
