import {
  type ApprovalRecord,
  type ApprovalRequest,
  approvalKindOf,
  joinReports,
  type MenuPort,
  requestFromMenu,
} from '../../approvals/index.js'
import type { Timer } from '../../clock/index.js'
import type { Menu } from '../../screen/index.js'
import { isPageOf, joinedMenu, requestOfForm, requestOfTool } from './build-request.js'
import type { DecisionDelivery } from './decision-delivery.js'
import { instanceOf, isStructured, type OpenRequest, type OpenRequests } from './open-requests.js'

/** A menu that is still there this long after its request was closed is a request of its own. */
const ASK_AGAIN_MS = 500
/** How long the result of a dialog that has gone may take to arrive by another channel. */
const RESULT_MS = 1_500
/** How long an adopted request may show no sign of life; a relay reconnects within 5 s. */
const ADOPTED_MS = 10_000

interface ScreenRequestsOptions {
  open: OpenRequests
  delivery: DecisionDelivery
  menu: MenuPort
  isExited(): boolean
  onError(error: unknown): void
}

/**
 * Requests by their menus: raised when a menu appears, settled when it goes, raised again when it
 * stays although its request has ended; and taken over after a restart.
 */
export class ScreenRequests {
  readonly #options: ScreenRequestsOptions
  readonly #open: OpenRequests
  #timesRaisedAgain = 0
  #again: Timer | null = null
  /** How often in a row raising failed. */
  #failures = 0

  constructor(options: ScreenRequestsOptions) {
    this.#options = options
    this.#open = options.open
  }

  /** `since`: when the menu appeared (steady clock); later keys were meant for it. */
  async raise(menu: Menu, instance: string, since = this.#open.clock.monotonic()): Promise<void> {
    const kind = approvalKindOf(menu)
    this.#open.shown = null
    this.#cancelCheck()
    if (!kind) return
    try {
      await this.#raise(menu, kind, instance, since)
    } finally {
      this.#failures = this.#open.shown ? 0 : this.#failures + 1
      // The store failed, or the request of this menu has ended meanwhile: it is raised while it
      // stands.
      if (!this.#open.shown) this.checkAgain(instance, menu.print)
    }
  }

  /**
   * The request is closed, but its menu may still be on screen: the agent asks the very same thing
   * again and drew it over the old menu without a frame between them, or the decision had no
   * effect. Either way it becomes a new request, and nothing is typed by itself.
   */
  checkAgain(instance: string, print: string): void {
    const { menu, isExited, onError } = this.#options
    // One check for one menu, however many requests about it have ended.
    this.#cancelCheck()
    this.#again = this.#open.clock.setTimer(ASK_AGAIN_MS * 2 ** Math.min(this.#failures, 6), () => {
      this.#again = null
      const now = menu.menu()
      if (!now || now.print !== print || this.#open.shown || isExited()) return
      void this.raise(now, `${instanceOf(instance)}~${++this.#timesRaisedAgain}`).catch(onError)
    })
  }

