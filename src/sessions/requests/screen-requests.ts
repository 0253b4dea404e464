import {
  type ApprovalRecord,
  type ApprovalRequest,
  approvalKindOf,
  type Join,
  joinReports,
  requestFromMenu,
} from '../../approvals/index.js'
import type { Clock, Timer } from '../../clock/index.js'
import type { Look } from '../../panes/index.js'
import type { Menu, Observation } from '../../screen/index.js'
import { comparableText } from '../compare-text.js'
import type { Effects } from '../effects.js'
import type { MenuPort } from './apply-menu.js'
import { isPageOf, joinedMenu, requestOfForm, requestOfTool } from './build-request.js'
import type { DecisionDelivery } from './decision-delivery.js'
import { instanceOf, isStructured, type OpenRequest, type OpenRequests } from './open-requests.js'

/** A menu that is still there this long after its request was closed is a request of its own. */
const ASK_AGAIN_MS = 500
/** How long the result of a dialog that has gone may take to arrive by another channel. */
const RESULT_MS = 1_500
/**
 * How long a request that was taken over may show no sign of life; a relay reconnects within 5 s.
 */
const TAKEN_OVER_WAIT_MS = 10_000

type ToolRequest = NonNullable<ReturnType<typeof requestOfTool>>

interface ScreenRequestsOptions {
  open: OpenRequests
  delivery: DecisionDelivery
  menu: MenuPort
  isExited(): boolean
  onError(error: unknown): void
}

/**
 * Requests by their menus: raised when a menu appears, closed when it goes, raised again when it
 * stays although its request has ended; and taken over after a restart.
 */
export class ScreenRequests {
  readonly #options: ScreenRequestsOptions
  readonly #open: OpenRequests
  #timesRaisedAgain = 0
  #again: Timer | null = null
  /** How often in a row raising failed. */
  #failures = 0
  /** A menu that may belong to an open request: it is raised only when that request has ended. */
  #waiting: { instance: string; hash: string } | null = null

  constructor(options: ScreenRequestsOptions) {
    this.#options = options
    this.#open = options.open
  }

  /** `since`: when the menu appeared (steady clock); later keys were meant for it. */
  async raise(menu: Menu, instance: string, since = this.#open.clock.monotonic()): Promise<void> {
    const kind = approvalKindOf(menu)
    const shownBefore = this.#open.shown?.id
    this.#open.shown = null
    this.#waiting = null
    this.#cancelCheck()
    if (!kind) return
    try {
      await this.#raise(menu, kind, { instance, since, shownBefore })
    } finally {
      this.#failures = this.#open.shown ? 0 : this.#failures + 1
      // The store failed, or the request of this menu has ended meanwhile: it is raised while it
      // is on screen.
      if (!this.#open.shown) this.checkAgain(instance, menu.hash)
    }
  }

  /**
   * A request was added or has ended (`shown`: it was on screen). A menu that belonged to it, or
   * that waited for this, is checked again.
   */
  requestsChanged(shown: OpenRequests['shown'] = null): void {
    const menu = shown ?? this.#waiting
    if (!menu) return
    this.#failures = 0
    this.checkAgain(menu.instance, menu.hash)
  }

  /**
   * The request is closed, but its menu may still be on screen: the agent asks the very same thing
   * again and drew it over the old menu without a frame between them, or the decision had no
   * effect. Either way it becomes a new request, and nothing is typed by itself.
   */
  checkAgain(instance: string, hash: string): void {
    const { menu, isExited, onError } = this.#options
    // One check for one menu, however many requests about it have ended.
    this.#cancelCheck()
    this.#again = this.#open.clock.setTimer(ASK_AGAIN_MS * 2 ** Math.min(this.#failures, 6), () => {
      this.#again = null
      const now = menu.menu()
      if (!now || now.hash !== hash || this.#open.shown || isExited()) return
      void this.raise(now, `${instanceOf(instance)}~${++this.#timesRaisedAgain}`).catch(onError)
    })
  }

