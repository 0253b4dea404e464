import type { ApprovalRecord } from '../../approvals/index.js'
import { delay } from '../../clock/index.js'
import { chooseOption, type MenuPort } from './apply-menu.js'
import { selectedLabel } from './apply-menu-labels.js'
import { instanceOf, isStructured, type OpenRequest, type OpenRequests } from './open-requests.js'
import { hookAnswerOf, isAsDecided, isDenial, screenAnswerOf } from './request-answer.js'

export interface DecisionDeliveryOptions {
  open: OpenRequests
  menu: MenuPort
  /** Keeps other keys away while a decision is typed. */
  alone?<T>(work: () => Promise<T>): Promise<T>
  /** The frame is complete, and no resize is under way. */
  isSteady?(): boolean
  /** Sends the next prompt, held until the agent is idle. */
  say?(text: string): Promise<void>
  /** Stops the agent's work. */
  interrupt?(): Promise<unknown>
  isExited(): boolean
  onError(error: unknown): void
}

/** No person may have typed into the pane for this long before a decision is typed. */
const QUIET_MS = 1_000
/** How long delivery waits for a steady screen; then it tries: every step checks again. */
const STEADY_WAIT_MAX_MS = 5_000
const STEADY_CHECK_MS = 50
/**
 * A menu that is still there this long after the channel was answered was not closed by the answer.
 */
const MENU_STAYS_MS = 3_000
/** How long to wait for the agent's own report if its screen proves nothing. */
const PROOF_MS = 10_000
/** How long a menu must be gone: after a restart the relay needs a moment to reconnect. */
const MENU_GONE_MS = 100
/**
 * How long a menu must be gone if a person typed too: the agent's report says whose answer it
 * accepted.
 */
const PERSON_TYPED_MS = 1_000

/** How a denial's reason reached the agent together with the answer; null: it did not. */
type NoteWay = 'channel' | 'option' | null

type Evidence = { kind: string; [key: string]: unknown }

/**
 * Brings a decision to the agent: by its structured channel if that can express it, otherwise by
 * its menu; also by the menu if it stays although the channel was answered. Some releases of agents
 * have ignored a hook's *allow*, so an answer needs the same proof as a key press: the agent
 * reports it, or the menu goes. A decision without proof stays decided until the agent reports it
 * or its turn ends.
 */
export class DecisionDelivery {
  readonly #options: DecisionDeliveryOptions
  readonly #open: OpenRequests
  readonly #delivering = new Set<string>()
  /** Requested again during the delivery: something may have changed since its last check. */
  readonly #again = new Set<string>()
  /** Decisions are typed one at a time, in order. */
  #typing: Promise<void> = Promise.resolve()
  #isTyping = false

  constructor(options: DecisionDeliveryOptions) {
    this.#options = options
    this.#open = options.open
  }

  get isTyping(): boolean {
    return this.#isTyping
  }

  isDelivering(id: string): boolean {
    return this.#delivering.has(id)
  }

  /** Delivers the request's decision. Safe to call again: it checks before it answers. */
  async apply({ id }: ApprovalRecord): Promise<void> {
    const record = await this.#open.ledger.get(id)
    if (record?.state !== 'decided' || !record.decision) return
    const open = this.#open.takeOver(record)
    await this.#open.end(open, () => this.#deliver(open))
  }

