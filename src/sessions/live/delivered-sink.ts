import type { ApprovalRecord } from '../../approvals/index.js'
import type { Clock, Timer } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import { type Block, renderMarkdown } from '../../screen/index.js'
import type { EventStore } from '../../store/index.js'
import { Outbox, type OutboxEntry } from './outbox.js'
import type { MessageRef, Notice, Sink } from './sink.js'

export interface DeliveredSinkOptions {
  store: EventStore
  clock: Clock
  /** How often "typing" is repeated while it lasts. */
  typingRepeatMs: number
  approval(id: string): Promise<ApprovalRecord | null>
  /** The person behind the sink has gone for good: it gets nothing more, and the sessions live on. */
  onDetached?(reason: string): void
  onError(error: unknown): void
}

/** Thrown by a sink whose person is not to be reached any more, such as one who blocked the bot. */
export const SINK_GONE = 'E_SINK_GONE'

/** Less than this is not worth showing while more is to come. */
const MIN_CHARACTERS = 3

/** A sink that keeps its promises: edits no faster than it can take, typing as long as it lasts, and what must arrive until it does. */
export async function deliveredSink(
  sink: Sink,
  options: DeliveredSinkOptions,
): Promise<Sink & { stop(): void; readonly outbox: Outbox }> {
  const delivery = new Delivery(sink, options)
  await delivery.outbox.open()
  return delivery
}

class Delivery implements Sink {
  readonly kind: Sink['kind']
  readonly caps: Sink['caps']
  readonly outbox: Outbox
  readonly #sink: Sink
  readonly #options: DeliveredSinkOptions
  readonly #edits = new Map<string, PendingEdit>()
  readonly #typing = new Map<string, Timer>()
  #isDetached = false

  constructor(sink: Sink, options: DeliveredSinkOptions) {
    const { store, clock, onError } = options
    this.kind = sink.kind
    this.caps = sink.caps
    this.#sink = sink
    this.#options = options
    this.outbox = new Outbox({ store, clock, sink: sink.kind, deliver: entry => this.#again(entry), onError })
  }

  async open(message: MessageRef): Promise<void> {
    await this.#guard(() => this.#sink.open(message))
  }

  update(message: MessageRef, blocks: readonly Block[]): void {
    if (this.#isDetached) return
    const markdown = renderMarkdown(blocks)
    if (markdown.replace(/\s/gu, '').length < MIN_CHARACTERS) return
    const edit = this.#edits.get(message.message) ?? {
      shown: '',
      at: Number.NEGATIVE_INFINITY,
      timer: null,
      newest: null,
    }
    this.#edits.set(message.message, edit)
    if (markdown === edit.shown && edit.newest === null) return
    edit.newest = { blocks, markdown }
    if (edit.timer) return
    const wait = edit.at + this.caps.minEditMs - this.#options.clock.monotonic()
    if (wait <= 0) this.#show(message, edit)
    else
      edit.timer = this.#options.clock.setTimer(wait, () => {
        edit.timer = null
        this.#show(message, edit)
      })
  }

  async close(message: MessageRef, blocks: readonly Block[]): Promise<void> {
    this.#edits.get(message.message)?.timer?.cancel()
    this.#edits.delete(message.message)
    await this.#arrive({ session: message.session, call: 'close', body: { message, blocks } }, () =>
      this.#sink.close(message, blocks),
    )
  }

  async ask(approval: ApprovalRecord): Promise<void> {
    await this.#arrive(entryOf('ask', approval), () => this.#sink.ask(approval))
  }

  async settle(approval: ApprovalRecord): Promise<void> {
    await this.#arrive(entryOf('settle', approval), () => this.#sink.settle(approval))
  }

  async notice(session: string, notice: Notice): Promise<void> {
    await this.#arrive({ session, call: 'notice', body: { notice } }, () => this.#sink.notice(session, notice))
  }

  typing(session: string, isOn: boolean): void {
    this.#typing.get(session)?.cancel()
    this.#typing.delete(session)
    if (this.#isDetached) return
    this.#sink.typing(session, isOn)
    if (!isOn) return
    const again = this.#options.clock.setTimer(this.#options.typingRepeatMs, () => this.typing(session, true))
    this.#typing.set(session, again)
  }

  stop(): void {
    this.outbox.stop()
    for (const timer of this.#typing.values()) timer.cancel()
    for (const { timer } of this.#edits.values()) timer?.cancel()
  }

  #show(message: MessageRef, edit: PendingEdit): void {
    if (!edit.newest || this.#isDetached) return
    const { blocks, markdown } = edit.newest
    edit.newest = null
    edit.shown = markdown
    edit.at = this.#options.clock.monotonic()
    this.#sink.update(message, blocks)
  }

  async #arrive(entry: Pick<OutboxEntry, 'session' | 'call' | 'body'>, call: () => Promise<void>): Promise<void> {
    if (this.#isDetached) return
    // What came before must arrive before.
    if (this.outbox.waiting.length > 0) return this.outbox.defer(entry, 'something before it is waiting')
    await this.#guard(call, problem => this.outbox.defer(entry, problem))
  }

  async #guard(call: () => Promise<void>, onFailed?: (problem: string) => Promise<void>): Promise<void> {
    if (this.#isDetached) return
    try {
      await call()
    } catch (error) {
      if (error instanceof SignalboxError && error.code === SINK_GONE) return this.#detach(error.message)
      this.#options.onError(error)
      await onFailed?.(error instanceof Error ? error.message : String(error))
    }
  }

  async #again({ session, call, body }: OutboxEntry): Promise<void> {
    try {
      if (call === 'close') return await this.#sink.close(body.message as MessageRef, body.blocks as readonly Block[])
      if (call === 'notice') return await this.#sink.notice(session, body.notice as Notice)
      const approval = await this.#options.approval(String(body.approval))
      if (approval) await (call === 'ask' ? this.#sink.ask(approval) : this.#sink.settle(approval))
    } catch (error) {
      if (error instanceof SignalboxError && error.code === SINK_GONE) return this.#detach(error.message)
      throw error
    }
  }

  async #detach(reason: string): Promise<void> {
    if (this.#isDetached) return
    this.#isDetached = true
    this.stop()
    this.#options.onDetached?.(reason)
    await this.outbox.abandonAll(reason)
  }
}

interface PendingEdit {
  shown: string
  at: number
  timer: Timer | null
  newest: { blocks: readonly Block[]; markdown: string } | null
}

function entryOf(call: 'ask' | 'settle', approval: ApprovalRecord): Pick<OutboxEntry, 'session' | 'call' | 'body'> {
  return { session: approval.subject.session ?? '', call, body: { approval: approval.id } }
}