  /**
   * A settled look shows the menu that was raised last. If no request is open for it, an equal menu
   * may have replaced it during a frame that was not accepted, or while no host ran: it is checked
   * again.
   */
  seenAgain(menu: Menu, instance: string): void {
    const { open, delivery } = this.#options
    open.noteMenu(menu)
    const shown = open.shown && open.get(open.shown.id)
    // Its delivery has failed: the store was busy, or another program had the keyboard.
    if (shown?.record.state === 'decided' && !delivery.isDelivering(shown.record.id)) delivery.start(shown.record)
    if (!this.#open.shown && !this.#again && !this.#waiting && approvalKindOf(menu))
      this.checkAgain(instance, menu.hash)
  }

  /**
   * The menu has gone. If the request is decided, its delivery looks for proof; if pending, a
   * person answered in the terminal, or the agent withdrew it. `next`: the menu that took its
   * place; if that is the same dialog drawn again, nothing has gone.
   */
  async menuGone(next: Menu | null = null): Promise<void> {
    const { isExited, onError } = this.#options
    const requests = this.#open
    const shown = requests.shown && requests.get(requests.shown.id)
    if (shown && next && this.#isSameDialog(shown, next)) return
    requests.shown = null
    this.#waiting = null
    if (isExited()) {
      for (const open of requests.all()) await requests.cancel(open, 'session ended')
      return
    }
    if (!shown) return
    await requests.refresh(shown)
    if (shown.record.state !== 'pending') return
    requests.release(shown)
    const wasTyped = requests.sawKeys(shown)
    // The agent's own record of a known tool use tells what was answered.
    const hasReports = isStructured(shown) || shown.key !== null
    if (!hasReports || shown.proof) return requests.closeUnanswered(shown, wasTyped)
    requests.clock.setTimer(RESULT_MS, () => {
      // A form whose page was turned is on screen again.
      if (requests.shown?.id !== shown.record.id) void requests.closeUnanswered(shown, wasTyped).catch(onError)
    })
  }

  /** After a restart: which request is on screen is unknown until `takeOver`. */
  expectTakeOver(): void {
    this.#open.isTakenOver = false
  }

  /**
   * After a restart: takes over the open requests; what the agent reports on them counts from now
   * on.
   */
  async loadOpen(): Promise<OpenRequest[]> {
    const { ledger, subject } = this.#open
    const records = await ledger.list({ isOpenOnly: true })
    return records
      .filter(record => record.subject.session === subject.session)
      .map(record => this.#open.takeOver(record))
  }

  /**
   * After a restart, when the screen is clear: finds the request of the menu on screen and delivers
   * its decision, if it has one; ends the others if they are gone.
   */
  async takeOver(live: { menu: Menu; instance: string } | null): Promise<'known' | 'new' | 'none'> {
    try {
      const requests = await this.loadOpen()
      this.#open.isTakenOver = true
      const mine = live && requests.find(({ record }) => isShownBy(record, live))
      for (const open of requests) {
        if (live && open === mine) await this.#takeOverShown(open, live)
        else await this.#takeOverUnseen(open)
      }
      if (!live) return 'none'
      return mine ? 'known' : 'new'
    } finally {
      this.#open.isTakenOver = true
    }
  }

  async #raise(
    menu: Menu,
    kind: ApprovalRequest['kind'],
    { instance, since, shownBefore }: { instance: string; since: number; shownBefore: string | undefined },
  ): Promise<void> {
    const requests = this.#open
    const { ledger, subject, tools } = requests
    await requests.assignToolsToEarlier()
    const form = requests.all().find(open => isPageOf(open.record, menu))
    const found: Join = form
      ? { do: 'known', id: form.record.id }
      : joinReports(requests.records(), {
          channel: 'screen',
          requestKey: instance,
          session: subject.session,
          menu,
          isOwnQuestion: tools.ask(menu),
          ...(shownBefore !== undefined && { shownBefore }),
        })
    const tool = this.#toolOf(menu, kind, instance)
    const isUncertain = found.do === 'wait' || (found.do === 'join' && found.isGuess)
    // The menu shows a tool of its own, which the agent has started: it is not the open request's.
    const join: Join = isUncertain && tool?.isWhole ? { do: 'new' } : found
    if (join.do === 'wait') {
      this.#waiting = { instance, hash: menu.hash }
      return
    }
    const joined = join.do === 'new' ? undefined : requests.get(join.id)
    if (joined && join.do === 'join') {
      await ledger.join(joined.record, joinedMenu(joined.record, menu, instance, join))
      await requests.refresh(joined)
    }
    const before = shownBefore === undefined ? undefined : requests.get(shownBefore)
    const isDrawnAgain = before && !joined && !isStructured(before) && !tool
    const again = isDrawnAgain ? await this.#drawAgain(before, menu, instance) : null
    const open = joined ?? again ?? (await this.#addMenu(menu, kind, instance, tool))
    if (!requests.has(open.record.id)) return
    open.menu = menu
    open.since = Math.min(open.since, since)
    requests.shown = { id: open.record.id, instance, hash: menu.hash }
    // It was decided while another menu was in front of it.
    if (joined && open.record.state === 'decided') this.#options.delivery.start(open.record)
  }

  /**
   * The same dialog in another size, or with more of its text: same question and same options,
   * and no key since it appeared. After a key it must also show a part of the old text: it may have
   * been the answer, and the next dialog may ask in the same words.
   */
  #isSameDialog(shown: OpenRequest, next: Menu): boolean {
    const { record, menu, proof } = shown
    const isOpenYet = record.state === 'pending' && !proof && !this.#options.delivery.isDelivering(record.id)
    if (!menu || !isOpenYet || dialogHash(menu) !== dialogHash(next)) return false
    return !this.#open.sawKeys(shown) || sharesText(menu, next)
  }

  /** The screen shows the request in another form: the new record supersedes the old one. */
  async #drawAgain(old: OpenRequest, menu: Menu, instance: string): Promise<OpenRequest | null> {
    const requests = this.#open
    const request = requestFromMenu(menu, { kind: old.record.kind, subject: requests.subject, instance })
    const record = await requests.ledger.replace(old.record, request)
    if (!record) return null
    requests.drop(old.record.id)
    return requests.track(record, { key: old.key })
  }

  /**
   * As a structured request if the agent has reported the tool that it starts; else as the screen
   * shows it.
   */
  async #addMenu(
    menu: Menu,
    kind: ApprovalRequest['kind'],
    instance: string,
    tool: ToolRequest | null,
  ): Promise<OpenRequest> {
    const { tools, subject } = this.#open
    if (!tool) return this.#open.add(requestFromMenu(menu, { kind, subject, instance }), { key: null })
    tools.noteAsked(tool.key)
    return this.#open.add(tool.request, { key: tool.key })
  }

