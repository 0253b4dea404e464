import {
  type ApprovalRecord,
  type ApprovalRequest,
  approvalKindOf,
  joinReports,
  requestFromMenu,
} from '../../approvals/index.js'
import type { Timer } from '../../clock/index.js'
import type { Menu } from '../../screen/index.js'
import { joinedMenu, requestOfTool } from './build-request.js'
import { isPageOf, requestOfForm } from './form-request.js'
import type { OpenRequests } from './open-requests.js'
import { isStructured, type OpenRequest } from './request-answer.js'

/** A menu that is still there so long after its request was closed is a request of its own. */
const ASK_AGAIN_MS = 500
/** After a dialog has gone its result may follow by another channel: so long it is waited for. */
const RESULT_MS = 1_500

export interface ScreenRequestsOptions {
  book: OpenRequests
  /** What the agent has begun belongs to the requests that were first. */
  nameEarlier(): Promise<void>
  /** It was decided while it stood behind another one. */
  deliver(record: ApprovalRecord): void
}

/** Requests by their menus: raised when one appears, settled when it goes, asked again when it stays although its request is over. */
export class ScreenRequests {
  readonly #options: ScreenRequestsOptions
  readonly #book: OpenRequests
  #timesAsked = 0
  #again: Timer | null = null
  /** How often in a row a menu could not be asked. */
  #misses = 0

  constructor(options: ScreenRequestsOptions) {
    this.#options = options
    this.#book = options.book
  }

  /** `since`: when it appeared, on the steady clock; keys that came later are meant for it, however late it is raised. */
  async raise(menu: Menu, instance: string, since = this.#book.options.clock.monotonic()): Promise<void> {
    const kind = approvalKindOf(menu)
    this.#book.shown = null
    this.#cancelLook()
    if (!kind) return
    try {
      await this.#raise(menu, kind, instance, since)
    } finally {
      this.#misses = this.#book.shown ? 0 : this.#misses + 1
      // The store was out of reach, or the request that this is the menu of has ended meanwhile: it is asked while it stands.
      if (!this.#book.shown) this.lookAgain(instance, menu.print)
    }
  }

  /**
   * The request is closed, and its menu may be on screen all the same: the agent asks the very same thing again, drawn over the old menu
   * without a frame between them, or the decision had no effect. Either way it is asked anew, and nothing is typed by itself.
   */
  lookAgain(instance: string, print: string): void {
    const { clock, menu, isExited, onError } = this.#book.options
    // One look for one menu, however many requests about it have come to their end.
    this.#cancelLook()
    this.#again = clock.setTimer(ASK_AGAIN_MS * 2 ** Math.min(this.#misses, 6), () => {
      this.#again = null
      const now = menu.menu()
      if (!now || now.print !== print || this.#book.shown || isExited()) return
      void this.raise(now, `${appearanceOf(instance)}~${++this.#timesAsked}`).catch(onError)
    })
  }

  /**
   * The menu that was asked last is seen again. An equal one may have taken its place behind a picture that nobody believed, or while one
   * host followed another: if no request is open for it, it is looked at once more, and asked.
   */
  stands(menu: Menu, instance: string): void {
    if (!this.#book.shown && !this.#again && approvalKindOf(menu)) this.lookAgain(instance, menu.print)
  }

  /** The menu has gone. Decided: whoever delivers it looks for proof. Pending: someone answered in the terminal, or it was withdrawn. */
  async settle(): Promise<void> {
    const book = this.#book
    const { clock, isExited, onError } = book.options
    const shown = book.shown && book.get(book.shown.id)
    book.shown = null
    if (isExited()) {
      for (const open of book.all()) await book.cancel(open, 'session ended')
      return
    }
    if (!shown) return
    await book.refresh(shown)
    if (shown.record.state !== 'pending') return
    book.letGo(shown)
    const wasTyped = book.sawKeys(shown)
    if (!isStructured(shown) || shown.proof) return book.closeUnanswered(shown, wasTyped)
    clock.setTimer(RESULT_MS, () => {
      // A form whose page was turned is on screen again.
      if (book.shown?.id !== shown.record.id) void book.closeUnanswered(shown, wasTyped).catch(onError)
    })
  }

  async #raise(menu: Menu, kind: ApprovalRequest['kind'], instance: string, since: number): Promise<void> {
    await this.#options.nameEarlier()
    const book = this.#book
    const { ledger, subject } = book.options
    const report = { channel: 'screen' as const, requestKey: instance, session: subject.session, menu }
    const form = book.all().find(open => isPageOf(open.record, menu))
    const join = form ? { do: 'known' as const, id: form.record.id } : joinReports(book.records(), report)
    const joined = join.do === 'join' || join.do === 'known' ? book.get(join.id) : undefined
    if (joined && join.do === 'join') {
      await ledger.join(joined.record, joinedMenu(joined.record, menu, instance, join.mismatch))
      await book.refresh(joined)
    }
    const open = joined ?? (await this.#raiseMenu(menu, kind, instance))
    if (!book.has(open.record.id)) return
    open.menu = menu
    open.since = Math.min(open.since, since)
    book.shown = { id: open.record.id, instance, print: menu.print }
    if (joined && open.record.state === 'decided') this.#options.deliver(open.record)
  }

  /** In structure where the agent has told which tool it is about to use; else as the screen shows it. */
  async #raiseMenu(menu: Menu, kind: ApprovalRequest['kind'], instance: string): Promise<OpenRequest> {
    const { tools, options } = this.#book
    const tool = this.#toolOf(menu, kind, instance)
    if (!tool) return this.#book.add(requestFromMenu(menu, { kind, subject: options.subject, instance }), { key: null })
    tools.noteAsked(tool.key, options.clock.monotonic())
    return this.#book.add(tool.request, { key: tool.key })
  }

  #toolOf(menu: Menu, kind: ApprovalRequest['kind'], instance: string) {
    const context = this.#book.context()
    const tools = this.#book.tools.unasked()
    if (kind === 'permission') return requestOfTool(tools, menu, instance, context)
    return kind === 'question' ? requestOfForm(tools, menu, instance, context) : null
  }

  #cancelLook(): void {
    this.#again?.cancel()
    this.#again = null
  }
}

/** Asked anew in the same appearance of a menu, a request is told apart by what follows the tilde. */
export function appearanceOf(instance: string): string {
  return instance.split('~', 1)[0]!
}