  /**
   * A settled look shows the menu that was raised last. If no request is open for it, an equal menu
   * may have taken its place behind a frame that was not believed, or between two hosts: it is
   * checked again.
   */
  seenAgain(menu: Menu, instance: string): void {
    if (!this.#open.shown && !this.#again && approvalKindOf(menu)) this.checkAgain(instance, menu.print)
  }

  /** The menu has gone: a delivery looks for proof; a pending request was answered here. */
  async settle(): Promise<void> {
    const { isExited, onError } = this.#options
    const requests = this.#open
    const shown = requests.shown && requests.get(requests.shown.id)
    requests.shown = null
    if (isExited()) {
      for (const open of requests.all()) await requests.cancel(open, 'session ended')
      return
    }
    if (!shown) return
    await requests.refresh(shown)
    if (shown.record.state !== 'pending') return
    requests.release(shown)
    const wasTyped = requests.sawKeys(shown)
    if (!isStructured(shown) || shown.proof) return requests.closeUnanswered(shown, wasTyped)
    requests.clock.setTimer(RESULT_MS, () => {
      // A form whose page was turned is on screen again.
      if (requests.shown?.id !== shown.record.id) void requests.closeUnanswered(shown, wasTyped).catch(onError)
    })
  }

  /** After a restart: finds the request of the menu on screen, or ends it if gone. */
  async takeOver(live: { menu: Menu; instance: string } | null): Promise<'known' | 'new' | 'none'> {
    const { ledger, subject } = this.#open
    const records = (await ledger.list({ isOpenOnly: true })).filter(
      record => record.subject.session === subject.session,
    )
    const mine = live && records.find(record => isShownBy(record, live))
    for (const record of records) {
      const open = this.#open.adopt(record)
      if (live && record === mine) await this.#takeShown(open, live)
      else await this.#takeUnseen(open)
    }
    if (!live) return 'none'
    return mine ? 'known' : 'new'
  }

  async #raise(menu: Menu, kind: ApprovalRequest['kind'], instance: string, since: number): Promise<void> {
    const requests = this.#open
    const { ledger, subject } = requests
    await requests.nameEarlier()
    const report = { channel: 'screen' as const, requestKey: instance, session: subject.session, menu }
    const form = requests.all().find(open => isPageOf(open.record, menu))
    const join = form ? { do: 'known' as const, id: form.record.id } : joinReports(requests.records(), report)
    const joined = join.do === 'join' || join.do === 'known' ? requests.get(join.id) : undefined
    if (joined && join.do === 'join') {
      await ledger.join(joined.record, joinedMenu(joined.record, menu, instance, join.mismatch))
      await requests.refresh(joined)
    }
    const open = joined ?? (await this.#addMenu(menu, kind, instance))
    if (!requests.has(open.record.id)) return
    open.menu = menu
    open.since = Math.min(open.since, since)
    requests.shown = { id: open.record.id, instance, print: menu.print }
    // It was decided while another menu was in front of it.
    if (joined && open.record.state === 'decided') this.#options.delivery.start(open.record)
  }

  /** As a structured request if the agent reported the tool; else as the screen shows it. */
  async #addMenu(menu: Menu, kind: ApprovalRequest['kind'], instance: string): Promise<OpenRequest> {
    const { tools, subject } = this.#open
    const tool = this.#toolOf(menu, kind, instance)
    if (!tool) return this.#open.add(requestFromMenu(menu, { kind, subject, instance }), { key: null })
    tools.noteAsked(tool.key)
    return this.#open.add(tool.request, { key: tool.key })
  }

  #toolOf(menu: Menu, kind: ApprovalRequest['kind'], instance: string) {
    const context = this.#open.context()
    const tools = this.#open.tools.unasked()
    if (kind === 'permission') return requestOfTool(tools, menu, instance, context)
    return kind === 'question' ? requestOfForm(tools, menu, instance, context) : null
  }

  async #takeShown(open: OpenRequest, { menu, instance }: { menu: Menu; instance: string }): Promise<void> {
    const requests = this.#open
    open.menu = menu
    requests.shown = { id: open.record.id, instance, print: menu.print }
    // The agent may have reported the tool before this host was there.
    const tool = open.key === null ? requestOfTool(requests.tools.unasked(), menu, '', requests.context()) : null
    if (tool) await requests.name(open, tool.key, tool.request.request.tool)
  }

  async #takeUnseen(open: OpenRequest): Promise<void> {
    const requests = this.#open
    const { delivery, isExited } = this.#options
    if (isExited()) await requests.cancel(open, 'session ended')
    else if (open.proof && open.record.state === 'pending') await requests.closeUnanswered(open, true)
    else if (!isStructured(open) || open.proof) await requests.end(open, () => delivery.concludeWithoutMenu(open))
    else this.#watchAdopted(open)
  }

  /** Its relay, its menu or a report of its end may come; otherwise it is gone. */
  #watchAdopted(open: OpenRequest): void {
    const requests = this.#open
    const { delivery, onError } = this.#options
    requests.clock.setTimer(ADOPTED_MS, () => {
      const isAlive = open.proof !== null || requests.shown?.id === open.record.id || requests.isHeld(open)
      if (!isAlive && requests.has(open.record.id))
        void requests.end(open, () => delivery.concludeWithoutMenu(open)).catch(onError)
    })
  }

  #cancelCheck(): void {
    this.#again?.cancel()
    this.#again = null
  }
}

/** Equal menus follow each other: only the very instance that was decided may get keys. */
function isShownBy(
  { menuPrint, instance, joined = [] }: ApprovalRecord,
  live: { menu: Menu; instance: string },
): boolean {
  const seen = joined.filter(({ channel }) => channel === 'screen').map(({ requestKey }) => requestKey)
  return menuPrint === live.menu.print && [instance, ...seen].some(known => instanceOf(known) === live.instance)
}
