import type { EventData, EventType } from '../../events/index.js'
import { type Block, renderMarkdown } from '../../screen/index.js'
import type { Effects, Waiters } from '../live/effects.js'
import type { MessageRef, Sink } from '../live/sink.js'
import type { ClosedMessage } from './closed-messages.js'

export interface MessageWriterOptions {
  session: string
  sinks: readonly Sink[]
  effects: Effects
  waiters: Waiters
  /** How long the end of a turn waits for the agent's own record; 0 where it keeps none. */
  transcriptWaitMs: number
  /** Old bytes are being read: the log is kept, nothing is shown. */
  isSilent(): boolean
  /** The agent is gone: what it has written down by now is all. */
  hasEnded(): boolean
  /** Writes to the log now, in this very effect. False: it was there already, so it has been shown. */
  write<T extends EventType>(type: T, data: EventData<T>): Promise<boolean>
  onError(error: unknown): void
}

/** How a turn ended, where that has to be said. */
export type Ending = 'interrupted' | 'failed' | 'crashed'

const SAID: Readonly<Record<Ending, string>> = {
  interrupted: 'Interrupted.',
  failed: 'The agent failed.',
  crashed: 'The agent ended in the middle of this.',
}

/** A session's messages on their way to the log and to the sinks. */
export class MessageWriter {
  readonly #options: MessageWriterOptions
  /** Messages in the log, and how often they were bettered. */
  readonly #revisions = new Map<string, number>()
  readonly #endings = new Map<string, Ending>()
  #closing = 0

  constructor(options: MessageWriterOptions) {
    this.#options = options
  }

  /** A message has ended and is not in the log yet. */
  get isClosing(): boolean {
    return this.#closing > 0
  }

  open(ref: MessageRef | null): void {
    this.#show(ref, async sink => sink.open(ref!))
  }

  update(ref: MessageRef | null, blocks: readonly Block[]): void {
    this.#show(ref, async sink => sink.update(ref!, blocks))
  }

  /** `waits`: the turn is over, so its message may wait a little for the agent's own words. */
  close(closed: ClosedMessage, { ending, waits }: { ending: Ending | null; waits: boolean }): void {
    const { effects, waiters, transcriptWaitMs, isSilent, hasEnded } = this.#options
    const wasSilent = isSilent()
    if (ending) this.#endings.set(closed.message, ending)
    this.#closing++
    effects.later(async () => {
      if (waits && !wasSilent) await waiters.until(transcriptWaitMs, () => closed.isConfirmed || hasEnded())
      this.#closing--
      this.#revisions.set(closed.message, 0)
      await this.#deliver(closed, 0, wasSilent)
    })
  }

  /** The agent's own words came after the end. Before the message is in the log that changes nothing: it is written as it is by then. */
  patch(closed: ClosedMessage): void {
    const { effects, waiters, isSilent } = this.#options
    const revision = this.#revisions.get(closed.message)
    if (revision === undefined) return waiters.wake()
    this.#revisions.set(closed.message, revision + 1)
    const wasSilent = isSilent()
    effects.later(() => this.#deliver(closed, revision + 1, wasSilent))
  }

  async #deliver(closed: ClosedMessage, revision: number, isSilent: boolean): Promise<void> {
    const { session, sinks, write, onError } = this.#options
    const { turn, message } = closed
    const blocks = this.#withEnding(closed)
    const kept = blocks as unknown as EventData<'message.final'>['blocks']
    const markdown = renderMarkdown(blocks)
    const isNew = await write('message.final', {
      session,
      turn,
      message,
      markdown,
      blocks: kept,
      ...(revision > 0 && { revision }),
    })
    if (isSilent || !isNew) return
    for (const sink of sinks) void sink.close({ session, turn, message }, blocks).catch(onError)
  }

  #withEnding({ message, blocks }: ClosedMessage): readonly Block[] {
    const ending = this.#endings.get(message)
    if (!ending) return blocks
    const last = blocks.at(-1)
    const line: Block = {
      id: `${message}.end`,
      rows: last ? [last.rows[1], last.rows[1]] : [0, 0],
      provisional: false,
      missing: false,
      source: 'screen',
      kind: 'prose',
      variant: 'paragraph',
      runs: [{ text: SAID[ending], italic: true }],
    }
    return [...blocks, line]
  }

  #show(ref: MessageRef | null, call: (sink: Sink) => Promise<void>): void {
    const { sinks, isSilent, onError } = this.#options
    if (isSilent() || !ref) return
    for (const sink of sinks) void call(sink).catch(onError)
  }
}