  /** Delivers the request's decision without waiting for the result. */
  start(record: ApprovalRecord): void {
    void this.apply(record).catch(this.#options.onError)
  }

  /** The agent has reported what became of the request. */
  async conclude(open: OpenRequest, noteWay: NoteWay = noteWayOf(open)): Promise<void> {
    const { proof } = open
    if (!proof) return
    const evidence = [{ kind: proof.by, result: proof.result }]
    if (isAsDecided(open)) await this.#applied(open, evidence, noteWay)
    else await this.#open.ledger.stale(open.record, 'overtaken', evidence)
  }

  /** The request's turn has ended: a denial ends turns, and anything else would have shown. */
  async concludeAtEnd(open: OpenRequest): Promise<void> {
    const { ledger } = this.#open
    if (open.proof) return this.conclude(open)
    if (open.record.delivery.length === 0) await ledger.stale(open.record, 'gone')
    else if (isDenial(open.record)) await this.#applied(open, [{ kind: 'turn-ended' }], null)
    else await ledger.stale(open.record, 'unconfirmed')
  }

  /** After a restart neither the screen nor a channel shows the request. */
  async concludeWithoutMenu(open: OpenRequest): Promise<void> {
    const { ledger } = this.#open
    const { record } = open
    if (record.state === 'pending') await ledger.stale(record, 'gone')
    else if (record.state !== 'decided') return
    else if (open.proof) await this.conclude(open)
    else if (record.delivery.some(({ step }) => step === 'confirm') && !isStructured(open)) {
      if (this.#standsAsLeft(record)) await ledger.stale(record, 'unconfirmed')
      else await this.#applied(open, [{ kind: 'screen' }], null)
    } else await ledger.stale(record, record.delivery.some(({ step }) => step !== 'move') ? 'unconfirmed' : 'gone')
  }

  /**
   * An equal menu with the chosen label selected may be the one that was decided after all: then
   * Enter was lost with the earlier host. In a new menu the selection is usually at the start.
   */
  #standsAsLeft(record: ApprovalRecord): boolean {
    const menu = this.#options.menu.menu()
    if (!menu || menu.hash !== record.menuHash) return false
    return selectedLabel(menu) === screenAnswerOf(record)?.label
  }

  async #deliver(open: OpenRequest): Promise<void> {
    const { id } = open.record
    if (this.#delivering.has(id)) {
      this.#again.add(id)
      return
    }
    this.#delivering.add(id)
    try {
      do {
        this.#again.delete(id)
        await this.#deliverOnce(open)
      } while (this.#again.has(id) && (await this.#isStillDecided(open)))
    } finally {
      this.#delivering.delete(id)
      this.#again.delete(id)
    }
  }

  async #deliverOnce(open: OpenRequest): Promise<void> {
    // Written into the store past the daemon: the daemon has not checked who did that.
    const { ledger } = this.#open
    if (!(await ledger.isProven(open.record))) return void (await ledger.stale(open.record, 'unproven'))
    if (open.proof) return this.conclude(open)
    const evidence = await this.#answerChannel(open)
    if (evidence) return this.#applied(open, evidence, open.record.decision?.note === undefined ? null : 'channel')
    if (open.proof) return this.conclude(open)
    if (!this.#canBeTyped(open)) return
    const typed = this.#typing.then(() => this.#answerMenu(open))
    this.#typing = typed.catch(() => undefined)
    return typed
  }

  async #isStillDecided(open: OpenRequest): Promise<boolean> {
    const record = await this.#open.ledger.get(open.record.id)
    if (record) open.record = record
    return record?.state === 'decided'
  }

  // — by the structured channel —

  /** Evidence that the agent took the answer; null: the menu or a later report ends it. */
  async #answerChannel(open: OpenRequest): Promise<Evidence[] | null> {
    const { menu, isExited } = this.#options
    const { answers, ledger, clock } = this.#open
    const answer = hookAnswerOf(open)
    const waiting = [...open.reports].filter(report => answers.isOpen(report))
    if (!answer || waiting.length === 0) return null
    await ledger.delivering(open.record, 'answer')
    const results = await Promise.all(waiting.map(report => answers.answer(report, answer)))
    if (!results.includes('sent')) return null
    const sentAt = clock.monotonic()
    let goneSince: number | null = null
    for (;;) {
      const now = clock.monotonic()
      if (open.proof) return isAsDecided(open) ? [{ kind: open.proof.by, result: open.proof.result }] : null
      const wasShown = open.record.menuHash !== undefined
      const isOnScreen = wasShown && this.#isOnScreen(open.record)
      goneSince = wasShown && !isOnScreen ? (goneSince ?? now) : null
      const isGone =
        goneSince !== null && now - goneSince >= (this.#open.sawKeys(open) ? PERSON_TYPED_MS : MENU_GONE_MS)
      if (isGone)
        return [
          { kind: 'hook', reports: waiting },
          { kind: 'screen', menu: 'gone' },
        ]
      if (isOnScreen && now - sentAt >= MENU_STAYS_MS) {
        // A relay that reconnects must not answer a second time while the decision is typed.
        for (const report of open.reports) answers.release(report)
        return null
      }
      if (isExited() || (!wasShown && now - sentAt >= PROOF_MS)) return null
      await menu.nextFrame(Math.max(1, Math.min(MENU_GONE_MS, PROOF_MS)))
    }
  }