  #toolOf(menu: Menu, kind: ApprovalRequest['kind'], instance: string): ToolRequest | null {
    const context = this.#open.context()
    const tools = this.#open.tools.withoutRequest()
    if (kind === 'permission') return requestOfTool(tools, menu, instance, context)
    return kind === 'question' ? requestOfForm(tools, menu, instance, context) : null
  }

  async #takeOverShown(open: OpenRequest, { menu, instance }: { menu: Menu; instance: string }): Promise<void> {
    const requests = this.#open
    open.menu = menu
    requests.shown = { id: open.record.id, instance, hash: menu.hash }
    // The agent may have reported the tool before this host was there.
    const tool =
      open.key === null ? requests.tools.withoutRequest().find(each => requests.tools.isAbout(each, menu)) : undefined
    if (tool && !(await requests.wasAnsweredBefore(open, tool.at))) await requests.assignTool(open, tool.key, tool.tool)
    if (open.record.state === 'decided') this.#options.delivery.start(open.record)
  }

  async #takeOverUnseen(open: OpenRequest): Promise<void> {
    const requests = this.#open
    const { delivery, isExited } = this.#options
    if (isExited()) await requests.cancel(open, 'session ended')
    // By its structured channel: the answer is on its way.
    else if (delivery.isDelivering(open.record.id)) return
    else if (open.proof && open.record.state === 'pending') await requests.closeUnanswered(open, true)
    else if (!isStructured(open) || open.proof) await requests.end(open, () => delivery.concludeWithoutMenu(open))
    else this.#watchAdopted(open)
  }

  /** Its relay, its menu or a report of its end may come; otherwise it is gone. */
  #watchAdopted(open: OpenRequest): void {
    const requests = this.#open
    const { delivery, onError } = this.#options
    requests.clock.setTimer(TAKEN_OVER_WAIT_MS, () => {
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

/** What a dialog shows in every size: its question and its options. */
function dialogHash({ question, options }: Menu): string {
  return comparableText([question, ...options.map(({ label }) => label)].join('\n'))
}

/** Long enough to be the same by intention. */
const SHARED_LINE_MIN_CHARACTERS = 12

function sharesText(a: Menu, b: Menu): boolean {
  const lines = new Set(a.body.map(comparableText))
  return b.body.some(line => line.length >= SHARED_LINE_MIN_CHARACTERS && lines.has(comparableText(line)))
}

/** Equal menus follow each other: only the very instance that was decided may get keys. */
function isShownBy(
  { menuHash, instance, joined = [] }: ApprovalRecord,
  live: { menu: Menu; instance: string },
): boolean {
  const seen = joined.filter(({ channel }) => channel === 'screen').map(({ requestKey }) => requestKey)
  return menuHash === live.menu.hash && [instance, ...seen].some(known => instanceOf(known) === live.instance)
}

/** The menu that waits for an answer on this screen; null if none does. */
export function liveMenu(observation: Observation | null): Menu | null {
  if (observation?.view === 'tool_menu') return (observation as Observation<'tool_menu'>).payload.menu
  if (observation?.view === 'auth_required') return (observation as Observation<'auth_required'>).payload.menu ?? null
  return null
}

interface MenuInstancesOptions {
  clock: Clock
  effects: Effects
  requests: Pick<ScreenRequests, 'raise' | 'seenAgain' | 'expectTakeOver' | 'loadOpen' | 'takeOver'>
  /** The session reads old bytes: it raises no request for their menus. */
  isCatchingUp(): boolean
}

/** Saved in snapshots. */
export interface MenuState {
  count: number
  hash: string | null
  instance: string
}

const ARROWS = /^(?:\u001b[[O][A-D])+$/u

/**
 * Counts the appearances of menus and raises a request for each: two equal menus in a row are two
 * requests. An instance is named after its first row and its number.
 */
export class MenuInstances {
  readonly #options: MenuInstancesOptions
  #state: MenuState
  /** Menus on their way to the ledger. */
  #raising = 0
  /** An earlier host's requests are not compared with the screen yet. */
  #isTakeOverDue = false
  /** The menu of the last settled look: a screen that no longer changes is not seen again. */
  #last: Menu | null = null
  /** A key that may have answered the menu was pressed since it was last seen. */
  #mayBeAnswered: boolean

  constructor(options: MenuInstancesOptions, restored: MenuState | null) {
    this.#options = options
    this.#state = restored ? { ...restored } : { count: 0, hash: null, instance: '' }
    this.#mayBeAnswered = restored !== null
  }

  get state(): MenuState {
    return { ...this.#state }
  }

  get instance(): string {
    return this.#state.instance
  }

  /** Keys go to the program. Arrows move the selection and answer nothing. */
  recordInput(bytes: Uint8Array): void {
    if (!ARROWS.test(new TextDecoder().decode(bytes))) this.#mayBeAnswered = true
  }

  /**
   * Notes a settled look; returns whether it shows a menu that the last did not. While nothing can
   * have answered a menu, a look that shows nothing recognisable (`isUnclear`) does not end it: the
   * program draws the menu again after an arrow key, and may pause in between.
   */
  isNew(menu: Menu | null, { isUnclear }: { isUnclear: boolean }): boolean {
    if (!menu && (this.#mayBeAnswered || !isUnclear)) this.#state.hash = null
    if (menu) this.#mayBeAnswered = false
    return menu !== null && this.#state.hash !== menu.hash
  }

  raise(menu: Menu, look: Look): void {
    const { clock, effects, requests, isCatchingUp } = this.#options
    const since = clock.monotonic() - Math.max(0, look.t - menu.live.since) * 1000
    const count = this.#state.count + 1
    const instance = `${look.frame.lines[menu.rows[0]]?.id ?? 0}:${count}`
    this.#state = { count, hash: menu.hash, instance }
    if (isCatchingUp() || this.#isTakeOverDue) return
    this.#raising++
    effects.enqueue(() => requests.raise(menu, instance, since).finally(() => this.#raising--))
  }

  /** The settled look shows this menu, and the phase has dealt with it. */
  seenAgain(menu: Menu | null): void {
    const { requests, isCatchingUp } = this.#options
    this.#last = menu
    if (menu && this.#raising === 0 && !this.#isTakeOverDue && !isCatchingUp()) requests.seenAgain(menu, this.instance)
  }

  /**
   * After a restart: takes over the ledger's open requests. The screen may be in the middle of a
   * change, so `takeOver` compares them with its menu later.
   */
  beginTakeOver(): void {
    const { effects, requests } = this.#options
    this.#isTakeOverDue = true
    requests.expectTakeOver()
    effects.enqueue(async () => void (await requests.loadOpen()))
  }

  get isTakeOverDue(): boolean {
    return this.#isTakeOverDue && !this.#options.isCatchingUp()
  }

  /** The screen is clear and shows this menu: finds its request among those of an earlier host. */
  takeOver(menu: Menu | null): void {
    const { effects, requests } = this.#options
    if (!this.isTakeOverDue) return
    const { instance } = this
    this.#isTakeOverDue = false
    this.#raising++
    this.#last = menu
    effects.enqueue(async () => {
      try {
        const found = await requests.takeOver(menu && { menu, instance })
        if (found === 'new' && menu) await requests.raise(menu, instance)
      } finally {
        this.#raising--
        // A menu may have appeared meanwhile, or the ledger failed: perhaps no later look shows it.
        this.seenAgain(this.#last)
      }
    })
  }
}
