import { type ApprovalRecord, chooseOption, type Ledger, type MenuPort, selectedLabel } from '../../approvals/index.js'
import { type Clock, delay } from '../../clock/index.js'
import type { AnswerChannel } from './answer-channel.js'
import {
  hookAnswerOf,
  isAsDecided,
  isDenial,
  isStructured,
  type OpenRequest,
  screenAnswerOf,
} from './request-answer.js'

export interface DecisionDeliveryOptions {
  ledger: Ledger
  clock: Clock
  menu: MenuPort
  answers: AnswerChannel
  alone?<T>(work: () => Promise<T>): Promise<T>
  isSteady?(): boolean
  say?(text: string): Promise<void>
  interrupt?(): Promise<unknown>
  /** The appearance of this request's menu that is on screen; null when it is not. */
  shownInstance(id: string): string | null
  /** Some request's menu is on screen. */
  isShown(): boolean
  lastKeysAt(): number
  /** Someone has typed since the request is open. */
  sawKeys(open: OpenRequest): boolean
  isExited(): boolean
  onError(error: unknown): void
}

/** Nobody may have typed into the pane for so long before a decision is typed. */
const QUIET_MS = 1_000
/** The screen must stand still; it is waited for so long, then tried all the same: every step looks again anyway. */
const STEADY_MS = 5_000
const STEADY_LOOK_MS = 50
/** A menu that is still there so long after the channel was answered was not closed by it. */
const MENU_STAYS_MS = 3_000
/** For the agent's own record of what it did, where its screen does not show it. */
const WRITTEN_MS = 2_000
const PROOF_MS = 10_000
/** After a restart the relay needs a moment to come back. */
const AWAY_MS = 100
/** If somebody else was typing too, their answer may have been the faster one: what the agent says tells. */
const RIVAL_MS = 1_000

/** How a denial's reason went with the answer; null: not at all. */
type NoteWay = 'channel' | 'option' | null

type Evidence = { kind: string; [key: string]: unknown }

/**
 * Brings one decision to the agent: by its structured channel where that can say it, by its menu otherwise, or when the menu stays although
 * the channel was answered. Releases of agents have ignored a hook's *allow*, so an answer is proven like a key press: the agent says so,
 * or its menu goes. What cannot be proven yet stays decided, until the agent says or its turn ends.
 */
export class DecisionDelivery {
  readonly #options: DecisionDeliveryOptions
  readonly #delivering = new Set<string>()
  /** Asked for again while it was under way: something may have changed after the last look. */
  readonly #again = new Set<string>()
  /** One decision is typed at a time, in the order they come to it. */
  #typing: Promise<void> = Promise.resolve()
  #isTyping = false

  constructor(options: DecisionDeliveryOptions) {
    this.#options = options
  }

  get isTyping(): boolean {
    return this.#isTyping
  }

  isDelivering(id: string): boolean {
    return this.#delivering.has(id)
  }

  async deliver(open: OpenRequest): Promise<void> {
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
    const record = await this.#options.ledger.get(open.record.id)
    if (record) open.record = record
    return record?.state === 'decided'
  }

  /** The agent has said what became of it. */
  async conclude(open: OpenRequest, noteWay: NoteWay = wayOfAnswer(open)): Promise<void> {
    const { proof } = open
    if (!proof) return
    const evidence = [{ kind: proof.by, result: proof.result }]
    if (isAsDecided(open)) await this.#applied(open, evidence, noteWay)
    else await this.#options.ledger.stale(open.record, 'overtaken', evidence)
  }

  /** Its turn is over: a denial ends turns, and anything else would have shown. */
  async concludeAtEnd(open: OpenRequest): Promise<void> {
    if (open.proof) return this.conclude(open)
    if (open.record.delivery.length === 0) await this.#options.ledger.stale(open.record, 'gone')
    else if (isDenial(open.record)) await this.#applied(open, [{ kind: 'turn-ended' }], null)
    else await this.#options.ledger.stale(open.record, 'unconfirmed')
  }

  /** Nothing of it is on screen after a restart, and nobody waits for it. */
  async concludeWithoutMenu(open: OpenRequest): Promise<void> {
    const { ledger } = this.#options
    const { record } = open
    if (record.state === 'pending') await ledger.stale(record, 'gone')
    else if (record.state !== 'decided') return
    else if (open.proof) await this.conclude(open)
    else if (record.delivery.some(({ step }) => step === 'confirm') && !isStructured(open))
      await this.#applied(open, [{ kind: 'screen' }], null)
    else await ledger.stale(record, record.delivery.some(({ step }) => step !== 'move') ? 'unconfirmed' : 'gone')
  }

  // — by the structured channel —

  /** Evidence that the agent took it; null: the menu has to finish it, or time will tell. */
  async #answerChannel(open: OpenRequest): Promise<Evidence[] | null> {
    const { answers, ledger, clock, menu } = this.#options
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
      const wasShown = open.record.menuPrint !== undefined
      const isOnScreen = wasShown && this.#isOnScreen(open.record)
      goneSince = wasShown && !isOnScreen ? (goneSince ?? now) : null
      const isGone = goneSince !== null && now - goneSince >= (this.#options.sawKeys(open) ? RIVAL_MS : AWAY_MS)
      if (isGone)
        return [
          { kind: 'hook', reports: waiting },
          { kind: 'screen', menu: 'gone' },
        ]
      if (isOnScreen && now - sentAt >= MENU_STAYS_MS) {
        // Whoever comes back to ask must not answer a second time while we type.
        for (const report of open.reports) answers.release(report)
        return null
      }
      if (this.#options.isExited() || (!wasShown && now - sentAt >= PROOF_MS)) return null
      await menu.nextFrame(Math.max(1, Math.min(AWAY_MS, PROOF_MS)))
    }
  }