  /** The instance of this request's menu that is on screen; null if it is not. */
  #shownInstance(id: string): string | null {
    const { shown } = this.#open
    return shown?.id === id ? shown.instance : null
  }

  #isOnScreen({ id, menuHash }: ApprovalRecord): boolean {
    return this.#shownInstance(id) !== null && this.#options.menu.menu()?.hash === menuHash
  }

  // — by the menu —

  /** Waits for the menu if another channel knows the request; else it ended with it. */
  #canBeTyped(open: OpenRequest): boolean {
    // The takeover types it, if its menu is on screen.
    if (!this.#open.isTakenOver) return false
    if (!isStructured(open)) return true
    return this.#shownInstance(open.record.id) !== null
  }

  async #answerMenu(open: OpenRequest): Promise<void> {
    const { menu, alone = work => work() } = this.#options
    const { ledger, clock } = this.#open
    if (!(await this.#isStillDecided(open))) return
    const { record } = open
    const instance = this.#shownInstance(record.id)
    const answer = screenAnswerOf(record)
    // The menu on screen belongs to another request, however similar: this one's menu is gone.
    if (instance === null && this.#open.shown !== null) {
      await ledger.stale(record, 'gone')
      return
    }
    const mayType = record.terminalOnly === undefined || isDenial(record)
    if (!answer || !mayType || record.menuHash === undefined || record.decision?.editedInput !== undefined) {
      await ledger.stale(record, 'ambiguous')
      return
    }
    if (record.delivery.some(({ step }) => step === 'confirm') && !(await this.#mayConfirmAgain(open, answer.label)))
      return this.#concludeConfirmed(open)
    const outcome = await alone(async () => {
      this.#isTyping = true
      try {
        // An earlier host may have sent arrow keys that still arrive: together with ours the
        // selection would end where neither meant it to.
        if (record.delivery.some(({ step }) => step === 'move')) await delay(clock, QUIET_MS)
        await this.#waitUntilSteady()
        return await chooseOption(
          menu,
          {
            hash: record.menuHash!,
            instance: instanceOf(instance ?? record.instance),
            ...answer,
            mayWiden: record.decision?.actor.kind === 'person',
          },
          { clock, onStep: step => ledger.delivering(record, step) },
        )
      } finally {
        this.#isTyping = false
      }
    })
    const evidence = [{ kind: 'screen', keys: outcome.keys.length, labels: outcome.seen }]
    const isWritten = answer.text !== undefined && outcome.result === 'applied' && !outcome.textLeftOut
    const noteWay = isWritten ? 'option' : null
    if (outcome.result === 'stale' && outcome.reason === 'unconfirmed') await this.#untilProof(open)
    // The agent's report counts more than its screen.
    if (open.proof) await this.conclude(open, noteWay)
    else if (outcome.result === 'stale') await ledger.stale(record, outcome.reason, evidence)
    else await this.#applied(open, evidence, noteWay)
  }

  /**
   * An earlier host recorded that it would press Enter, and the menu is still on screen or has
   * returned: the key was lost with that host, or the agent obeyed it and asks the very same thing
   * again. After some time for proof, only a menu that is on screen as that host left it, with the
   * chosen label selected, may get the key. A menu whose selection is back at the start is another
   * request, however similar.
   */
  async #mayConfirmAgain(open: OpenRequest, label: string): Promise<boolean> {
    const { menu, isExited } = this.#options
    const { clock } = this.#open
    const deadline = clock.monotonic() + MENU_STAYS_MS
    for (;;) {
      const now = menu.menu()
      if (open.proof || now?.hash !== open.record.menuHash || isExited()) return false
      if (now && selectedLabel(now) !== label) return false
      const left = deadline - clock.monotonic()
      if (left <= 0) return true
      await menu.nextFrame(left)
    }
  }

  async #concludeConfirmed(open: OpenRequest): Promise<void> {
    if (open.proof) return this.conclude(open)
    // Gone after Enter: the agent took it. The menu may be the same one or a new one; the screen
    // does not show which.
    if (this.#options.menu.menu()?.hash !== open.record.menuHash)
      return this.#applied(open, [{ kind: 'screen', menu: 'gone' }], null)
    await this.#untilProof(open)
    if (open.proof) return this.conclude(open)
    await this.#open.ledger.stale(open.record, 'unconfirmed')
  }

  /**
   * The screen does not show what became of Enter: the agent's own record of it may be on its way.
   */
  async #untilProof(open: OpenRequest): Promise<void> {
    const { menu, isExited } = this.#options
    const { clock } = this.#open
    const deadline = clock.monotonic() + PROOF_MS
    while (!open.proof && !isExited() && clock.monotonic() < deadline)
      await menu.nextFrame(Math.max(1, Math.min(MENU_GONE_MS, deadline - clock.monotonic())))
  }

  /**
   * Waits until keys that were typed earlier have arrived and the screen is steady; people's keys
   * are refused meanwhile.
   */
  async #waitUntilSteady(): Promise<void> {
    const { isSteady = () => true } = this.#options
    const { clock, lastKeysAt } = this.#open
    await delay(clock, Math.max(0, lastKeysAt + QUIET_MS - clock.monotonic()))
    const deadline = clock.monotonic() + STEADY_WAIT_MAX_MS
    while (!isSteady() && clock.monotonic() < deadline) await delay(clock, STEADY_CHECK_MS)
  }

  /** A reason that did not reach the agent with the answer becomes the next prompt. */
  async #applied(open: OpenRequest, evidence: Evidence[], noteWay: NoteWay): Promise<void> {
    const { say, interrupt, onError } = this.#options
    const { ledger, clock } = this.#open
    const { decision } = open.record
    const note = isDenial(open.record) ? (decision?.note ?? decision?.text) : undefined
    const way = note === undefined ? null : (noteWay ?? (say ? 'message' : 'undelivered'))
    const isFirst = await ledger.applied(
      open.record,
      [...evidence, ...(way ? [{ kind: 'note', way }] : [])],
      clock.now(),
    )
    // Not awaited: it needs the keyboard, which this delivery may still hold.
    if (isFirst && decision?.thenInterrupt) void interrupt?.().catch(onError)
    if (isFirst && way === 'message') await say!(`Denied: ${note}`).catch(onError)
  }
}

function noteWayOf({ record }: OpenRequest): NoteWay {
  return record.delivery.some(({ step }) => step === 'answer') ? 'channel' : null
}