  #isOnScreen({ id, menuPrint }: ApprovalRecord): boolean {
    return this.#options.shownInstance(id) !== null && this.#options.menu.menu()?.print === menuPrint
  }

  // — by the menu —

  /** A request that other channels know of waits for its turn on screen; one that only its menu told of is gone with it. */
  #canBeTyped(open: OpenRequest): boolean {
    if (!isStructured(open)) return true
    return this.#options.shownInstance(open.record.id) !== null
  }

  async #answerMenu(open: OpenRequest): Promise<void> {
    const { ledger, clock, menu, alone = work => work() } = this.#options
    if (!(await this.#isStillDecided(open))) return
    const { record } = open
    const instance = this.#options.shownInstance(record.id)
    const answer = screenAnswerOf(record)
    // The menu on screen belongs to another request, however alike: this one's is gone.
    if (instance === null && this.#options.isShown()) {
      await ledger.stale(record, 'gone')
      return
    }
    if (!answer || record.menuPrint === undefined || record.decision?.editedInput !== undefined) {
      await ledger.stale(record, 'ambiguous')
      return
    }
    if (record.delivery.some(({ step }) => step === 'confirm') && !(await this.#mayConfirmAgain(open, answer.label)))
      return this.#concludeConfirmed(open)
    const outcome = await alone(async () => {
      this.#isTyping = true
      try {
        // Arrows of a host that is gone may be under way: with one more of ours the selection would go where neither meant it to.
        if (record.delivery.some(({ step }) => step === 'move')) await delay(clock, QUIET_MS)
        await this.#waitUntilSteady()
        return await chooseOption(
          menu,
          {
            print: record.menuPrint!,
            ...(instance !== null && { instance: instance.split('~', 1)[0]! }),
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
    // What the agent says counts more than what its screen shows.
    if (open.proof) await this.conclude(open, noteWay)
    else if (outcome.result === 'stale') await ledger.stale(record, outcome.reason, evidence)
    else await this.#applied(open, evidence, noteWay)
  }

  /**
   * Enter was announced by a host that is gone, and the menu is still there, or again: the key may have been lost with the host, or the agent
   * obeyed it and asks the very same thing anew. Time is given for proof; then only a menu that still stands as we left it, the chosen label
   * selected, may get the key. One whose selection is back where menus begin is another request, however alike.
   */
  async #mayConfirmAgain(open: OpenRequest, label: string): Promise<boolean> {
    const { clock, menu } = this.#options
    const deadline = clock.monotonic() + MENU_STAYS_MS
    for (;;) {
      const now = menu.menu()
      if (open.proof || now?.print !== open.record.menuPrint || this.#options.isExited()) return false
      if (now && selectedLabel(now) !== label) return false
      const left = deadline - clock.monotonic()
      if (left <= 0) return true
      await menu.nextFrame(left)
    }
  }

  async #concludeConfirmed(open: OpenRequest): Promise<void> {
    if (open.proof) return this.conclude(open)
    // Gone without a trace after Enter: the agent took it. Still there, or again: nobody can tell.
    if (this.#options.menu.menu()?.print !== open.record.menuPrint)
      return this.#applied(open, [{ kind: 'screen', menu: 'gone' }], null)
    await this.#untilProof(open)
    if (open.proof) return this.conclude(open)
    await this.#options.ledger.stale(open.record, 'unconfirmed')
  }

  /** The screen does not tell what became of Enter: what the agent writes down about it may be on its way. */
  async #untilProof(open: OpenRequest): Promise<void> {
    const { clock, menu, isExited } = this.#options
    const deadline = clock.monotonic() + WRITTEN_MS
    while (!open.proof && !isExited() && clock.monotonic() < deadline)
      await menu.nextFrame(Math.max(1, Math.min(AWAY_MS, deadline - clock.monotonic())))
  }

  /** From here on keys of others are refused; those under way get time to arrive, and the screen time to stand still. */
  async #waitUntilSteady(): Promise<void> {
    const { clock, lastKeysAt, isSteady = () => true } = this.#options
    await delay(clock, Math.max(0, lastKeysAt() + QUIET_MS - clock.monotonic()))
    const deadline = clock.monotonic() + STEADY_MS
    while (!isSteady() && clock.monotonic() < deadline) await delay(clock, STEADY_LOOK_MS)
  }

  /** A reason that could not go with the answer goes as the next message. */
  async #applied(open: OpenRequest, evidence: Evidence[], noteWay: NoteWay): Promise<void> {
    const { ledger, clock, say, interrupt, onError } = this.#options
    const { decision } = open.record
    const note = isDenial(open.record) ? (decision?.note ?? decision?.text) : undefined
    const way = note === undefined ? null : (noteWay ?? (say ? 'message' : 'undelivered'))
    const isFirst = await ledger.applied(
      open.record,
      [...evidence, ...(way ? [{ kind: 'note', way }] : [])],
      clock.now(),
    )
    // Not waited for: it needs the keyboard, which whoever types this decision still has.
    if (isFirst && decision?.thenInterrupt) void interrupt?.().catch(onError)
    if (isFirst && way === 'message') await say!(`Denied: ${note}`).catch(onError)
  }
}

function wayOfAnswer({ record }: OpenRequest): NoteWay {
  return record.delivery.some(({ step }) => step === 'answer') ? 'channel' : null
}
